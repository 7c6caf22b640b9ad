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
			"%v would drop the members that it does not know; use Patch, Apply or Modify, or rest.Object", reflect.TypeFor[T]()))
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

// Decode decodes an object as the verbs do: kind and apiVersion are filled in if the JSON does not
// set them.
func (r Resource[T]) Decode(raw []byte) (*T, error) {
	v := new(T)
	if err := shape.Of(reflect.TypeFor[T]()).Decode(raw, v); err != nil {
		return nil, err
	}
	r.endpoint.fill(v)
	return v, nil
}

// item decodes the next item of a list into v.
func (r Resource[T]) item(items *itemReader, v *T) error {
	if err := items.decode(v, shape.Of(reflect.TypeFor[T]())); err != nil {
		return err
	}
	r.endpoint.fill(v)
	return nil
}

// fill sets kind and apiVersion in an object, a pointer, that does not set them itself.
func (e *Endpoint) fill(v any) {
	k := e.types()
	if k == nil {
		return
	}
	if m, ok := v.(*PartialObjectMetadata); ok {
		m.as(k)
		return
	}
	shape.Of(reflect.TypeOf(v).Elem()).Fill(v, k.Kind, k.APIVersion())
}

// encode encodes an object to be sent, completes it, and returns the endpoint in its namespace.
func (r Resource[T]) encode(op string, obj *T) (*body, Endpoint, error) {
	e := r.endpoint
	switch {
	case e.Err() != nil:
		return nil, e, e.Err()
	case obj == nil:
		return nil, e, e.bad(op, "", errors.New("the object is nil"))
	}
	raw, err := Encode(obj)
	if err != nil {
		return nil, e, e.bad(op, "", fmt.Errorf("encoding the object: %w", err))
	}
	return e.completeObject(op, raw)
}

// ask sends a request that an object answers.
func (r Resource[T]) ask(ctx context.Context, e Endpoint, q *request) <-chan stream.Result[*T] {
	return run(ctx, e, q, answered[T])
}

// answered decodes an object. A create in a subresource that is answered by a Status of success gives
// what was sent.
func answered[T any](e *Endpoint, q *request, a answer) (*T, error) {
	if e.subresource != "" && q.method == http.MethodPost {
		if _, ok := readStatus(a.body); ok {
			a.body = q.body
		}
	}
	return Resource[T]{*e}.Decode(a.body)
}
