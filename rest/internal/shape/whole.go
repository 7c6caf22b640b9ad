package shape

import (
	"reflect"
	"slices"
	"strings"
)

// Whole reports whether values of the type hold all members of an object, so that sending one back
// loses nothing.
func (s *Shape) Whole() bool {
	s.wholeOnce.Do(func() { s.whole = holdsAll(s.typ, map[reflect.Type]bool{}) })
	return s.whole
}

// holdsAll looks at a type and at all that can be reached from it.
func holdsAll(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return true // the walk is deep enough
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

// fieldsHoldAll looks at the fields. An embedded struct leaves its unknown members to the struct
// around it.
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

// keepsUnknown reports whether a struct has a field for the members that no other field takes. An
// embedded struct may have it.
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

// generatedTypes have the methods that are generated for the Go types of an API. Asking for methods
// needs no import.
var generatedTypes = reflect.TypeFor[interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}]()

// isAPIType reports whether a type was generated from an API, so that it holds all that the API
// has.
func isAPIType(t reflect.Type) bool {
	if t.Name() == "PartialObjectMetadata" { // generated, and yet only a part of an object
		return false
	}
	return declares(t, func(p reflect.Type) bool { return p.Implements(generatedTypes) }) ||
		declares(t, func(p reflect.Type) bool {
			m, ok := p.MethodByName("DeepCopyObject")
			return ok && m.Type.NumIn() == 1 && m.Type.NumOut() == 1
		})
}

// declares reports whether a type has methods of its own. If one embedded field has the methods,
// they may be promoted from it, as in a user's struct that embeds the metadata of another module.
// If two fields have them, none are promoted.
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
