package fakeapi

import (
	"fmt"
	"strconv"

	"github.com/tideway-go/tideway/rest"
)

// setBindingDefaults fills in the groups of what a binding refers to.
func setBindingDefaults(content rest.Object) {
	setDefault(content, rbacGroup, "roleRef", "apiGroup")
	if ref := content.Map("roleRef"); ref != nil && ref["apiGroup"] == "" {
		ref["apiGroup"] = rbacGroup
	}
	if len(content.Slice("subjects")) == 0 {
		delete(content, "subjects")
	}
	for _, v := range content.Slice("subjects") {
		m, _ := v.(map[string]any)
		if kind := m["kind"]; (kind == "User" || kind == "Group") && (m["apiGroup"] == nil || m["apiGroup"] == "") {
			m["apiGroup"] = rbacGroup
		}
	}
}

// roleCauses returns what is wrong with the rules of a role.
func (r *resource) roleCauses(content rest.Object) []rest.StatusCause {
	var causes, last []rest.StatusCause
	for i, rule := range rulesOf(content) {
		field := fmt.Sprintf("rules[%d].", i)
		if len(rule.verbs) == 0 {
			last = append(last, requiredField(field+"verbs", ""))
		}
		if len(rule.urls) > 0 {
			urls := string(encodeSorted(rule.urls))
			if r.kind.Namespaced {
				causes = append(causes, invalidField(field+"nonResourceURLs", urls, "namespaced rules cannot apply to non-resource URLs"))
			}
			if len(rule.groups)+len(rule.resources)+len(rule.names) > 0 {
				causes = append(causes, invalidField(field+"nonResourceURLs", urls, "rules cannot apply to both regular resources and non-resource URLs"))
			}
			continue
		}
		if len(rule.groups) == 0 {
			causes = append(causes, requiredField(field+"apiGroups", "resource rules must supply at least one api group"))
		}
		if len(rule.resources) == 0 {
			causes = append(causes, requiredField(field+"resources", "resource rules must supply at least one resource"))
		}
	}
	if content["aggregationRule"] != nil && !gathers(content) {
		causes = append(causes, requiredField("aggregationRule.clusterRoleSelectors", "at least one clusterRoleSelector required if aggregationRule is non-nil"))
	}
	return append(causes, last...)
}

// bindingCauses returns what is wrong with a binding.
func (r *resource) bindingCauses(content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	ref := rest.Object(content.Map("roleRef"))
	if group := ref.String("apiGroup"); group != rbacGroup {
		causes = append(causes, unsupportedField("roleRef.apiGroup", strconv.Quote(group), rbacGroup))
	}
	kinds := []string{"ClusterRole"}
	if r.kind.Namespaced {
		kinds = []string{"Role", "ClusterRole"}
	}
	if kind := ref.String("kind"); kind != "ClusterRole" && (kind != "Role" || !r.kind.Namespaced) {
		causes = append(causes, unsupportedField("roleRef.kind", strconv.Quote(kind), kinds...))
	}
	for _, p := range segmentProblems(ref.String("name")) {
		causes = append(causes, invalidField("roleRef.name", strconv.Quote(ref.String("name")), p))
	}
	var last []rest.StatusCause
	if ref.String("name") == "" {
		last = append(last, requiredField("roleRef.name", ""))
	}
	for i, v := range content.Slice("subjects") {
		m, _ := v.(map[string]any)
		field := fmt.Sprintf("subjects[%d].", i)
		causes = append(causes, r.subjectCauses(m, field)...)
		if rest.Object(m).String("name") == "" {
			last = append(last, requiredField(field+"name", ""))
		}
	}
	return append(causes, last...)
}

// subjectCauses returns what is wrong with one of those to whom a role is bound.
func (r *resource) subjectCauses(subject rest.Object, field string) []rest.StatusCause {
	var causes []rest.StatusCause
	kind, name, group := subject.String("kind"), subject.String("name"), subject.String("apiGroup")
	switch kind {
	case "ServiceAccount":
		if name != "" {
			for _, p := range subdomainProblems(name) {
				causes = append(causes, invalidField(field+"name", strconv.Quote(name), p))
			}
		}
		if group != "" {
			causes = append(causes, unsupportedField(field+"apiGroup", strconv.Quote(group), ""))
		}
		if !r.kind.Namespaced && subject.String("namespace") == "" {
			causes = append(causes, requiredField(field+"namespace", ""))
		}
	case "User", "Group":
		if group != rbacGroup {
			causes = append(causes, unsupportedField(field+"apiGroup", strconv.Quote(group), rbacGroup))
		}
	default:
		causes = append(causes, unsupportedField(field+"kind", strconv.Quote(kind), "ServiceAccount", "User", "Group"))
	}
	return causes
}

// roleRefCauses tells that a binding would be made one of another role.
func (r *resource) roleRefCauses(old, content rest.Object) []rest.StatusCause {
	name := r.kind.Resource()
	if name != "rolebindings."+rbacGroup && name != "clusterrolebindings."+rbacGroup || same(old["roleRef"], content["roleRef"]) {
		return nil
	}
	ref := rest.Object(content.Map("roleRef"))
	shown := fmt.Sprintf(`{"APIGroup":%q,"Kind":%q,"Name":%q}`, ref.String("apiGroup"), ref.String("kind"), ref.String("name"))
	return []rest.StatusCause{invalidField("roleRef", shown, "field is immutable")}
}

// requiredField tells of a member that is missing.
func requiredField(field, why string) rest.StatusCause {
	c := rest.StatusCause{Type: "FieldValueRequired", Field: field, Message: "Required value"}
	if why != "" {
		c.Message += ": " + why
	}
	return c
}
