package shape

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/tideway-go/tideway/rest/internal/wire"
)

// SetZeros puts the fields of v into after, its JSON, that before has and that are missing there
// because they hold the zero value of a type that cannot mean "absent": false, 0, "", a struct.
// What can be nil, and what encodes itself, stays away.
func SetZeros(v any, before, after any) { setZeros(reflect.ValueOf(v), before, after) }

func setZeros(v reflect.Value, before, after any) {
	if v = plainValue(v); !v.IsValid() {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		b, wasMap := before.(map[string]any)
		a, isMap := after.(map[string]any)
		if wasMap && isMap {
			setFields(v, b, a, map[string]bool{})
		}
	case reflect.Map:
		b, _ := before.(map[string]any)
		a, _ := after.(map[string]any)
		if v.Type().Key().Kind() != reflect.String || encodesItself(v.Type().Key()) {
			return
		}
		for entries := v.MapRange(); entries.Next(); {
			name := entries.Key().String()
			setZeros(entries.Value(), b[name], a[name])
		}
	case reflect.Slice, reflect.Array:
		b, _ := before.([]any)
		a, _ := after.([]any)
		if len(a) != v.Len() {
			return
		}
		for i := range a {
			setZeros(v.Index(i), counterpart(b, a, i), a[i])
		}
	default:
	}
}

// plainValue follows pointers and interfaces to a value that does not encode itself; the result is
// not valid if there is none.
func plainValue(v reflect.Value) reflect.Value {
	for v.IsValid() && !encodesItself(v.Type()) {
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
			return v
		}
		v = v.Elem()
	}
	return reflect.Value{}
}

// setFields looks at the fields of a struct; those that are embedded less deeply come first.
func setFields(v reflect.Value, before, after map[string]any, done map[string]bool) {
	var embedded []reflect.Value
	for f, value := range v.Fields() {
		name, inner, ok := fieldName(&f)
		switch {
		case !ok:
			continue
		case inner != nil:
			if value = plainValue(value); value.IsValid() {
				embedded = append(embedded, value)
			}
			continue
		case name == "":
			name = f.Name
		}
		if done[name] {
			continue
		}
		done[name] = true
		setField(&f, name, value, before, after)
	}
	for _, e := range embedded {
		setFields(e, before, after, done)
	}
}

// setField puts one field into after, if it belongs there, and looks into it.
func setField(f *reflect.StructField, name string, v reflect.Value, before, after map[string]any) {
	was := before[name]
	if _, has := after[name]; !has && was != nil && isPlainZero(f, v) {
		if zero, ok := encodedField(f, v); ok {
			after[name] = zero
		}
	}
	if after[name] != nil {
		setZeros(v, was, after[name])
	}
}

// isPlainZero reports whether a field was left out because it holds a zero that does not mean that
// nothing is there.
func isPlainZero(f *reflect.StructField, v reflect.Value) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	omits := strings.Split(options, ",")
	if !slices.Contains(omits, "omitempty") && !slices.Contains(omits, "omitzero") {
		return false
	}
	if t := v.Type(); encodesItself(t) || t.Implements(isZeroType) || reflect.PointerTo(t).Implements(isZeroType) {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface, reflect.Func, reflect.Chan:
		return false
	default:
		return v.IsZero()
	}
}

// encodedField returns the JSON of a field as it is written if it is not left out.
func encodedField(f *reflect.StructField, v reflect.Value) (any, bool) {
	tag := `json:"x"`
	if _, options, _ := strings.Cut(f.Tag.Get("json"), ","); slices.Contains(strings.Split(options, ","), "string") {
		tag = `json:"x,string"`
	}
	one := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "X", Type: f.Type, Tag: reflect.StructTag(tag)}})).Elem()
	one.Field(0).Set(v)
	raw, err := Encode(one.Interface())
	if err != nil {
		return nil, false
	}
	encoded, err := wire.ParseAny(raw)
	if err != nil {
		return nil, false
	}
	return encoded.(map[string]any)["x"], true
}

// counterpart returns what an element of an array was before: the element of the same name, or, if
// elements have no names and there are as many as before, the one in the same place.
func counterpart(before, after []any, i int) any {
	m, ok := after[i].(map[string]any)
	if !ok {
		return nil
	}
	if name, ok := m["name"].(string); ok && name != "" {
		for _, b := range before {
			if o, ok := b.(map[string]any); ok && o["name"] == name {
				return b
			}
		}
		return nil
	}
	if len(before) == len(after) {
		return before[i]
	}
	return nil
}

var (
	isZeroType  = reflect.TypeFor[interface{ IsZero() bool }]()
	encoderType = []reflect.Type{
		reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler](),
		reflect.TypeFor[jsonv2.MarshalerTo](), reflect.TypeFor[encoding.TextAppender](),
	}
)

// encodesItself reports whether a type has a method that encodes it.
func encodesItself(t reflect.Type) bool {
	for _, e := range encoderType {
		if t.Implements(e) || t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(e) {
			return true
		}
	}
	return false
}
