package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/tideway-go/tideway/rest/internal/wire"
	"github.com/tideway-go/tideway/stream"
)

// Propagation says what happens to the objects that a deleted object owns.
type Propagation string

// The propagation policies.
const (
	Background Propagation = "Background" // deletes the object first, then what it owned
	Foreground Propagation = "Foreground" // deletes what the object owns first
	Orphan     Propagation = "Orphan"     // leaves what the object owned
)

// DeleteOptions change how an object is deleted. The zero value leaves all to the server: a Job,
// for example, orphans its pods.
type DeleteOptions struct {
	// Propagation is Background, Foreground or Orphan. Default: the server's for the kind.
	Propagation Propagation
	// GracePeriodSeconds is how long the object may take to end; 0 deletes at once. Default: what
	// the object says.
	GracePeriodSeconds *int64
	// UID and ResourceVersion are preconditions: if the object has others, it is not deleted, and
	// the error matches [ErrConflict]. Default: none.
	UID, ResourceVersion string
	// Unchanged lets [Resource.DeleteObject] delete only the version that it was given.
	Unchanged bool
}

// Deletion is the answer to a delete that the server accepted.
type Deletion[T any] struct {
	Object *T // nil if the server did not answer with the object
	// Terminating is set if the object is marked for deletion, but still exists while it has
	// finalizers or a grace period runs. Only a watch or a get shows that it is gone.
	Terminating bool
	Status      Status // what the server said instead of an object
}

// Delete deletes the object called name. If it does not exist, the error matches [ErrNotFound].
func (r Resource[T]) Delete(ctx context.Context, name string, o DeleteOptions) <-chan stream.Result[Deletion[T]] {
	e := r.endpoint
	raw, err := o.body(e.options().DryRun)
	if bad := e.whole("delete"); bad != nil {
		err = bad
	} else if bad := e.checkName("delete", name); bad != nil {
		err = bad
	} else if err != nil {
		err = e.bad("delete", name, err)
	}
	if err != nil {
		return stream.Answer(Deletion[T]{}, err)
	}
	q := &request{op: "delete", method: http.MethodDelete, name: name, body: raw}
	return run(ctx, e, q, func(e *Endpoint, _ *request, a answer) (Deletion[T], error) { return Resource[T]{*e}.deletion(a.body) })
}

// DeleteObject is [Resource.Delete] for obj itself: if the object that now has its name has another
// UID, it is not deleted, and the error matches [ErrConflict]. With o.Unchanged the same holds for
// another resource version. An obj without a UID is deleted by name alone. If the resource covers
// all namespaces, obj names its own.
func (r Resource[T]) DeleteObject(ctx context.Context, obj *T, o DeleteOptions) <-chan stream.Result[Deletion[T]] {
	b, e, err := r.encode("delete", obj)
	if err == nil && o.Unchanged && b.metadata.ResourceVersion == "" {
		err = e.bad("delete", b.name(), errors.New("metadata.resourceVersion is missing"))
	}
	if err != nil {
		return stream.Answer(Deletion[T]{}, err)
	}
	if o.UID == "" {
		o.UID = b.metadata.UID
	}
	if o.Unchanged {
		o.ResourceVersion, o.Unchanged = b.metadata.ResourceVersion, false
	}
	return Resource[T]{e}.Delete(ctx, b.name(), o)
}

// deletion reads the answer to a delete.
func (r Resource[T]) deletion(raw []byte) (Deletion[T], error) {
	var d Deletion[T]
	if len(raw) == 0 {
		return d, nil
	}
	if s, ok := readStatus(raw); ok {
		d.Status = s
		return d, nil
	}
	b, err := inspect(raw)
	if err != nil {
		return d, err
	}
	if d.Object, err = r.Decode(raw); err != nil {
		return d, err
	}
	d.Terminating = b.metadata != nil && !wire.IsEmpty(b.metadata.DeletionTimestamp)
	return d, nil
}

// check refuses what no server accepts.
func (o *DeleteOptions) check() error {
	switch o.Propagation {
	case "", Background, Foreground, Orphan:
	default:
		return fmt.Errorf("propagation policy %q is not one of Background, Foreground, Orphan", o.Propagation)
	}
	if o.Unchanged {
		return errors.New("option Unchanged needs an object; ResourceVersion names a version")
	}
	if o.GracePeriodSeconds != nil && *o.GracePeriodSeconds < 0 {
		return errors.New("the grace period is negative")
	}
	return nil
}

// body checks the options and returns what is sent, nil if there is nothing to say.
func (o *DeleteOptions) body(dryRun bool) ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	doc := o.document(dryRun)
	if doc == nil {
		return nil, nil
	}
	return Encode(doc)
}

// deleteDocument is the options as they are sent: in the body, since servers do not read the query
// of a request that has a body.
type deleteDocument struct {
	Kind               string         `json:"kind"`
	APIVersion         string         `json:"apiVersion"`
	PropagationPolicy  Propagation    `json:"propagationPolicy,omitempty"`
	GracePeriodSeconds *int64         `json:"gracePeriodSeconds,omitempty"`
	Preconditions      *preconditions `json:"preconditions,omitempty"`
	DryRun             []string       `json:"dryRun,omitempty"`
}

type preconditions struct {
	UID             string `json:"uid,omitempty"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// document returns the options to be sent, nil if there is nothing to say.
func (o *DeleteOptions) document(dryRun bool) *deleteDocument {
	if *o == (DeleteOptions{}) && !dryRun {
		return nil
	}
	doc := &deleteDocument{
		Kind:               "DeleteOptions",
		APIVersion:         "v1",
		PropagationPolicy:  o.Propagation,
		GracePeriodSeconds: o.GracePeriodSeconds,
	}
	if dryRun {
		doc.DryRun = []string{dryRunAll}
	}
	if o.UID != "" || o.ResourceVersion != "" {
		doc.Preconditions = &preconditions{o.UID, o.ResourceVersion}
	}
	return doc
}
