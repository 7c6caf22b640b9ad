// Package value copies, compares and encodes the values that JSON decodes to: maps, lists, strings,
// numbers (int64 where they are whole), booleans and nil.
package value

import (
	"encoding/json"
	"maps"
	"slices"
)

// Clone copies a value, however deep it is.
func Clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return CloneMap(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = Clone(e)
		}
		return out
	}
	return v
}

// CloneMap copies a map, however deep it is.
func CloneMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = Clone(v)
	}
	return out
}

// Same reports whether two values are the same JSON.
func Same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && SameMap(x, y)
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, Same)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// SameMap reports whether two maps are the same JSON, apart from the members that are named.
func SameMap(a, b map[string]any, except ...string) bool {
	for k, v := range a {
		if slices.Contains(except, k) {
			continue
		}
		if w, ok := b[k]; !ok || !Same(v, w) {
			return false
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok && !slices.Contains(except, k) {
			return false
		}
	}
	return true
}

// Names returns the keys of a map in order.
func Names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Encode encodes with the members of maps in order. It panics on what JSON cannot express, which a
// decoded value never contains.
func Encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("fakeapi: " + err.Error())
	}
	return raw
}

// AppendObject appends the members of a map and the closing brace: first the members named in
// order, then the others sorted.
func AppendObject(out []byte, m map[string]any, order []string) []byte {
	names := make([]string, 0, len(m))
	for _, k := range order {
		if _, ok := m[k]; ok {
			names = append(names, k)
		}
	}
	known := len(names)
	for k := range m {
		if !slices.Contains(order, k) {
			names = append(names, k)
		}
	}
	slices.Sort(names[known:])
	for i, k := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, Encode(k)...), ':')
		out = append(out, Encode(m[k])...)
	}
	return append(out, '}')
}
