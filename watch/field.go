package watch

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// FieldIs is met by an object whose JSON has this value at the path of member names; an element of
// an array is named by its index: FieldIs("Bound", "status", "phase"). Values are equal if their
// JSON is. Since servers leave out what is zero, an absent field equals nil, 0, "" and false.
//
// What the field holds instead is shown in errors only below status, where no secrets belong.
func FieldIs[T any](value any, path ...string) Condition[T] {
	f := field{path: slices.Clone(path)}
	raw, err := rest.Encode(value)
	if err == nil {
		var want *any
		if want, err = rest.Decode[any](raw); err == nil {
			f.want = *want
		}
	}
	f.sample = f.sampled(raw)
	return func(ev Event[T]) Answer {
		switch {
		case err != nil:
			return invalid("FieldIs: the value cannot be encoded: %w", err)
		case len(f.path) == 0:
			return invalid("FieldIs needs a path, as in status, phase")
		}
		if answer, over := absent(ev); over {
			return answer
		}
		object, wrong := read(ev, f.sample, func(v *any) any { return f.of(*v) })
		if object == nil {
			return wrong
		}
		return f.judge(f.of(*object))
	}
}

// field is a value that a path of the JSON of an object is to have.
type field struct {
	path   []string
	want   any
	sample string
}

// isZero reports whether a value is what an absent field stands for.
func isZero(v any) bool { return v == nil || reflect.ValueOf(v).IsZero() }

// sampled returns JSON with a value of this type at the path, to find out what a type can hold. The
// value is not zero, since many types leave that out. Arrays may have any length: none is tried.
func (f *field) sampled(value []byte) string {
	switch f.want.(type) {
	case nil:
		return "{}"
	case string:
		value = []byte(`"x"`)
	case bool:
		value = []byte("true")
	case int64, uint64, float64:
		if isZero(f.want) {
			value = []byte("1")
		}
	}
	sample := string(value)
	for _, member := range slices.Backward(f.path) {
		name, err := rest.Encode(member)
		if _, index := strconv.Atoi(member); index == nil || err != nil {
			return "{}"
		}
		sample = "{" + string(name) + ":" + sample + "}"
	}
	return sample
}

// of returns the value at the path, nil if there is none.
func (f *field) of(v any) any {
	for _, name := range f.path {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i, err := strconv.Atoi(name)
			if v = nil; err == nil && i >= 0 && i < len(in) {
				v = in[i]
			}
		default:
			return nil
		}
	}
	return v
}

func (f *field) judge(got any) Answer {
	name := strings.Join(f.path, ".")
	switch {
	case same(got, f.want), got == nil && isZero(f.want):
		return Answer{Met: true}
	case got == nil:
		return Answer{Missing: name + " is not there"}
	case f.path[0] != "status":
		return Answer{Missing: name + " has another value"}
	}
	const most = 100
	text := fmt.Sprint(got)
	if len(text) > most {
		text = text[:most] + "..."
	}
	return Answer{Missing: name + " is " + text}
}
