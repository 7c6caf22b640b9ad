package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/tideway-go/tideway/stream"
)

// Propagation says what happens to the objects that a deleted one owns.
type Propagation string

// The propagation policies.
const (
	// Background deletes the object, and what it owned afterwards.
	Background Propagation = "Background"
	// Foreground deletes what the object owns before the object.
	Foreground Propagation = "Foreground"
	// Orphan leaves what the object owned.
	Orphan Propagation = "Orphan"
)

// DeleteOptions change how an object is deleted. The zero value sends nothing,
// and the server's defaults hold: a Job, for one, orphans its pods.
type DeleteOptions struct {
	// Propagation is Background, Foreground or Orphan. Default: the server's,
	// which depends on the kind.
	Propagation Propagation

	// GracePeriodSeconds is how long the object may take to end, in seconds; 0
	// deletes at once. Default (nil): what the object says.
	GracePeriodSeconds *int64

	// UID and ResourceVersion are preconditions: an object that has others is
	// not deleted, and the error matches [ErrConflict]. Default: none.
	UID             string
	ResourceVersion string

	// Unchanged is for [Resource.DeleteObject]: the object is deleted only at
	// the resource version that it was handed in with. Default: at any.
	Unchanged bool
}

// Deletion is the answer to a delete that the server accepted.
type Deletion[T any] struct {
	// Object is the object as the server answered with it, nil when it
	// answered with a Status or with nothing.
	Object *T
	// Terminating tells that the answer held the object, marked for deletion:
	// it goes on to exist while it has finalizers, or a grace period runs. That
	// an object is gone only a watch or a get tells.
	Terminating bool
	// Status is what the server said instead of an object.
	Status Status
}

// Delete deletes the object called name.
//
// The server may answer with a Status, with the object, or with nothing: all
// are a success, and [Deletion] tells them apart. Options that no server
// accepts are errors before any request. An object that does not exist matches
// [ErrNotFound].
func (r Resource[T]) Delete(ctx context.Context, name string, o DeleteOptions) <-chan stream.Result[Deletion[T]] {
	e := r.endpoint
	req, err := e.deletion(ctx, name, &o)
	if errors.Is(err, errPending) {
		o = o.clone()
		return later(ctx, r, func(r Resource[T]) <-chan stream.Result[Deletion[T]] { return r.Delete(ctx, name, o) })
	}
	if err != nil {
		return stream.Answer(Deletion[T]{}, err)
	}
	return stream.Go(ctx, func(context.Context) (Deletion[T], error) {
		a, err := e.do("delete", name, req)
		if err != nil {
			return Deletion[T]{}, err
		}
		d, err := r.deletion(a.body)
		if err != nil {
			return d, e.failed("delete", name, fmt.Errorf("decoding the answer: %w", err))
		}
		return d, nil
	})
}

// DeleteObject deletes obj itself: what is called so by now, but has another
// UID, is not deleted, and the error matches [ErrConflict]. With o.Unchanged so
// is what has another resource version. An obj without a UID is deleted by its
// name alone.
//
// The namespace is that of obj where the resource covers all. For the rest it
// is [Resource.Delete].
func (r Resource[T]) DeleteObject(ctx context.Context, obj *T, o DeleteOptions) <-chan stream.Result[Deletion[T]] {
	b, e, err := r.encode("delete", obj)
	if err == nil && o.Unchanged && b.metadata.ResourceVersion == "" {
		err = e.bad("delete", b.metadata.Name, errors.New("metadata.resourceVersion is missing"))
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
	return Resource[T]{e}.Delete(ctx, b.metadata.Name, o)
}

// deletion returns the request that deletes an object.
func (e Endpoint) deletion(ctx context.Context, name string, o *DeleteOptions) (*http.Request, error) {
	err := e.whole("delete")
	if err == nil {
		err = e.checkName("delete", name)
	}
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, e.bad("delete", name, err)
	}
	raw, err := o.encode(e.options().DryRun)
	if err != nil {
		return nil, err
	}
	return e.Request(ctx, http.MethodDelete, name, "", nil, raw)
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
	d.Terminating = b.metadata != nil && !empty(b.metadata.DeletionTimestamp)
	return d, nil
}

// check refuses what no server accepts.
func (o *DeleteOptions) check() error {
	switch o.Propagation {
	case "", Background, Foreground, Orphan:
	default:
		return fmt.Errorf("propagation policy %q is none of Background, Foreground, Orphan", o.Propagation)
	}
	if o.Unchanged {
		return errors.New("option Unchanged needs an object; ResourceVersion names a version")
	}
	if o.GracePeriodSeconds != nil && *o.GracePeriodSeconds < 0 {
		return errors.New("the grace period is negative")
	}
	return nil
}

// clone returns a copy that the caller does not change.
func (o DeleteOptions) clone() DeleteOptions {
	if o.GracePeriodSeconds != nil {
		o.GracePeriodSeconds = new(*o.GracePeriodSeconds)
	}
	return o
}

// encode returns the body of the request, nil when there is nothing to say.
func (o *DeleteOptions) encode(dryRun bool) ([]byte, error) {
	doc := o.document(dryRun)
	if doc == nil {
		return nil, nil
	}
	return Encode(doc)
}

// deleteDocument is the options as they are sent: in the body, since servers do
// not read the query of a request that has one.
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

// document returns the options to be sent, nil when there is nothing to say.
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
