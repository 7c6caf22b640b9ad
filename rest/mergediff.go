package rest

import (
	"bytes"
	"fmt"
)

// mergeDiff returns the merge patch that turns before into after. Stored is what the server has, of
// which before may hold only a part: an array that differs is replaced as a whole, which must not
// lose what before did not hold.
func mergeDiff(stored any, before, after map[string]any, path string) (map[string]any, error) {
	patch := map[string]any{}
	whole, _ := stored.(map[string]any)
	for name, was := range before {
		if is, ok := after[name]; !ok || is == nil && was != nil {
			patch[name] = nil
		}
	}
	for name, is := range after {
		was, ok := before[name]
		at := path + "." + name
		switch {
		case is == nil, ok && same(was, is):
			continue
		case asMap(was) != nil && asMap(is) != nil:
			inner, err := mergeDiff(whole[name], asMap(was), asMap(is), at)
			if err != nil {
				return nil, err
			}
			if len(inner) > 0 {
				patch[name] = inner
			}
			continue
		case !covers(was, whole[name]):
			return nil, fmt.Errorf("%s would lose fields that its type does not have; use a patch, or rest.Object", at)
		}
		patch[name] = is
	}
	return patch, nil
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// covers reports whether a value has a place for all that the stored one has.
func covers(v, stored any) bool {
	switch stored := stored.(type) {
	case map[string]any:
		m := asMap(v)
		for name, inner := range stored {
			if x, ok := m[name]; inner != nil && (!ok || !covers(x, inner)) {
				return false
			}
		}
	case []any:
		a, _ := v.([]any)
		if len(a) != len(stored) {
			return false
		}
		for i, inner := range stored {
			if !covers(a[i], inner) {
				return false
			}
		}
	}
	return true
}

// same reports whether two values are the same JSON.
func same(a, b any) bool {
	x, err := Encode(a)
	if err != nil {
		return false
	}
	y, err := Encode(b)
	return err == nil && bytes.Equal(x, y)
}
