package patch

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
)

// applyElementOrders merges the lists whose order the patch gives.
func applyElementOrders(target, patch map[string]any, schema Schema) error {
	for _, name := range value.Names(patch) {
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

// notAList refuses a value that has to be a list.
func notAList(v any) error { return fmt.Errorf("expected a []interface {}, but received a %T", v) }

// mergeInOrder merges one list and puts it in order.
func mergeInOrder(target, patch map[string]any, name string, order []any, rule memberRule) error {
	old, had, err := listOf(target, name)
	if err != nil {
		return err
	}
	changes, has, err := listOf(patch, name)
	if err != nil {
		return err
	}
	if !rule.list {
		return ErrUnknownOrder
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

// listOf returns a member that has to be a list, if it exists.
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

// checkOrder refuses an order that the items of the patch do not follow.
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

// ordered puts a merged list in order: the items that the patch names in the order of the patch,
// the others in their old order, and both together as near to the old order as that allows.
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

// sortBy sorts a list as another one is. Items that the other one lacks make this inconsistent; it
// is what kube-apiserver does.
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
