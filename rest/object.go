package rest

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tideway-go/tideway/rest/internal/shape"
)

// Object is an object without a schema: all members that the server sent, as maps, slices, strings,
// bools, and numbers (integers as int64). The accessors take a path of member names.
type Object map[string]any

// UnmarshalJSONFrom decodes an object, or null.
func (o *Object) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	m, err := shape.DecodeMap(dec)
	if err != nil {
		return err
	}
	*o = m
	return nil
}

// UnmarshalJSON decodes an object, or null, for encoding/json.
func (o *Object) UnmarshalJSON(raw []byte) error {
	return shape.Of(reflect.TypeFor[Object]()).Decode(raw, o)
}

// Get returns the value at the path, and whether it exists.
func (o Object) Get(path ...string) (any, bool) {
	var v any = map[string]any(o)
	for _, name := range path {
		switch m := v.(type) {
		case map[string]any:
			v = m[name]
			if _, ok := m[name]; !ok {
				return nil, false
			}
		case Object:
			v = m[name]
			if _, ok := m[name]; !ok {
				return nil, false
			}
		default:
			var ok bool
			if v, ok = memberOf(v, name); !ok {
				return nil, false
			}
		}
	}
	return v, true
}

// String returns the string at the path, "" if there is none.
func (o Object) String(path ...string) string {
	v, _ := o.Get(path...)
	s, _ := stringOf(v)
	return s
}

// Int returns the integer at the path, 0 if there is none.
func (o Object) Int(path ...string) int64 {
	v, _ := o.Get(path...)
	return intOf(v)
}

// Bool returns the bool at the path, false if there is none.
func (o Object) Bool(path ...string) bool {
	v, _ := o.Get(path...)
	b, ok := v.(bool)
	if r := reflect.ValueOf(v); !ok && r.Kind() == reflect.Bool {
		b = r.Bool()
	}
	return b
}

// Slice returns the array at the path, nil if there is none. It is not a copy, unless the program
// has put a slice of another type there, such as []string.
func (o Object) Slice(path ...string) []any {
	v, _ := o.Get(path...)
	return sliceOf(v)
}

// Map returns the object at the path, nil if there is none. It is not a copy, unless the program
// has put a map of another type there, such as map[string]string.
func (o Object) Map(path ...string) map[string]any {
	v, _ := o.Get(path...)
	return mapOf(v)
}

// APIVersion returns the object's apiVersion: "apps/v1".
func (o Object) APIVersion() string { return o.String("apiVersion") }

// Kind returns the object's kind: "Deployment".
func (o Object) Kind() string { return o.String("kind") }

// Name returns the object's name.
func (o Object) Name() string { return o.String("metadata", "name") }

// Namespace returns the object's namespace, "" if it has none.
func (o Object) Namespace() string { return o.String("metadata", "namespace") }

// UID returns the object's unique identifier.
func (o Object) UID() string { return o.String("metadata", "uid") }

// ResourceVersion returns the object's resource version.
func (o Object) ResourceVersion() string { return o.String("metadata", "resourceVersion") }

// Labels returns a copy of the object's labels, never nil.
func (o Object) Labels() map[string]string { return o.stringMap("metadata", "labels") }

// Annotations returns a copy of the object's annotations, never nil.
func (o Object) Annotations() map[string]string { return o.stringMap("metadata", "annotations") }

func (o Object) stringMap(path ...string) map[string]string {
	m := o.Map(path...)
	out := make(map[string]string, len(m))
	for k, v := range m {
		if s, ok := stringOf(v); ok {
			out[k] = s
		}
	}
	return out
}
