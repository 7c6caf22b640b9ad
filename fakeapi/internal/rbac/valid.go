package rbac

import (
	"fmt"
	"strconv"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// SetBindingDefaults fills in the API groups of the role and the subjects of a binding.
func SetBindingDefaults(content rest.Object) {
	value.Default(content, Group, "roleRef", "apiGroup")
	if ref := content.Map("roleRef"); ref != nil && ref["apiGroup"] == "" {
		ref["apiGroup"] = Group
	}
	if len(content.Slice("subjects")) == 0 {
		delete(content, "subjects")
	}
	for _, v := range content.Slice("subjects") {
		m, _ := v.(map[string]any)
		if kind := m["kind"]; (kind == "User" || kind == "Group") && (m["apiGroup"] == nil || m["apiGroup"] == "") {
			m["apiGroup"] = Group
		}
	}
}

// RoleCauses returns what is wrong with a role, or with a cluster role.
func RoleCauses(content rest.Object, namespaced bool) []rest.StatusCause {
	var causes, last []rest.StatusCause
	for i, rule := range RulesOf(content) {
		field := fmt.Sprintf("rules[%d].", i)
		if len(rule.Verbs) == 0 {
			last = append(last, valid.Required(field+"verbs", ""))
		}
		if len(rule.URLs) > 0 {
			urls := string(value.Encode(rule.URLs))
			if namespaced {
				causes = append(causes, valid.Invalid(field+"nonResourceURLs", urls, "namespaced rules cannot apply to non-resource URLs"))
			}
			if len(rule.Groups)+len(rule.Resources)+len(rule.Names) > 0 {
				causes = append(causes, valid.Invalid(field+"nonResourceURLs", urls, "rules cannot apply to both regular resources and non-resource URLs"))
			}
			continue
		}
		if len(rule.Groups) == 0 {
			causes = append(causes, valid.Required(field+"apiGroups", "resource rules must supply at least one api group"))
		}
		if len(rule.Resources) == 0 {
			causes = append(causes, valid.Required(field+"resources", "resource rules must supply at least one resource"))
		}
	}
	if content["aggregationRule"] != nil && !gathers(content) {
		causes = append(causes, valid.Required("aggregationRule.clusterRoleSelectors", "at least one clusterRoleSelector required if aggregationRule is non-nil"))
	}
	return append(causes, last...)
}

// BindingCauses returns what is wrong with a role binding, or with a cluster role binding.
func BindingCauses(content rest.Object, namespaced bool) []rest.StatusCause {
	var causes []rest.StatusCause
	ref := rest.Object(content.Map("roleRef"))
	if group := ref.String("apiGroup"); group != Group {
		causes = append(causes, valid.Unsupported("roleRef.apiGroup", strconv.Quote(group), Group))
	}
	kinds := []string{"ClusterRole"}
	if namespaced {
		kinds = []string{"Role", "ClusterRole"}
	}
	if kind := ref.String("kind"); kind != "ClusterRole" && (kind != "Role" || !namespaced) {
		causes = append(causes, valid.Unsupported("roleRef.kind", strconv.Quote(kind), kinds...))
	}
	for _, p := range valid.Segment(ref.String("name")) {
		causes = append(causes, valid.Invalid("roleRef.name", strconv.Quote(ref.String("name")), p))
	}
	var last []rest.StatusCause
	if ref.String("name") == "" {
		last = append(last, valid.Required("roleRef.name", ""))
	}
	for i, v := range content.Slice("subjects") {
		m, _ := v.(map[string]any)
		field := fmt.Sprintf("subjects[%d].", i)
		causes = append(causes, subjectCauses(m, field, namespaced)...)
		if rest.Object(m).String("name") == "" {
			last = append(last, valid.Required(field+"name", ""))
		}
	}
	return append(causes, last...)
}

// subjectCauses returns what is wrong with a subject of a binding.
func subjectCauses(subject rest.Object, field string, namespaced bool) []rest.StatusCause {
	var causes []rest.StatusCause
	kind, name, group := subject.String("kind"), subject.String("name"), subject.String("apiGroup")
	switch kind {
	case "ServiceAccount":
		if name != "" {
			for _, p := range valid.Subdomain(name) {
				causes = append(causes, valid.Invalid(field+"name", strconv.Quote(name), p))
			}
		}
		if group != "" {
			causes = append(causes, valid.Unsupported(field+"apiGroup", strconv.Quote(group), ""))
		}
		if !namespaced && subject.String("namespace") == "" {
			causes = append(causes, valid.Required(field+"namespace", ""))
		}
	case "User", "Group":
		if group != Group {
			causes = append(causes, valid.Unsupported(field+"apiGroup", strconv.Quote(group), Group))
		}
	default:
		causes = append(causes, valid.Unsupported(field+"kind", strconv.Quote(kind), "ServiceAccount", "User", "Group"))
	}
	return causes
}

// RoleRefCauses refuses to change the role of a binding.
func RoleRefCauses(old, content rest.Object) []rest.StatusCause {
	if value.Same(old["roleRef"], content["roleRef"]) {
		return nil
	}
	ref := rest.Object(content.Map("roleRef"))
	shown := fmt.Sprintf(`{"APIGroup":%q,"Kind":%q,"Name":%q}`, ref.String("apiGroup"), ref.String("kind"), ref.String("name"))
	return []rest.StatusCause{valid.Invalid("roleRef", shown, "field is immutable")}
}
