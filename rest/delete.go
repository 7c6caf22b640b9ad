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
	// Background deletes the object, and afterwards what it owned.
	Background Propagation = "Background"
	// Foreground deletes what the object owns before the object.
	Foreground Propagation = "Foreground"
	// Orphan leaves what the object owned.
	Orphan Propagation = "Orphan"
)

// DeleteOptions change how an object is deleted. The zero value sends nothing, and the server's defaults
// hold: a Job, for example, orphans its pods.
type DeleteOptions struct {
	// Propagation is Background, Foreground or Orphan. Default: the server's, which depends on the kind.
	Propagation Propagation

	// GracePeriodSeconds is how long the object may take to end, in seconds; 0 deletes at once. Default
	// (nil): what the object says.
	GracePeriodSeconds *int64

	// UID and ResourceVersion are preconditions: an object that has others is not deleted, and the error
	// matches [ErrConflict]. Default: none.
	UID             string
	ResourceVersion string

	// Unchanged is for [Resource.DeleteObject]: the object is deleted only at the resource version that
	// it was passed in with. Default: at any.
	Unchanged bool
}

// Deletion is the answer to a delete that the server accepted.
type Deletion[T any] struct {
	// Object is the object as the server answered with it, nil if it answered with a Status or with
	// nothing.
	Object *T
	// Terminating is set if the answer held the object, marked for deletion: it continues to exist while
	// it has finalizers, or a grace period runs. Only a watch or a get shows that it is gone.
	Terminating bool
	// Status is what the server said instead of an object.
	Status Status
}

// Delete deletes the object called name.
//
// The server may answer with a Status, with the object, or with nothing: all are a success, and
// [Deletion] says which it was. Options that no server accepts are errors before any request. If the
// object does not exist, the error matches [ErrNotFound].
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

// DeleteObject deletes obj itself: an object that now has its name, but another UID, is not deleted, and
// the error matches [ErrConflict]. With o.Unchanged the same holds for another resource version. An obj
// without a UID is deleted by its name alone.
//
// The namespace is that of obj if the resource covers all. Otherwise DeleteObject is [Resource.Delete].
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

// deleteDocument is the options as they are sent: in the body, since servers do not read the query of a
// request that has a body.
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
