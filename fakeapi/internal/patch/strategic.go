package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
)

// The directives of a strategic merge patch. The last two are prefixes of the name of a list.
const (
	patchDirective = "$patch"
	retainKeys     = "$retainKeys"
	deleteFrom     = "$deleteFromPrimitiveList/"
	elementOrder   = "$setElementOrder/"
)

// The errors of strategic patches that have an answer of their own; all others are internal errors
// of the server.
var (
	// ErrFormat marks a directive that is not written as it has to be.
	ErrFormat = errors.New("invalid patch format")
	// ErrListOfLists marks a list whose items are lists.
	ErrListOfLists = errors.New("lists of lists are not supported")
	// ErrUnknownOrder marks the order of a list that is not known to be merged. kube-apiserver
	// orders such lists; this package cannot.
	ErrUnknownOrder = errors.New("the order of a list that is not merged")
)

var (
	errDeleteFormat = fmt.Errorf("%w of primitive list", ErrFormat)
	errRetainFormat = fmt.Errorf("%w of retainKeys", ErrFormat)
	errOrderFormat  = fmt.Errorf("%w of setElementOrder list", ErrFormat)
)

// Strategic applies a strategic merge patch to an object, and returns the result. It changes the
// object and the patch.
func Strategic(target, patch map[string]any, schema Schema) (map[string]any, error) {
	switch directive, ok := patch[patchDirective]; {
	case !ok:
	case directive == "replace":
		delete(patch, patchDirective)
		return patch, nil
	case directive == "delete":
		return map[string]any{}, nil
	default:
		return nil, fmt.Errorf("unknown patch type: %v in map: %v", directive, patch)
	}
	if err := applyRetainKeys(target, patch); err != nil {
		return nil, err
	}
	if err := applyElementOrders(target, patch, schema); err != nil {
		return nil, err
	}
	for _, name := range value.Names(patch) {
		if err := mergeMember(target, name, patch[name], schema); err != nil {
			return nil, err
		}
	}
	return target, nil
}

// mergeMember applies what a patch says about one member.
func mergeMember(target map[string]any, name string, v any, schema Schema) error {
	of, deletes := strings.CutPrefix(name, deleteFrom)
	if deletes {
		name = of
	} else if strings.HasPrefix(name, strings.TrimSuffix(deleteFrom, "/")) {
		return errDeleteFormat
	}
	if v == nil {
		delete(target, name)
		return nil
	}
	rule := schema.rule(name)
	old := target[name]
	if o, p, ok := both[map[string]any](old, v); ok {
		merged, err := mergeObject(o, p, rule)
		target[name] = merged
		rule.dropEmpty(target, name)
		return err
	}
	if o, p, ok := both[[]any](old, v); ok {
		if rule.list || deletes {
			var err error
			if p, err = mergeList(o, p, rule, deletes); err != nil {
				return err
			}
		}
		target[name] = p
		rule.dropEmpty(target, name)
		return nil
	}
	if deletes {
		return nil // there is nothing to delete
	}
	setClean(target, name, v)
	rule.dropEmpty(target, name)
	return nil
}

// both returns two values as one type, if both have it.
func both[T any](a, b any) (x, y T, ok bool) {
	x, isX := a.(T)
	y, isY := b.(T)
	return x, y, isX && isY
}

// dropEmpty removes an empty member, if the server does not write it when it is empty.
func (rule memberRule) dropEmpty(m map[string]any, name string) {
	switch m[name].(type) {
	case map[string]any:
		if rule.list {
			return // of a wrong type
		}
	case []any:
		if rule.values {
			return
		}
	}
	if (rule.values || rule.list && !rule.required) && value.IsEmpty(m[name]) {
		delete(m, name)
	}
}

// mergeObject applies a patch to an object that exists.
func mergeObject(old, patch map[string]any, rule memberRule) (map[string]any, error) {
	if rule.replace {
		return patch, nil
	}
	if rule.closed || rule.opaque != "" {
		for _, k := range value.Names(patch) {
			switch patch[k].(type) {
			case map[string]any, []any:
				if sameShape(old[k]) != sameShape(patch[k]) {
					continue
				}
				if rule.closed {
					return nil, errors.New("merging an object in json but data type is not struct, instead is: map")
				}
				return nil, fmt.Errorf("unable to find api field in struct %s for the json field %q", rule.opaque, k)
			}
		}
	}
	return Strategic(old, patch, rule.below)
}

// sameShape distinguishes objects, lists, and the types of other values.
func sameShape(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "list"
	}
	return fmt.Sprintf("%T", v)
}

// setClean sets a member that was missing, or of another type, to the patch without its directives
// and nulls.
func setClean(target map[string]any, name string, v any) {
	value.DropNulls(v)
	if clean, ok := withoutDirectives(v); ok {
		target[name] = clean
	} else {
		delete(target, name)
	}
}

// withoutDirectives removes the directives from a value. The second result reports whether the
// value is more than a directive.
func withoutDirectives(v any) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v[patchDirective]; ok {
			return nil, false
		}
		for k, e := range v {
			if clean, ok := withoutDirectives(e); ok {
				v[k] = clean
			} else {
				delete(v, k)
			}
		}
	case []any:
		out := []any{}
		for _, e := range v {
			if clean, ok := withoutDirectives(e); ok {
				out = append(out, clean)
			}
		}
		return out, true
	}
	return v, true
}

// applyRetainKeys removes all members but those that the directive names.
func applyRetainKeys(target, patch map[string]any) error {
	v, ok := patch[retainKeys]
	if !ok {
		return nil
	}
	delete(patch, retainKeys)
	list, ok := v.([]any)
	if !ok {
		return errRetainFormat
	}
	for k, v := range patch {
		about := v == nil || strings.HasPrefix(k, deleteFrom) || strings.HasPrefix(k, elementOrder)
		if !about && !slices.Contains(list, any(k)) {
			return errRetainFormat
		}
	}
	for k := range target {
		if !slices.Contains(list, any(k)) {
			delete(target, k)
		}
	}
	return nil
}
