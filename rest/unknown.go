package rest

import (
	"reflect"
	"slices"
	"strings"
)

// keepsUnknown tells whether a struct has a field for the members that no other
// field takes. An embedded struct may have it.
func keepsUnknown(t reflect.Type) bool {
	for f := range t.Fields() {
		_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if slices.Contains(strings.Split(options, ","), "embed") {
			switch f.Type.Kind() {
			case reflect.Map:
				return true
			case reflect.Slice:
				return f.Type == valueType
			default:
			}
		}
		if _, embedded, ok := fieldName(&f); ok && embedded != nil && keepsUnknown(embedded) {
			return true
		}
	}
	return false
}

// wholeType is what the types of this package have that hold all of an object.
type wholeType interface{ wholeObject() }

// generatedTypes have the methods that are generated for the Go types of an API,
// which no module need be imported for.
var generatedTypes = reflect.TypeFor[interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}]()

// isAPIType tells whether a type was made from the description of an API, so
// that it holds all that the API has.
func isAPIType(t reflect.Type) bool {
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[wholeType]()):
		return true
	case t.Name() == "PartialObjectMetadata": // generated, and yet a part of all objects
		return false
	}
	return declares(t, func(p reflect.Type) bool { return p.Implements(generatedTypes) }) ||
		declares(t, func(p reflect.Type) bool {
			m, ok := p.MethodByName("DeepCopyObject")
			return ok && m.Type.NumIn() == 1 && m.Type.NumOut() == 1
		})
}

// declares tells whether a type has methods of its own. Methods that one
// embedded field has may be that field's: a struct of the user's own with the
// metadata of another module in it has them. If two fields have them, none is
// promoted.
func declares(t reflect.Type, has func(reflect.Type) bool) bool {
	if !has(reflect.PointerTo(t)) || t.Kind() != reflect.Struct {
		return false
	}
	n := 0
	for f := range t.Fields() {
		if !f.Anonymous {
			continue
		}
		p := f.Type
		if p.Kind() != reflect.Pointer {
			p = reflect.PointerTo(p)
		}
		if has(p) {
			n++
		}
	}
	return n != 1
}
