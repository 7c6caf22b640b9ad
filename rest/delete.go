package rest

import (
	"context"
	"errors"
	"net/http"

	"github.com/tideway-go/tideway/rest/internal/wire"
	"github.com/tideway-go/tideway/stream"
)

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
	needContext(ctx)
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
	return run(ctx, e, q, func(e *Endpoint, _ *request, a answer) (Deletion[T], error) {
		return Resource[T]{*e}.deletion(name, a.body)
	})
}

// DeleteObject is [Resource.Delete] for obj itself: if the object that now has its name has another
// UID, it is not deleted, and the error matches [ErrConflict]. With o.Unchanged the same holds for
// another resource version. An obj without a UID is deleted by name alone. If the resource covers
// all namespaces, obj names its own.
func (r Resource[T]) DeleteObject(ctx context.Context, obj *T, o DeleteOptions) <-chan stream.Result[Deletion[T]] {
	needContext(ctx)
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
func (r Resource[T]) deletion(name string, raw []byte) (d Deletion[T], err error) {
	if len(raw) == 0 {
		return d, nil
	}
	if s, ok := readStatus(raw); ok {
		d.Status = s
		return d, nil
	}
	if err := r.endpoint.asks(name).object(raw); err != nil {
		return d, err
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
