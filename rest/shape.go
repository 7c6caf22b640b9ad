package rest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// shape is what is known of a type that objects are decoded into.
type shape struct {
	err              error // why it cannot hold an object
	hasAny           bool  // there may be an any inside
	kind, apiVersion []int // the fields, nil if there are none

	wholeOnce sync.Once
	whole     bool // it holds all members of an object
}

var (
	shapes sync.Map // reflect.Type to *shape; a program has only so many types

	valueType           = reflect.TypeFor[jsontext.Value]()
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	unmarshalerFromType = reflect.TypeFor[json.UnmarshalerFrom]()
)

// shapeOf looks at a type once.
func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{err: checkType(t), hasAny: hasAny(t, map[reflect.Type]bool{})}
	if t.Kind() == reflect.Struct {
		s.kind, s.apiVersion = stringField(t, "kind"), stringField(t, "apiVersion")
	}
	stored, _ := shapes.LoadOrStore(t, s)
	return stored.(*shape)
}

// options returns the options that decode the type.
func (s *shape) options() json.Options {
	if s.hasAny {
		return decodeOptions
	}
	return typedOptions
}

// checkType tells why a type cannot hold an object.
func checkType(t reflect.Type) error {
	if t.Kind() != reflect.Pointer && decodesItself(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return fmt.Errorf("a pointer cannot be asked for: write %v, the answers are pointers to it", t.Elem())
	case reflect.Struct:
		if !hasName(t, 0) {
			return fmt.Errorf("%v cannot hold any of an object's JSON: no field has a json tag", t)
		}
		return nil
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return nil
		}
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return nil
		}
	case reflect.Slice:
		if isRaw(t) {
			return nil
		}
	default:
	}
	return fmt.Errorf("%v cannot hold an object: use a struct with json tags, rest.Object, or a map with string keys", t)
}

// decodesItself tells whether a type has a method to decode it.
func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t != valueType && (p.Implements(unmarshalerType) || p.Implements(unmarshalerFromType))
}

// isRaw tells whether a type is JSON text: jsontext.Value, json.RawMessage.
func isRaw(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 &&
		(t == valueType || reflect.PointerTo(t).Implements(unmarshalerType))
}

// maxDepth bounds the walk into embedded structs, which may embed themselves by
// pointer.
const maxDepth = 8

// hasName tells whether a field of the struct has a name of its own in JSON.
// One without a tag is called after the Go field, in upper case, which no
// member of a Kubernetes object is.
func hasName(t reflect.Type, depth int) bool {
	for f := range t.Fields() {
		name, embedded, ok := fieldName(&f)
		switch {
		case !ok:
		case embedded != nil:
			if depth < maxDepth && (decodesItself(embedded) || hasName(embedded, depth+1)) {
				return true
			}
		case name != "":
			return true
		}
	}
	return false
}

// fieldName returns the name from the tag of a field, "" if it has none, or the
// struct that is embedded there; ok is false for what JSON ignores.
func fieldName(f *reflect.StructField) (name string, embedded reflect.Type, ok bool) {
	tag := f.Tag.Get("json")
	name, _, _ = strings.Cut(tag, ",")
	switch {
	case tag == "-":
		return "", nil, false
	case f.Anonymous && name == "":
		t := f.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Struct {
			return "", t, true
		}
	}
	return name, nil, f.IsExported()
}

// stringField finds the string field that a name in JSON leads to: the one that
// is embedded least deeply.
func stringField(t reflect.Type, want string) []int {
	level := []reflect.StructField{{Type: t}}
	for range maxDepth {
		var next []reflect.StructField
		for _, s := range level {
			for f := range s.Type.Fields() {
				name, embedded, ok := fieldName(&f)
				index := slices.Concat(s.Index, f.Index)
				switch {
				case !ok:
				case embedded != nil && f.Type.Kind() == reflect.Struct:
					next = append(next, reflect.StructField{Type: embedded, Index: index})
				case name == want && f.Type.Kind() == reflect.String:
					return index
				}
			}
		}
		level = next
	}
	return nil
}

// hasAny tells whether values of an interface may be reached from t.
func hasAny(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if reflect.PointerTo(t).Implements(unmarshalerFromType) {
		return true // it may decode more with the options it was given
	}
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return hasAny(t.Elem(), seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if hasAny(f.Type, seen) {
				return true
			}
		}
	default:
	}
	return false
}
