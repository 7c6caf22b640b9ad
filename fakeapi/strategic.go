package fakeapi

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// The directives of a strategic merge patch. The last two stand before the name
// of a list.
const (
	patchDirective = "$patch"
	retainKeys     = "$retainKeys"
	deleteFrom     = "$deleteFromPrimitiveList/"
	elementOrder   = "$setElementOrder/"
)

// What the real server says of a patch that it cannot apply. Those that are not
// of a caller's making get 500 there too.
var (
	errListOfLists  = errors.New("lists of lists are not supported")
	errDeleteFormat = errors.New("invalid patch format of primitive list")
	errRetainFormat = errors.New("invalid patch format of retainKeys")
	errOrderFormat  = errors.New("invalid patch format of setElementOrder list")
	errUnknownOrder = errors.New("the order of a list that is not merged")
)

// strategicProblem is the answer to a patch that cannot be applied.
func strategicProblem(err error) *rest.Status {
	switch {
	case errors.Is(err, errDeleteFormat), errors.Is(err, errRetainFormat), errors.Is(err, errOrderFormat):
		return badRequest("%s", err.Error())
	case errors.Is(err, errListOfLists):
		return unfit()
	case errors.Is(err, errUnknownOrder):
		return notImplemented(err.Error())
	}
	return internal(err.Error())
}

// unfit refuses a patch that does not fit its object. Why, the real server does
// not say.
func unfit() *rest.Status {
	return failure(http.StatusUnprocessableEntity, rest.ReasonInvalid,
		"the server rejected our request due to an error in our request", &rest.StatusDetails{})
}

// readStrategicPatch reads a patch, which has to be an object.
func readStrategicPatch(raw []byte) (map[string]any, *rest.Status) {
	var probe map[string]any
	if err := stdjson.Unmarshal(raw, &probe); err != nil {
		return nil, badRequest("%v", err)
	}
	p, err := rest.Decode[map[string]any](raw)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	return *p, nil
}

// strategicMerge applies a strategic merge patch to an object, which it changes,
// as it does the patch.
func strategicMerge(target, patch map[string]any, schema mergeSchema) (map[string]any, error) {
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
	for _, name := range sortedNames(patch) {
		if err := mergeMember(target, name, patch[name], schema); err != nil {
			return nil, err
		}
	}
	return target, nil
}

// mergeMember applies what a patch says of one member.
func mergeMember(target map[string]any, name string, v any, schema mergeSchema) error {
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

// both tells that two values are of one type.
func both[T any](a, b any) (x, y T, ok bool) {
	x, isX := a.(T)
	y, isY := b.(T)
	return x, y, isX && isY
}

// dropEmpty removes a member that is not written when it is empty.
func (rule mergeRule) dropEmpty(m map[string]any, name string) {
	if (rule.values || rule.list && !rule.required) && isEmpty(m[name]) {
		delete(m, name)
	}
}

// mergeObject applies the patch of an object that is there.
func mergeObject(old, patch map[string]any, rule mergeRule) (map[string]any, error) {
	if rule.replace {
		return patch, nil
	}
	if rule.closed || rule.opaque != "" {
		for _, k := range sortedNames(patch) {
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
	return strategicMerge(old, patch, rule.below)
}

// sameShape tells objects, lists and values apart.
func sameShape(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "list"
	}
	return fmt.Sprintf("%T", v)
}

// setClean sets a member that was not there, or was something else, to what is
// left of the patch without directives and nulls.
func setClean(target map[string]any, name string, v any) {
	dropNulls(v)
	if clean, ok := withoutDirectives(v); ok {
		target[name] = clean
	} else {
		delete(target, name)
	}
}

// withoutDirectives removes what is only said about other things. The second
// result tells whether the value is more than that.
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

// applyRetainKeys removes all but the members that the directive names.
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
