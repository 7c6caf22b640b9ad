package fakeapi

import (
	stdjson "encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// accessSpec is the question of an access review.
type accessSpec struct {
	ResourceAttributes    *resourceAttributes    `json:"resourceAttributes,omitempty"`
	NonResourceAttributes *nonResourceAttributes `json:"nonResourceAttributes,omitempty"`
	User                  string                 `json:"user,omitempty"`
	Groups                []string               `json:"groups,omitempty"`
	Extra                 map[string][]string    `json:"extra,omitempty"`
	UID                   string                 `json:"uid,omitempty"`
}

type resourceAttributes struct {
	Namespace     string              `json:"namespace,omitempty"`
	Verb          string              `json:"verb,omitempty"`
	Group         string              `json:"group,omitempty"`
	Version       string              `json:"version,omitempty"`
	Resource      string              `json:"resource,omitempty"`
	Subresource   string              `json:"subresource,omitempty"`
	Name          string              `json:"name,omitempty"`
	FieldSelector *selectorAttributes `json:"fieldSelector,omitempty"`
	LabelSelector *selectorAttributes `json:"labelSelector,omitempty"`
}

type selectorAttributes struct {
	RawSelector  string `json:"rawSelector,omitempty"`
	Requirements []any  `json:"requirements,omitempty"`
}

type nonResourceAttributes struct {
	Path string `json:"path,omitempty"`
	Verb string `json:"verb,omitempty"`
}

// internal shows the attributes as kube-apiserver holds them.
func (n *nonResourceAttributes) internal() string {
	if n == nil {
		return "null"
	}
	return fmt.Sprintf(`{"Path":%q,"Verb":%q}`, n.Path, n.Verb)
}

// reviewAccess answers whether somebody may do something.
func (s *Server) reviewAccess(r *request, content rest.Object) *rest.Status {
	res := r.res
	var doc struct {
		Spec accessSpec `json:"spec"`
	}
	if err := stdjson.Unmarshal(value.Encode(content), &doc); err != nil {
		return badRequest("%s in version %q cannot be handled as a %s: %s", res.kind.Kind, res.kind.Version, res.kind.Kind, accessProblem(res, err))
	}
	spec := doc.Spec
	self := res.kind.Kind == "SelfSubjectAccessReview"
	if self {
		spec.User, spec.Groups, spec.Extra, spec.UID = "", nil, nil, ""
	}
	if causes := spec.check(res, content); len(causes) > 0 {
		// kube-apiserver has forgotten the kind by now.
		return invalid("."+res.kind.Group, &rest.StatusDetails{Group: res.kind.Group}, causes)
	}
	a, problem, st := spec.access()
	if st != nil {
		return st
	}
	u := &User{Name: spec.User, UID: spec.UID, Groups: spec.Groups, Extra: spec.Extra}
	if self {
		u = r.user
	}
	d := s.decide(a.by(u))
	if d.Unfilled != "" && !d.Allowed {
		return notImplemented((&rbac.UnfilledError{Role: d.Unfilled}).Error())
	}
	status := map[string]any{"allowed": d.Allowed}
	if d.Reason != "" {
		status["reason"] = d.Reason
	}
	if problem != "" {
		status["evaluationError"] = problem
	}
	content["spec"], content["status"] = spec, status
	return nil
}

// accessProblem returns what kube-apiserver says about a value of a wrong type.
func accessProblem(res *resource, err error) string {
	const field = "Go struct field "
	spec := strings.TrimPrefix(res.kind.Kind, "Local") + "Spec"
	return strings.NewReplacer(
		field+".", field+res.kind.Kind+".", field+"accessSpec.", field+spec+".",
		field+"resourceAttributes.", field+"ResourceAttributes.", field+"nonResourceAttributes.", field+"NonResourceAttributes.",
		"fakeapi.accessSpec", "v1."+spec, "fakeapi.resourceAttributes", "v1.ResourceAttributes", "fakeapi.nonResourceAttributes", "v1.NonResourceAttributes",
	).Replace(err.Error())
}

// check returns what is wrong with a question.
func (s *accessSpec) check(res *resource, content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	if (s.ResourceAttributes == nil) == (s.NonResourceAttributes == nil) {
		causes = append(causes, valid.Invalid("spec", s.NonResourceAttributes.internal(),
			"exactly one of nonResourceAttributes or resourceAttributes must be specified"))
	}
	local := res.kind.Namespaced
	if res.kind.Kind != "SelfSubjectAccessReview" && s.User == "" && len(s.Groups) == 0 {
		causes = append(causes, valid.Invalid("spec.user", `""`, "at least one of user or group must be specified"))
	}
	causes = append(causes, s.ResourceAttributes.check()...)
	m := meta(content)
	empty := len(m) == 0
	if local {
		empty = len(m) == 1 && content.Namespace() != ""
	}
	if !empty {
		rule := "must be empty"
		if local {
			rule += " except for namespace"
		}
		causes = append(causes, valid.Invalid("metadata", string(value.AppendObject([]byte("{"), m, metadataOrder)), rule))
	}
	if r := s.ResourceAttributes; local && r != nil && r.Namespace != content.Namespace() {
		causes = append(causes, valid.Invalid("spec.resourceAttributes.namespace", strconv.Quote(r.Namespace), "must match metadata.namespace"))
	}
	if n := s.NonResourceAttributes; local && n != nil {
		causes = append(causes, valid.Invalid("spec.nonResourceAttributes", n.internal(), "disallowed on this kind of request"))
	}
	return causes
}

// check returns what is wrong with the selectors of a question.
func (r *resourceAttributes) check() []rest.StatusCause {
	if r == nil {
		return nil
	}
	var causes []rest.StatusCause
	for _, sel := range []struct {
		name string
		*selectorAttributes
	}{{"fieldSelector", r.FieldSelector}, {"labelSelector", r.LabelSelector}} {
		if sel.selectorAttributes == nil {
			continue
		}
		field := "spec.resourceAttributes." + sel.name
		switch {
		case sel.RawSelector != "" && len(sel.Requirements) > 0:
			causes = append(causes, valid.Invalid(field+".rawSelector", strconv.Quote(sel.RawSelector), "may not specified at the same time as requirements"))
		case sel.RawSelector == "" && len(sel.Requirements) == 0:
			causes = append(causes, valid.Required(field+".requirements", "when "+field+" is specified, requirements or rawSelector is required"))
		}
	}
	return causes
}

// access is what a question is about. problem says which part of it was not understood. Nothing
// decides by selectors here.
func (s *accessSpec) access() (a Access, problem string, st *rest.Status) {
	if n := s.NonResourceAttributes; n != nil {
		return Access{Verb: n.Verb, Path: n.Path}, "", nil
	}
	r := s.ResourceAttributes
	a = Access{Verb: r.Verb, Group: r.Group, Resource: r.Resource, Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name}
	if f := r.FieldSelector; f != nil {
		if _, err := rest.ParseFields(f.RawSelector); err != nil {
			problem = "spec.resourceAttributes.fieldSelector ignored due to parse error"
		}
	}
	if l := r.LabelSelector; l != nil {
		if _, err := rest.ParseLabels(l.RawSelector); err != nil {
			if problem != "" {
				problem += "; "
			}
			problem += "spec.resourceAttributes.labelSelector ignored due to parse error"
		}
	}
	for _, sel := range []*selectorAttributes{r.FieldSelector, r.LabelSelector} {
		if sel != nil && len(sel.Requirements) > 0 {
			st = notImplemented("requirements of the selectors of an access review")
		}
	}
	return a, problem, st
}
