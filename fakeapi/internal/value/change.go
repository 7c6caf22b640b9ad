package value

// IsEmpty reports whether a value is what an optional member is left out for: null, or an empty
// string, map or list.
func IsEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// DropNulls removes the members that are null, at any depth.
func DropNulls(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e == nil {
				delete(v, k)
			} else {
				DropNulls(e)
			}
		}
	case []any:
		for _, e := range v {
			DropNulls(e)
		}
	}
}

// Fill adds the members of defaults that are missing, at any depth. Values are copied, not shared.
func Fill(m, defaults map[string]any) {
	for k, v := range defaults {
		have, ok := m[k]
		if !ok {
			m[k] = Clone(v)
			continue
		}
		inner, isMap := have.(map[string]any)
		if d, ok := v.(map[string]any); ok && isMap {
			Fill(inner, d)
		}
	}
}

// Keep sets the named members of m to what they are in old, and removes those that old lacks.
func Keep(m, old map[string]any, names ...string) {
	for _, name := range names {
		if v, ok := old[name]; ok {
			m[name] = v
		} else {
			delete(m, name)
		}
	}
}

// Default sets the member at the path if it is missing or null.
func Default(m map[string]any, v any, path ...string) {
	for _, name := range path[:len(path)-1] {
		next, ok := m[name].(map[string]any)
		if !ok {
			if m[name] != nil {
				return
			}
			next = make(map[string]any)
			m[name] = next
		}
		m = next
	}
	if name := path[len(path)-1]; m[name] == nil {
		m[name] = v
	}
}
