package fakeapi

import (
	stdjson "encoding/json"
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
	keyFormat       = "[-._a-zA-Z0-9]+"
	maxData         = 1 << 20
	valueFormat     = "(" + qualifiedFormat + ")?"
)

var (
	labelPattern     = regexp.MustCompile("^" + labelFormat + "$")
	subdomainPattern = regexp.MustCompile("^" + subdomainFormat + "$")
	qualifiedPattern = regexp.MustCompile("^" + qualifiedFormat + "$")
	keyPattern       = regexp.MustCompile("^" + keyFormat + "$")
	valuePattern     = regexp.MustCompile("^" + valueFormat + "$")
)

// check returns what is wrong with a name, or with the prefix of one.
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
		out = append(out, "must be no more than 253 characters")
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
	if g := content.Int("metadata", "generation"); g < 0 {
		causes = append(causes, invalidField("metadata.generation", strconv.FormatInt(g, 10), "must be greater than or equal to 0"))
	}
	return append(causes, metadataCauses(content)...)
}

// contentCauses returns what is wrong beside the metadata. What the test writes
// itself is only checked where the server has to understand it.
func (s *Server) contentCauses(r *resource, content rest.Object, o writeOptions) []rest.StatusCause {
	if o.direct && (!s.options.RBAC || r.kind.Group != rbacGroup) {
		return nil
	}
	return r.contentCauses(content)
}

// contentCauses returns what is wrong beside the metadata. Little is checked:
// what a test that is in error would have is.
func (r *resource) contentCauses(content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	switch r.kind.Resource() {
	case "clusterroles.rbac.authorization.k8s.io", "roles.rbac.authorization.k8s.io":
		return r.roleCauses(content)
	case "clusterrolebindings.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io":
		return r.bindingCauses(content)
	case "pods":
		if len(content.Slice("spec", "containers")) == 0 {
			causes = append(causes, rest.StatusCause{Type: "FieldValueRequired", Field: "spec.containers", Message: "Required value"})
		}
	case "configmaps", "secrets":
		size := 0
		for _, member := range []string{"data", "binaryData"} {
			for _, k := range sortedNames(content.Map(member)) {
				v, _ := content.Map(member)[k].(string)
				if size += len(v); member == "binaryData" || r.kind.Resource() == "secrets" {
					size -= len(v) / 4 // encoded as base64
				}
				if !keyPattern.MatchString(k) {
					causes = append(causes, invalidField(member+"["+k+"]", strconv.Quote(k), "a valid config key must consist of alphanumeric characters, "+
						"'-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '"+keyFormat+"')"))
				}
			}
		}
		if size > maxData {
			causes = append(causes, rest.StatusCause{
				Type: "FieldValueTooLong", Field: r.sizeField(), Message: fmt.Sprintf("Too long: may not be more than %d bytes", maxData),
			})
		}
	}
	return causes
}

// sizeField is where the real server sees that there is too much data.
func (r *resource) sizeField() string {
	if r.kind.Resource() == "secrets" {
		return "data"
	}
	return "[]"
}

// metadataCauses returns what is wrong with the metadata that a write may
// change.
func metadataCauses(content rest.Object) []rest.StatusCause {
	causes := labelCauses(content)
	for _, k := range sortedNames(content.Annotations()) {
		for _, p := range qualifiedProblems(strings.ToLower(k)) {
			causes = append(causes, invalidField("metadata.annotations", strconv.Quote(k), p))
		}
	}
	causes = append(causes, ownerCauses(content)...)
	return append(causes, finalizerCauses(content)...)
}

// ownerCauses returns what is wrong with the owner references.
func ownerCauses(content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	controller := ""
	for i, v := range content.Slice("metadata", "ownerReferences") {
		m, _ := v.(map[string]any)
		for _, name := range []string{"apiVersion", "kind", "name", "uid"} {
			if m[name] == nil || m[name] == "" {
				causes = append(causes, rest.StatusCause{
					Type: "FieldValueRequired", Field: fmt.Sprintf("metadata.ownerReferences[%d].%s", i, name), Message: "Required value: must not be empty",
				})
			}
		}
		if m["controller"] != true {
			continue
		}
		name := fmt.Sprintf("%v/%v", m["kind"], m["name"])
		if controller != "" {
			causes = append(causes, invalidField("metadata.ownerReferences", encodeOwners(content),
				`Only one reference can have Controller set to true. Found "true" in references for `+controller+" and "+name))
		} else {
			controller = name
		}
	}
	return causes
}

// encodeOwners encodes the owner references as messages show them.
func encodeOwners(content rest.Object) string {
	var o struct {
		Metadata struct {
			OwnerReferences []ownerReference `json:"ownerReferences"`
		} `json:"metadata"`
	}
	_ = stdjson.Unmarshal(encodeSorted(content), &o) // it has been decoded before
	raw, err := stdjson.Marshal(o.Metadata.OwnerReferences)
	if err != nil {
		return err.Error()
	}
	return string(raw)
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
		for _, p := range qualifiedProblems(f) {
			causes = append(causes, invalidField("metadata.finalizers", strconv.Quote(f), p))
		}
		standard := f == "orphan" || f == "foregroundDeletion" || f == "kubernetes"
		if !strings.Contains(f, "/") && !standard {
			causes = append(causes, invalidField(fmt.Sprintf("metadata.finalizers[%d]", i), strconv.Quote(f), "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return causes
}
