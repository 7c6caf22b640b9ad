package fakeapi

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

// selection is the part of a resource that a list or a watch is about.
type selection struct {
	namespace string
	labels    rest.LabelSelector
	fields    rest.FieldSelector
}

// all reports whether no selector is set.
func (s *selection) all() bool { return s.labels.Empty() && len(s.fields) == 0 }

// only reports whether the selection asks for one name: then kube-apiserver reads one object.
func (s *selection) only() bool {
	for _, t := range s.fields {
		if t.Path == "metadata.name" && !t.Not {
			return true
		}
	}
	return false
}

// matches reports whether an object is selected.
func (s *selection) matches(r *resource, o *object) bool {
	if o == nil || s.namespace != "" && o.content.Namespace() != s.namespace {
		return false
	}
	if !s.labels.Empty() && !s.labels.Matches(o.content.Labels()) {
		return false
	}
	return len(s.fields) == 0 || s.fields.Matches(func(path string) string { return r.field(o.content, path) })
}

// selectionOf reads the selectors of a request.
func (r *resource) selectionOf(namespace string, q url.Values) (selection, *rest.Status) {
	sel := selection{namespace: namespace}
	var err error
	if text := q.Get("labelSelector"); text != "" {
		if sel.labels, err = rest.ParseLabels(text); err != nil {
			return sel, badRequest("%s", valid.LabelSelector(text))
		}
	}
	if text := valid.EmptyTerms(q.Get("fieldSelector")); text != "" {
		if sel.fields, err = rest.ParseFields(text); err != nil {
			return sel, badRequest("%s", valid.FieldSelector(text))
		}
		for _, t := range sel.fields {
			if !r.selectable(t.Path) {
				return sel, badRequest("%s", r.unknownField(t.Path))
			}
		}
	}
	return sel, nil
}

// selectable reports whether objects can be selected by a field.
func (r *resource) selectable(path string) bool {
	switch path {
	case "metadata.name":
		return true
	case "metadata.namespace":
		return !r.traits.placeless
	}
	return slices.Contains(r.traits.fields, path)
}

// unknownField is what kube-apiserver says about a field that objects cannot be selected by.
func (r *resource) unknownField(path string) string {
	if r.traits.unknown == "" {
		return fmt.Sprintf("%q is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", path)
	}
	return strings.ReplaceAll(r.traits.unknown, "%s", path)
}

// field returns what a field selector compares.
func (r *resource) field(o rest.Object, path string) string {
	switch path {
	case "spec.host":
		path = "spec.nodeName"
	case "status.podIPs":
		return ""
	case "status.successful":
		return strconv.FormatInt(o.Int("status", "succeeded"), 10)
	case "source":
		if c := o.String("source", "component"); c != "" {
			return c
		}
		return o.String("reportingComponent")
	}
	v, _ := o.Get(strings.Split(path, ".")...)
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	switch path {
	case "spec.hostNetwork", "spec.unschedulable":
		return "false"
	case "status.replicas":
		return "0"
	}
	return ""
}
