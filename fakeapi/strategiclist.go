package fakeapi

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// mergeList applies the patch of a list that is there. With deletes, the patch
// names values to be removed.
//
// A list of objects is changed in place, as the real server does: what it takes
// for the old order afterwards is then not quite the old order any more.
func mergeList(old, patch []any, rule mergeRule, deletes bool) ([]any, error) {
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

// ofObjects tells whether lists are of objects. All their items have to be of
// one type.
func ofObjects(lists ...[]any) (bool, error) {
	kind := ""
	for _, list := range lists {
		for _, v := range list {
			switch shape := sameShape(v); {
			case kind == "" && shape == "list":
				return false, errListOfLists
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

// withoutDuplicates keeps one of each value, in the order that the real server
// gives them: a duplicate gives its place to the last one.
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

// applyItemDirectives removes the items that the patch deletes, and all if it
// replaces the list, and returns what is left of both.
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
			value, ok := m[key]
			if !ok {
				return nil, nil, noMergeKey(m, key)
			}
			for i := 0; i < len(left); i++ {
				if hasKey(left[i], key, value) {
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

// hasKey tells whether an item has a value as its key.
func hasKey(v any, key string, value any) bool {
	m, _ := v.(map[string]any)
	have, ok := m[key]
	return ok && same(have, value)
}

// indexOf returns where the item with a key, or the value, is in a list.
func indexOf(list []any, v any, key string) int {
	m, isObject := v.(map[string]any)
	if !isObject {
		return slices.IndexFunc(list, func(e any) bool { return same(e, v) })
	}
	return slices.IndexFunc(list, func(e any) bool { return hasKey(e, key, m[key]) })
}

// mergeItems merges the items by their keys; new ones go to the end.
func mergeItems(old, patch []any, rule mergeRule) ([]any, error) {
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
		merged, err := strategicMerge(have, m, rule.below)
		if err != nil {
			return nil, err
		}
		old[i] = merged
	}
	return old, nil
}

// applyElementOrders merges the lists of which the patch says the order.
func applyElementOrders(target, patch map[string]any, schema mergeSchema) error {
	for _, name := range sortedNames(patch) {
		if !strings.HasPrefix(name, strings.TrimSuffix(elementOrder, "/")) {
			continue
		}
		v := patch[name]
		delete(patch, name)
		order, ok := v.([]any)
		if !ok {
			return notAList(v)
		}
		of, ok := strings.CutPrefix(name, elementOrder)
		if !ok {
			return errOrderFormat
		}
		if err := mergeInOrder(target, patch, of, order, schema.rule(of)); err != nil {
			return err
		}
	}
	return nil
}

// notAList refuses a value where a list has to be, in the words that encoding/json
// has for types.
func notAList(v any) error { return fmt.Errorf("expected a []interface {}, but received a %T", v) }

// mergeInOrder merges one list, and puts it in order.
func mergeInOrder(target, patch map[string]any, name string, order []any, rule mergeRule) error {
	old, had, err := listOf(target, name)
	if err != nil {
		return err
	}
	changes, has, err := listOf(patch, name)
	if err != nil {
		return err
	}
	if !rule.list {
		return errUnknownOrder
	}
	if err := checkOrder(changes, order, rule.key); err != nil {
		return err
	}
	merged := old
	switch {
	case !had && !has:
		return nil
	case has && !had:
		clean, _ := withoutDirectives(changes)
		merged, _ = clean.([]any)
	case has:
		if merged, err = mergeList(old, changes, rule, false); err != nil {
			return err
		}
	}
	if _, err := ofObjects(old, changes); err != nil {
		return err
	}
	if merged, err = ordered(merged, order, order, old, rule.key); err != nil {
		return err
	}
	target[name] = merged
	rule.dropEmpty(target, name)
	delete(patch, name)
	return nil
}

// listOf returns a member that has to be a list, if it is there.
func listOf(m map[string]any, name string) (list []any, ok bool, err error) {
	v, ok := m[name]
	if !ok {
		return nil, false, nil
	}
	list, isList := v.([]any)
	if !isList {
		return nil, true, notAList(v)
	}
	return list, true, nil
}

// checkOrder refuses an order that the items of a patch do not have.
func checkOrder(patch, order []any, key string) error {
	if len(order) == 0 || len(patch) == 0 {
		return nil
	}
	items := slices.DeleteFunc(slices.Clone(patch), func(v any) bool {
		m, _ := v.(map[string]any)
		_, about := m[patchDirective]
		return about
	})
	next := 0
	for _, v := range order {
		if next == len(items) {
			break
		}
		if key != "" {
			for _, e := range []any{items[next], v} {
				m, ok := e.(map[string]any)
				if !ok {
					return fmt.Errorf("expected a map[string]interface {}, but received a %T", e)
				}
				if _, ok := m[key]; !ok {
					return noMergeKey(m, key)
				}
			}
		}
		if indexOf([]any{v}, items[next], key) == 0 {
			next++
		}
	}
	if next < len(items) {
		return fmt.Errorf("The order in patch list:\n%v\n doesn't match $setElementOrder list:\n%v\n", patch, order) //nolint:revive,staticcheck // not our words
	}
	return nil
}

// ordered puts a merged list in order: what is named by the patch in the order
// of the patch, what is only in the old list in its old order, and these two
// together as near to the old order as that allows.
func ordered(merged, named, order, old []any, key string) ([]any, error) {
	var left, right []any
	for _, v := range merged {
		if m, ok := v.(map[string]any); ok {
			if _, ok := m[key]; !ok {
				return nil, noMergeKey(m, key)
			}
		}
		if indexOf(named, v, key) >= 0 {
			right = append(right, v)
		} else {
			left = append(left, v)
		}
	}
	sortBy(right, order, key)
	sortBy(left, old, key)
	out := make([]any, 0, len(merged))
	for len(left) > 0 && len(right) > 0 {
		i, j := indexOf(old, left[0], key), indexOf(old, right[0], key)
		if i >= 0 && i < j {
			out, left = append(out, left[0]), left[1:]
		} else {
			out, right = append(out, right[0]), right[1:]
		}
	}
	return slices.Concat(out, left, right), nil
}

// sortBy sorts a list as another one is. What the other one does not have makes
// this no real order; it is the one that the real server uses.
func sortBy(list, order []any, key string) {
	sort.SliceStable(list, func(i, j int) bool {
		if a := indexOf(order, list[i], key); a >= 0 {
			if b := indexOf(order, list[j], key); b >= 0 {
				return a < b
			}
		}
		return true
	})
}
