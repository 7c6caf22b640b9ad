package shape

import (
	"reflect"
	"slices"
	"strings"
)

// maxDepth bounds the walk into embedded structs, which may embed themselves by pointer.
const maxDepth = 8

// hasName reports whether a field of the struct has a name of its own in JSON. A field without a
// tag has its Go name, in upper case, as no member of a Kubernetes object has.
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

// fieldName returns the name from the tag of a field, "" if it has none, or the struct that is
// embedded there; ok is false for a field that JSON ignores.
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

// stringField finds the string field that a name in JSON leads to: the one that is embedded least
// deeply.
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
