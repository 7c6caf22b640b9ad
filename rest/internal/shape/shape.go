// Package shape knows how much of an object a Go type can hold: whether its JSON fits at all, where
// kind and apiVersion go, and whether nothing is lost when a value is sent back. It decodes and
// encodes with the options of the library.
package shape

import (
	stdjson "encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Shape is what is known of a type that objects are decoded into.
type Shape struct {
	// Err says why the type cannot hold an object; nil if it can.
	Err error

	typ              reflect.Type
	hasAny           bool  // there may be an any, or a json.Number, inside
	kind, apiVersion []int // the fields, nil if there are none

	wholeOnce sync.Once
	whole     bool // it holds all members of an object
}

var (
	shapes sync.Map // reflect.Type to *Shape; a program has a limited number of types

	numberType          = reflect.TypeFor[stdjson.Number]()
	valueType           = reflect.TypeFor[jsontext.Value]()
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	unmarshalerFromType = reflect.TypeFor[json.UnmarshalerFrom]()
)

// Of looks at a type once.
func Of(t reflect.Type) *Shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*Shape)
	}
	s := &Shape{Err: checkType(t), typ: t, hasAny: hasAny(t, map[reflect.Type]bool{})}
	if t.Kind() == reflect.Struct {
		s.kind, s.apiVersion = stringField(t, "kind"), stringField(t, "apiVersion")
	}
	stored, _ := shapes.LoadOrStore(t, s)
	return stored.(*Shape)
}

// checkType says why a type cannot hold an object.
func checkType(t reflect.Type) error {
	if t.Kind() != reflect.Pointer && decodesItself(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return fmt.Errorf("the type is a pointer: write %v, answers are pointers to it", t.Elem())
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

// decodesItself reports whether a type has a method that decodes it.
func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t != valueType && (p.Implements(unmarshalerType) || p.Implements(unmarshalerFromType))
}

// isRaw reports whether a type is JSON text: jsontext.Value, json.RawMessage.
func isRaw(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 &&
		(t == valueType || reflect.PointerTo(t).Implements(unmarshalerType))
}

// hasAny reports whether values of an interface, or a json.Number, may be reached from t.
func hasAny(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if t == numberType || reflect.PointerTo(t).Implements(unmarshalerFromType) {
		return true // the latter may decode more with the options it was given
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
