package fakeapi

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

const (
	labelFormat     = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
	subdomainFormat = labelFormat + `(\.` + labelFormat + ")*"
	qualifiedFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
	valueFormat     = "(" + qualifiedFormat + ")?"
)

var (
	labelPattern     = regexp.MustCompile("^" + labelFormat + "$")
	subdomainPattern = regexp.MustCompile("^" + subdomainFormat + "$")
	qualifiedPattern = regexp.MustCompile("^" + qualifiedFormat + "$")
	valuePattern     = regexp.MustCompile("^" + valueFormat + "$")
)

// checkName returns what is wrong with a name, or with the prefix of one.
func (rule nameRule) check(name string, prefix bool) []string {
	if prefix && rule != pathSegment {
		name = strings.TrimSuffix(name, "-")
	}
	switch rule {
	case label:
		return labelProblems(name)
	case pathSegment:
		return segmentProblems(name)
	default:
		return subdomainProblems(name)
	}
}

func subdomainProblems(name string) []string {
	var out []string
	if len(name) > 253 {
		out = append(out, "must be no more than 253 bytes")
	}
	if !subdomainPattern.MatchString(name) {
		out = append(out, "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "+
			"and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '"+subdomainFormat+"')")
	}
	return out
}

func labelProblems(name string) []string {
	var out []string
	if len(name) > 63 {
		out = append(out, "must be no more than 63 bytes")
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

func segmentProblems(name string) []string {
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

// validate checks the metadata of an object to be stored.
func (r *resource) validate(content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	add := func(field, value string, problems []string) {
		for _, p := range problems {
			causes = append(causes, invalidField(field, strconv.Quote(value), p))
		}
	}
	if prefix := content.String("metadata", "generateName"); prefix != "" {
		add("metadata.generateName", prefix, r.traits.names.check(prefix, true))
	}
	if name := content.Name(); name != "" {
		add("metadata.name", name, r.traits.names.check(name, false))
	} else {
		causes = append(causes, rest.StatusCause{
			Type: "FieldValueRequired", Field: "metadata.name", Message: "Required value: name or generateName is required",
		})
	}
	causes = append(causes, labelCauses(content)...)
	return append(causes, finalizerCauses(content)...)
}

// labelCauses returns what is wrong with the labels.
func labelCauses(content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	labels := content.Labels()
	for _, k := range sortedNames(labels) {
		for _, p := range qualifiedProblems(k) {
			causes = append(causes, invalidField("metadata.labels", strconv.Quote(k), p))
		}
		if v := labels[k]; !valuePattern.MatchString(v) {
			causes = append(causes, invalidField("metadata.labels", strconv.Quote(v),
				"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end "+
					"with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '"+valueFormat+"')"))
		} else if len(v) > 63 {
			causes = append(causes, invalidField("metadata.labels", strconv.Quote(v), "must be no more than 63 bytes"))
		}
	}
	return causes
}

// qualifiedProblems returns what is wrong with a name that may have a prefix.
func qualifiedProblems(name string) []string {
	var out []string
	if prefix, last, ok := strings.Cut(name, "/"); ok {
		if prefix == "" {
			out = append(out, "prefix part must be non-empty")
		} else {
			for _, p := range subdomainProblems(prefix) {
				out = append(out, "prefix part "+p)
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
		out = append(out, "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "+
			"with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '"+qualifiedFormat+"')")
	}
	return out
}

// finalizerCauses returns what is wrong with the finalizers.
func finalizerCauses(content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	for i, f := range finalizersOf(content) {
		field := fmt.Sprintf("metadata.finalizers[%d]", i)
		problems := qualifiedProblems(f)
		for _, p := range problems {
			causes = append(causes, invalidField(field, strconv.Quote(f), p))
		}
		standard := f == "orphan" || f == "foregroundDeletion" || f == "kubernetes"
		if len(problems) == 0 && !strings.Contains(f, "/") && !standard {
			causes = append(causes, invalidField(field, strconv.Quote(f), "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return causes
}
