package valid

import (
	"regexp"
	"strings"
)

const (
	labelFormat     = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
	subdomainFormat = labelFormat + `(\.` + labelFormat + ")*"
	qualifiedFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
	keyFormat       = "[-._a-zA-Z0-9]+"
	valueFormat     = "(" + qualifiedFormat + ")?"
)

var (
	labelPattern     = regexp.MustCompile("^" + labelFormat + "$")
	subdomainPattern = regexp.MustCompile("^" + subdomainFormat + "$")
	qualifiedPattern = regexp.MustCompile("^" + qualifiedFormat + "$")
	keyPattern       = regexp.MustCompile("^" + keyFormat + "$")
	valuePattern     = regexp.MustCompile("^" + valueFormat + "$")
)

// Subdomain returns what is wrong with a name that has to be a DNS subdomain.
func Subdomain(name string) []string {
	var out []string
	if len(name) > 253 {
		out = append(out, "must be no more than 253 characters")
	}
	if !subdomainPattern.MatchString(name) {
		out = append(out, "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "+
			"and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '"+subdomainFormat+"')")
	}
	return out
}

// Label returns what is wrong with a name that has to be a DNS label.
func Label(name string) []string {
	var out []string
	if len(name) > 63 {
		out = append(out, "must be no more than 63 characters")
	}
	if !labelPattern.MatchString(name) {
		if subdomainPattern.MatchString(name) {
			return append(out, "must not contain dots")
		}
		out = append(out, "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "+
			"and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '"+labelFormat+"')")
	}
	return out
}

// Segment returns what is wrong with a name that has to be a segment of a path.
func Segment(name string) []string {
	if name == "." || name == ".." {
		return []string{"may not be '" + name + "'"}
	}
	var out []string
	for _, c := range []string{"/", "%"} {
		if strings.Contains(name, c) {
			out = append(out, "may not contain '"+c+"'")
		}
	}
	return out
}

// Qualified returns what is wrong with a name that may have a prefix, such as a key of a label.
func Qualified(name string) []string {
	var out []string
	const rule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
		"with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '" + qualifiedFormat + "')"
	if prefix, last, ok := strings.Cut(name, "/"); ok {
		switch {
		case strings.Contains(last, "/"):
			return []string{"a valid label key " + rule + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}
		case prefix == "":
			out = append(out, "prefix part must be non-empty")
		default:
			for _, p := range Subdomain(prefix) {
				out = append(out, "prefix part "+strings.Replace(p, "253 characters", "253 bytes", 1))
			}
		}
		name = last
	}
	switch {
	case name == "":
		out = append(out, "name part must be non-empty")
	case len(name) > 63:
		out = append(out, "name part must be no more than 63 bytes")
	}
	if !qualifiedPattern.MatchString(name) {
		out = append(out, "name part "+rule)
	}
	return out
}

// LabelValue returns what is wrong with the value of a label, or "".
func LabelValue(v string) string {
	switch {
	case !valuePattern.MatchString(v):
		return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
			"with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '" + valueFormat + "')"
	case len(v) > 63:
		return "must be no more than 63 bytes"
	}
	return ""
}

// LabelValues returns everything that is wrong with the value of a label.
func LabelValues(v string) []string {
	var out []string
	if len(v) > 63 {
		out = append(out, "must be no more than 63 bytes")
	}
	if !valuePattern.MatchString(v) {
		out = append(out, LabelValue(v))
	}
	return out
}

// DataKey returns what is wrong with a key of the data of a ConfigMap or a Secret.
func DataKey(k string) []string {
	var out []string
	if len(k) > 253 {
		out = append(out, "must be no more than 253 characters")
	}
	if !keyPattern.MatchString(k) {
		out = append(out, "a valid config key must consist of alphanumeric characters, "+
			"'-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '"+keyFormat+"')")
	}
	switch {
	case k == ".", k == "..":
		out = append(out, "must not be '"+k+"'")
	case strings.HasPrefix(k, ".."):
		out = append(out, "must not start with '..'")
	}
	return out
}
