package rest

import (
	"encoding/json"
	"math"
	"reflect"
)

// What servers send is decoded into few types. What a program puts into an Object may have any type
// that is encoded as the same JSON.

// memberOf returns a member of a map of any type with strings as keys.
func memberOf(v any, name string) (any, bool) {
	m := reflect.ValueOf(v)
	if m.Kind() != reflect.Map || m.Type().Key().Kind() != reflect.String {
		return nil, false
	}
	member := m.MapIndex(reflect.ValueOf(name).Convert(m.Type().Key()))
	if !member.IsValid() {
		return nil, false
	}
	return member.Interface(), true
}

// stringOf returns the string that v is, of whatever type.
func stringOf(v any) (string, bool) {
	if s, ok := v.(string); ok {
		return s, true
	}
	if _, number := v.(json.Number); number {
		return "", false
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.String {
		return r.String(), true
	}
	return "", false
}

// intOf returns the integer that v is, of whatever type; 0 if it is none.
func intOf(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case json.Number:
		if i, err := n.Int64(); err == nil {
			return i
		}
		f, _ := n.Float64()
		return whole(f)
	}
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return r.Int()
	case r.CanUint():
		if n := r.Uint(); n <= math.MaxInt64 {
			return int64(n)
		}
	case r.CanFloat():
		return whole(r.Float())
	}
	return 0
}

// whole returns the integer that f is, 0 if it is none or too large.
func whole(f float64) int64 {
	const most = 1 << 63
	if f != math.Trunc(f) || f >= most || f < -most {
		return 0
	}
	return int64(f)
}

// sliceOf returns the array that v is, nil if it is none. Bytes are not an array, but a string in
// JSON.
func sliceOf(v any) []any {
	if s, ok := v.([]any); ok {
		return s
	}
	r := reflect.ValueOf(v)
	isArray := r.Kind() == reflect.Array || r.Kind() == reflect.Slice && !r.IsNil()
	if !isArray || r.Type().Elem().Kind() == reflect.Uint8 {
		return nil
	}
	s := make([]any, r.Len())
	for i := range s {
		s[i] = r.Index(i).Interface()
	}
	return s
}

// mapOf returns the object that v is, nil if it is none.
func mapOf(v any) map[string]any {
	switch m := v.(type) {
	case map[string]any:
		return m
	case Object:
		return m
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Map || r.IsNil() || r.Type().Key().Kind() != reflect.String {
		return nil
	}
	m := make(map[string]any, r.Len())
	for i := r.MapRange(); i.Next(); {
		m[i.Key().String()] = i.Value().Interface()
	}
	return m
}
