package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/tideway-go/tideway/stream"
)

// Update replaces the object by obj and answers with it as the server stored
// it.
//
// The object needs a name, and is checked and completed as by
// [Resource.Create]. With a resource version in it the update happens only if
// the stored object still has that version; otherwise the error matches
// [ErrConflict].
//
// What T does not know would be lost, so that T has to hold all that an object
// may have: [Object], a map, JSON text, a type that decodes itself, a type of
// k8s.io/api or generated like one (it has a method DeepCopyObject, or Marshal
// and Unmarshal), or a struct that keeps unknown members at every level (a field
// with the tag `json:",embed"`). Any other struct is refused before any
// request, unless [CallOptions].Replace says that this is all there is:
// [Resource.Patch], [Resource.Apply] and [Resource.Modify] leave alone what T
// does not know.
//
// The object is encoded before Update returns: it may be changed afterwards.
func (r Resource[T]) Update(ctx context.Context, obj *T) <-chan stream.Result[*T] {
	return r.update(ctx, obj, false)
}

// UpdateStatus replaces the status of the object, and answers with the object
// as the server stored it.
//
// The whole object is sent, as by [Resource.Update] and of the same types; the
// server takes its status and leaves the rest. It needs a resource version: one
// that is not the stored object's matches [ErrConflict].
func (r Resource[T]) UpdateStatus(ctx context.Context, obj *T) <-chan stream.Result[*T] {
	return Sub[T](r, subStatus).update(ctx, obj, true)
}

func (r Resource[T]) update(ctx context.Context, obj *T, versioned bool) <-chan stream.Result[*T] {
	b, e, err := r.encode("update", obj)
	switch {
	case err != nil:
	case b.metadata.Name == "":
		err = e.bad("update", "", errors.New("metadata.name is missing"))
	case versioned && b.metadata.ResourceVersion == "":
		err = e.bad("update", b.metadata.Name, errors.New("metadata.resourceVersion is missing"))
	case !e.options().Replace && !isWhole(reflect.TypeFor[T]()):
		err = e.bad("update", b.metadata.Name, fmt.Errorf(
			"%v would drop the members that it does not know; use Patch, Apply or Modify, or rest.Object", reflect.TypeFor[T]()))
	}
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	return r.ask(ctx, e, ask{op: "update", method: http.MethodPut, name: b.metadata.Name, body: b.raw, object: true})
}

// isWhole tells whether values of a type hold all members of an object.
func isWhole(t reflect.Type) bool {
	s := shapeOf(t)
	s.wholeOnce.Do(func() { s.whole = holdsAll(t, map[reflect.Type]bool{}) })
	return s.whole
}

// holdsAll looks at a type and at all that can be reached from it.
func holdsAll(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return true // as far as it goes
	}
	seen[t] = true
	if t.Kind() != reflect.Pointer && (decodesItself(t) || isAPIType(t)) {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return holdsAll(t.Elem(), seen)
	case reflect.Struct:
		return keepsUnknown(t) && fieldsHoldAll(t, seen)
	default:
		return true
	}
}

// fieldsHoldAll looks at the fields. What a struct embeds takes its unknown
// members from the struct.
func fieldsHoldAll(t reflect.Type, seen map[reflect.Type]bool) bool {
	for f := range t.Fields() {
		_, embedded, ok := fieldName(&f)
		switch {
		case !ok:
		case embedded != nil && !isAPIType(embedded):
			if !fieldsHoldAll(embedded, seen) {
				return false
			}
		case !holdsAll(f.Type, seen):
			return false
		}
	}
	return true
}
