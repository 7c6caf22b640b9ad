package watch

import "cmp"

// maxVersion bounds the length of a resource version, in bytes: the watch keeps one for each
// object.
const maxVersion = 256

// isVersion reports whether a watch can start after v, or an object can have it. "0" stands for any
// version.
func isVersion(v string) bool { return v != "" && v != "0" && len(v) <= maxVersion }

// newer reports whether version a comes after b, which may be "". Versions of API servers are
// decimal numbers and are ordered; about others only equality says something.
func newer(a, b string) bool {
	if !isNumber(a) || !isNumber(b) {
		return a != b
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) > 0
}

// isNumber reports whether v is a decimal number without leading zeros.
func isNumber(v string) bool {
	if v == "" || v[0] == '0' {
		return false
	}
	for i := range len(v) {
		if v[i] < '0' || v[i] > '9' {
			return false
		}
	}
	return true
}
