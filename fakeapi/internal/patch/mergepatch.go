package patch

import "github.com/tideway-go/tideway/fakeapi/internal/value"

// Merge applies a merge patch (RFC 7386) to a target, which it changes, and returns the result. A
// nil target is an empty one.
func Merge(target, patch map[string]any) map[string]any {
	if target == nil {
		target = make(map[string]any)
	}
	for k, v := range patch {
		switch v := v.(type) {
		case nil:
			delete(target, k)
		case map[string]any:
			inner, _ := target[k].(map[string]any)
			target[k] = Merge(inner, v)
		default:
			target[k] = value.Clone(v)
		}
	}
	return target
}
