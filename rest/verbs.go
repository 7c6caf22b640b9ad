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

// Get answers with the object called name.
//
// An empty name, and one that would reach another path, is an error before any request. If the object
// does not exist, the error matches [ErrNotFound].
func (r Resource[T]) Get(ctx context.Context, name string) <-chan stream.Result[*T] {
	return r.ask(ctx, r.endpoint, &request{op: "get", method: http.MethodGet, name: name})
}

// Create stores a new object and answers with it as the server stored it.
//
// The object needs a name or a generateName. Missing apiVersion and kind are filled in; a resource
// that covers all namespaces takes the namespace from the object. A nil, a list, a value without
// metadata, and an object that contradicts the resource are errors before any request. If the object
// exists, the error matches [ErrAlreadyExists].
//
// The object is encoded before Create returns: it may be changed afterwards.
func (r Resource[T]) Create(ctx context.Context, obj *T) <-chan stream.Result[*T] {
	b, e, err := r.encode("create", obj)
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	q := &request{op: "create", method: http.MethodPost, name: b.name(), body: b.raw, object: true}
	if e.subresource == "" {
		if q.name == "" && b.metadata.GenerateName == "" {
			err = e.bad("create", "", errors.New("metadata.name and metadata.generateName are missing"))
			return stream.Answer[*T](nil, err)
		}
		q.collection = true
		q.shown = cmp.Or(q.name, b.metadata.GenerateName+"*")
	}
	return r.ask(ctx, e, q)
}

// Update replaces the object by obj and answers with it as the server stored it.
//
// The object needs a name, and is checked and completed as by [Resource.Create]. If it has a resource
// version, the update happens only if the stored object still has that version; otherwise the error
// matches [ErrConflict].
//
// What T cannot hold would be lost. T therefore has to hold all that an object may have: [Object], a
// map, JSON text, a type that decodes itself, a type of k8s.io/api or generated like one (it has a
// method DeepCopyObject, or Marshal and Unmarshal), or a struct that keeps unknown members at every
// level (a field with the tag `json:",embed"`). Any other struct is refused before any request, unless
// [CallOptions].Replace says that this is all there is. [Resource.Patch], [Resource.Apply] and
// [Resource.Modify] leave alone what T does not know.
//
// The object is encoded before Update returns: it may be changed afterwards.
func (r Resource[T]) Update(ctx context.Context, obj *T) <-chan stream.Result[*T] {
	return r.update(ctx, obj, false)
}

// UpdateStatus replaces the status of the object, and answers with the object as the server stored
// it.
//
// The whole object is sent, as by [Resource.Update] and with the same types; the server takes its
// status and ignores the rest. It needs a resource version: if that is not the stored object's, the
// error matches [ErrConflict].
func (r Resource[T]) UpdateStatus(ctx context.Context, obj *T) <-chan stream.Result[*T] {
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

// Patch changes the object called name by the document of p, which is sent unchanged, and answers with
// the object as the server stored it.
//
// A document that is not a patch of its type is an error before any request. It is encoded when the
// patch is made: it may be changed afterwards.
func (r Resource[T]) Patch(ctx context.Context, name string, p Patch) <-chan stream.Result[*T] {
	return r.ask(ctx, r.endpoint, &request{op: "patch", method: http.MethodPatch, name: name, patch: &p})
}

// PatchObject is [Resource.Patch] for the object that obj names: by its name, and by its namespace if
// the resource covers all. Nothing else of obj is sent.
func (r Resource[T]) PatchObject(ctx context.Context, obj *T, p Patch) <-chan stream.Result[*T] {
	b, e, err := r.encode("patch", obj)
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	return Resource[T]{e}.Patch(ctx, b.name(), p)
}

// PatchStatus is [Resource.Patch] for the status of the object: it changes the subresource.
func (r Resource[T]) PatchStatus(ctx context.Context, name string, p Patch) <-chan stream.Result[*T] {
	return Sub[T](r, subStatus).Patch(ctx, name, p)
}
