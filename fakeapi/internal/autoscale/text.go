package autoscale

import (
	"maps"
	"slices"
	"strings"
)

// writer encodes an object whose members are in the order of Go's structs, not sorted.
type writer struct{ out []byte }

// member adds a member, unless it is nil.
func (w *writer) member(name string, v any) {
	if v == nil {
		return
	}
	w.always(name, ordered(v))
}

// always adds a member that is encoded already.
func (w *writer) always(name string, raw []byte) {
	if len(w.out) > 0 {
		w.out = append(w.out, ',')
	}
	w.out = append(encode(w.out, name), ':')
	w.out = append(w.out, raw...)
}

func (w *writer) object() []byte { return append(append([]byte{'{'}, w.out...), '}') }

// structOrder is the order of the members of references and selectors.
var structOrder = []string{"kind", "name", "apiVersion", "matchLabels", "matchExpressions"}

// ordered encodes a member of a metric.
func ordered(v any) []byte {
	m, ok := v.(map[string]any)
	if !ok {
		return encode(nil, v)
	}
	var w writer
	rest := slices.DeleteFunc(slices.Sorted(maps.Keys(m)), func(name string) bool { return slices.Contains(structOrder, name) })
	for _, name := range append(slices.Clone(structOrder), rest...) {
		if m[name] != nil {
			w.always(name, encode(nil, m[name]))
		}
	}
	return w.object()
}

// conditionsText encodes conditions.
func conditionsText(conditions []any) string {
	out := []byte{'['}
	for i, c := range conditions {
		if i > 0 {
			out = append(out, ',')
		}
		m, _ := c.(map[string]any)
		var w writer
		w.member("type", m["type"])
		w.member("status", m["status"])
		w.always("lastTransitionTime", encode(nil, m["lastTransitionTime"]))
		for _, name := range []string{"reason", "message"} {
			if m[name] != "" {
				w.member(name, m[name])
			}
		}
		out = append(out, w.object()...)
	}
	return string(append(out, ']'))
}

// behaviorText encodes a behavior. kube-apiserver writes its inner type, whose members have capital
// letters and are all there.
func behaviorText(behavior map[string]any) string {
	all := func(v any, names []string, nested func(name string, v any) []byte) []byte {
		m, ok := v.(map[string]any)
		if !ok {
			return []byte("null")
		}
		var w writer
		for _, name := range names {
			w.always(strings.ToUpper(name[:1])+name[1:], nested(name, m[name]))
		}
		return w.object()
	}
	plain := func(_ string, v any) []byte { return encode(nil, v) }
	rules := func(name string, v any) []byte {
		policies, ok := v.([]any)
		if name != "policies" || !ok {
			return encode(nil, v)
		}
		out := []byte{'['}
		for i, p := range policies {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, all(p, []string{"type", "value", "periodSeconds"}, plain)...)
		}
		return append(out, ']')
	}
	direction := func(_ string, v any) []byte {
		return all(v, []string{"stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance"}, rules)
	}
	return string(all(behavior, []string{"scaleUp", "scaleDown"}, direction))
}

// lower returns a behavior of an annotation with the names of v2, without what is null.
func lower(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		switch inner := v.(type) {
		case nil:
			continue
		case map[string]any:
			v = lower(inner)
		case []any:
			for i := range inner {
				if e, ok := inner[i].(map[string]any); ok {
					inner[i] = lower(e)
				}
			}
		}
		if k != "" {
			out[strings.ToLower(k[:1])+k[1:]] = v
		}
	}
	return out
}
