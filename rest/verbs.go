package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/tideway-go/tideway/rest/internal/shape"
	"github.com/tideway-go/tideway/stream"
)

// Get answers with the object called name. If it does not exist, the error matches [ErrNotFound].
func (r Resource[T]) Get(ctx context.Context, name string) <-chan stream.Result[*T] {
	needContext(ctx)
	return r.ask(ctx, r.endpoint, &request{op: "get", method: http.MethodGet, name: name})
}

// Create stores a new object and answers with it as stored.
//
// The object needs a name or a generateName, unless its kind can only be created, as reviews are.
// Missing apiVersion and kind are filled in; if the resource covers all namespaces, the object
// names its own. A nil, a list, a value without metadata, and an object of another kind or
// namespace are errors before any request. If the object exists, the error matches
// [ErrAlreadyExists].
func (r Resource[T]) Create(ctx context.Context, obj *T) <-chan stream.Result[*T] {
	needContext(ctx)
	b, e, err := r.encode("create", obj)
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	q := &request{op: "create", method: http.MethodPost, name: b.name(), body: b.raw, object: true}
	if e.subresource == "" {
		if q.name == "" && b.metadata.GenerateName == "" && !e.isReview() {
			err = e.bad("create", "", errors.New("metadata.name and metadata.generateName are missing"))
			return stream.Answer[*T](nil, err)
		}
		q.collection = true
		q.shown = cmp.Or(q.name, b.metadata.GenerateName+"*")
	}
	return r.ask(ctx, e, q)
}

// Update replaces the object by obj and answers with it as stored.
//
// The object needs a name, and is checked and completed as by [Resource.Create]. If it has a
// resource version that is not that of the stored object, the error matches [ErrConflict].
//
// Fields that T does not have would be lost. T must therefore hold a whole object: [Object], a map,
// JSON text, a type that decodes itself, a type of k8s.io/api or generated like one (with
// DeepCopyObject, or Marshal and Unmarshal), or a struct that keeps unknown members at every level
// (tag `json:",embed"`). Other structs are refused unless [CallOptions].Replace is set.
// [Resource.Patch], [Resource.Apply] and [Resource.Modify] do not touch such fields.
func (r Resource[T]) Update(ctx context.Context, obj *T) <-chan stream.Result[*T] {
	needContext(ctx)
	return r.update(ctx, obj, false)
}

// UpdateStatus replaces the status of the object, and answers with the object as stored. It sends
// the whole object, as [Resource.Update] does; the server ignores all but the status. The object
// needs a resource version: if it is not that of the stored object, the error matches
// [ErrConflict].
func (r Resource[T]) UpdateStatus(ctx context.Context, obj *T) <-chan stream.Result[*T] {
	needContext(ctx)
	return Sub[T](r, subStatus).update(ctx, obj, true)
}

func (r Resource[T]) update(ctx context.Context, obj *T, versioned bool) <-chan stream.Result[*T] {
	b, e, err := r.encode("update", obj)
	switch {
	case err != nil:
	case b.name() == "":
		err = e.bad("update", "", errors.New("metadata.name is missing"))
	case versioned && b.metadata.ResourceVersion == "":
		err = e.bad("update", b.name(), errors.New("metadata.resourceVersion is missing"))
	case !e.options().Replace && !isWhole(obj):
		err = e.bad("update", b.name(), fmt.Errorf(
			"%v would drop the fields that it does not have; use Patch, Apply or Modify, or rest.Object", reflect.TypeFor[T]()))
	}
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	return r.ask(ctx, e, &request{op: "update", method: http.MethodPut, name: b.name(), body: b.raw, object: true})
}

// isWhole reports whether nothing is lost when obj, a pointer, is sent back.
func isWhole(obj any) bool {
	if _, ok := obj.(*Scale); ok {
		return true
	}
	return shape.Of(reflect.TypeOf(obj).Elem()).Whole()
}

// Patch changes the object called name by p, and answers with the object as stored. A document that
// is not a patch of its type is an error before any request.
func (r Resource[T]) Patch(ctx context.Context, name string, p Patch) <-chan stream.Result[*T] {
	needContext(ctx)
	return r.ask(ctx, r.endpoint, &request{op: "patch", method: http.MethodPatch, name: name, patch: &p})
}

// PatchObject is [Resource.Patch] for the object with the name of obj, and its namespace if the
// resource covers all. Nothing else of obj is sent.
func (r Resource[T]) PatchObject(ctx context.Context, obj *T, p Patch) <-chan stream.Result[*T] {
	needContext(ctx)
	b, e, err := r.encode("patch", obj)
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	return Resource[T]{e}.Patch(ctx, b.name(), p)
}

// PatchStatus is [Resource.Patch] for the status: it changes the subresource.
func (r Resource[T]) PatchStatus(ctx context.Context, name string, p Patch) <-chan stream.Result[*T] {
	needContext(ctx)
	return Sub[T](r, subStatus).Patch(ctx, name, p)
}
