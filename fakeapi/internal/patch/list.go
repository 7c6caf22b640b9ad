package patch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
)

// mergeList applies a patch to a list that exists. With deletes, the patch names values to remove.
//
// A list of objects is changed in place, as kube-apiserver does: what it then takes for the old
// order is no longer quite the old order.
func mergeList(old, patch []any, rule memberRule, deletes bool) ([]any, error) {
	if len(old) == 0 && len(patch) == 0 {
		return old, nil
	}
	objects, err := ofObjects(old, patch)
	if err != nil {
		return nil, err
	}
	var merged []any
	switch {
	case !objects && deletes:
		return slices.DeleteFunc(old, func(v any) bool { return slices.Contains(patch, v) }), nil
	case !objects:
		merged = withoutDuplicates(slices.Concat(old, patch))
	case rule.key == "":
		return nil, errors.New("cannot merge lists without merge key for struct")
	default:
		if old, patch, err = applyItemDirectives(old, patch, rule.key); err != nil {
			return nil, err
		}
		if merged, err = mergeItems(old, patch, rule); err != nil {
			return nil, err
		}
	}
	return ordered(merged, patch, patch, old, rule.key)
}

// ofObjects reports whether lists contain objects. All their items have to be of one type.
func ofObjects(lists ...[]any) (bool, error) {
	kind := ""
	for _, list := range lists {
		for _, v := range list {
			switch shape := sameShape(v); {
			case kind == "" && shape == "list":
				return false, ErrListOfLists
			case kind == "":
				kind = shape
			case kind != shape:
				return false, fmt.Errorf("list element types are not identical: %v", fmt.Sprint(lists))
			}
		}
	}
	if kind == "" {
		return false, errors.New("no elements in any of the given slices")
	}
	return kind == "object", nil
}

// withoutDuplicates keeps one of each value, in the order of kube-apiserver: the last item takes
// the place of a duplicate.
func withoutDuplicates(list []any) []any {
	for i := 0; i < len(list)-1; i++ {
		for j := i + 1; j < len(list); j++ {
			if list[i] == list[j] {
				list[j] = list[len(list)-1]
				list = list[:len(list)-1]
				j--
			}
		}
	}
	return list
}

// applyItemDirectives removes the items that the patch deletes, or all of them if it replaces the
// list. It returns what is left of the list and of the patch.
func applyItemDirectives(old, patch []any, key string) (left, rest []any, err error) {
	rest, left = []any{}, old
	replaces := false
	for _, v := range patch {
		m, _ := v.(map[string]any)
		switch directive, ok := m[patchDirective]; {
		case !ok:
			rest = append(rest, v)
		case directive == "replace":
			replaces = true
		case directive == "delete":
			gone, ok := m[key]
			if !ok {
				return nil, nil, noMergeKey(m, key)
			}
			for i := 0; i < len(left); i++ {
				if hasKey(left[i], key, gone) {
					left = append(left[:i], left[i+1:]...) // the end is not cleared
					i--
				}
			}
		case directive == "merge":
			return nil, nil, errors.New("merging lists cannot yet be specified in the patch")
		default:
			return nil, nil, fmt.Errorf("unknown patch type: %v in map: %v", directive, m)
		}
	}
	if replaces {
		return rest, nil, nil
	}
	return left, rest, nil
}

func noMergeKey(m map[string]any, key string) error {
	return fmt.Errorf("map: %v does not contain declared merge key: %s", m, key)
}

// hasKey reports whether the key of an item has a value.
func hasKey(v any, key string, want any) bool {
	m, _ := v.(map[string]any)
	have, ok := m[key]
	return ok && value.Same(have, want)
}

// indexOf returns the index of the item with the same key, or of the same value, in a list.
func indexOf(list []any, v any, key string) int {
	m, isObject := v.(map[string]any)
	if !isObject {
		return slices.IndexFunc(list, func(e any) bool { return value.Same(e, v) })
	}
	return slices.IndexFunc(list, func(e any) bool { return hasKey(e, key, m[key]) })
}

// mergeItems merges the items by their keys; new ones go to the end.
func mergeItems(old, patch []any, rule memberRule) ([]any, error) {
	for _, v := range patch {
		m, _ := v.(map[string]any)
		if _, ok := m[rule.key]; !ok {
			return nil, noMergeKey(m, rule.key)
		}
		i := indexOf(old, v, rule.key)
		if i < 0 {
			old = append(old, v)
			continue
		}
		have, _ := old[i].(map[string]any)
		merged, err := Strategic(have, m, rule.below)
		if err != nil {
			return nil, err
		}
		old[i] = merged
	}
	return old, nil
}
