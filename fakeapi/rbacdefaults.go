package fakeapi

import "github.com/tideway-go/tideway/rest"

// defaultRoles are those of the roles and bindings that every cluster has which
// every cluster needs: the one that may do everything, and what lets clients find
// out what there is and what they may do.
func defaultRoles() []rest.Object {
	rule := func(members ...any) map[string]any {
		m := make(map[string]any)
		for i := 0; i < len(members); i += 2 {
			m[members[i].(string)] = members[i+1]
		}
		return m
	}
	var out []rest.Object
	for _, role := range []struct {
		name   string
		rules  []any
		groups []string
	}{
		{"cluster-admin", []any{
			rule("verbs", list("*"), "apiGroups", list("*"), "resources", list("*")),
			rule("verbs", list("*"), "nonResourceURLs", list("*")),
		}, []string{masters}},
		{"system:discovery", []any{
			rule("verbs", list("get"), "nonResourceURLs", list("/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez",
				"/openapi", "/openapi/*", "/readyz", "/version", "/version/")),
		}, []string{authenticated}},
		{"system:basic-user", []any{
			rule("verbs", list("create"), "apiGroups", list("authorization.k8s.io"), "resources", list("selfsubjectaccessreviews", "selfsubjectrulesreviews")),
			rule("verbs", list("create"), "apiGroups", list(authentication), "resources", list("selfsubjectreviews")),
		}, []string{authenticated}},
		{"system:public-info-viewer", []any{
			rule("verbs", list("get"), "nonResourceURLs", list("/healthz", "/livez", "/readyz", "/version", "/version/")),
		}, []string{authenticated, unauthenticated}},
	} {
		out = append(out, ofEveryCluster("ClusterRole", role.name, "rules", role.rules))
		binding := ofEveryCluster("ClusterRoleBinding", role.name, "roleRef", map[string]any{"apiGroup": rbacGroup, "kind": "ClusterRole", "name": role.name})
		var subjects []any
		for _, g := range role.groups {
			subjects = append(subjects, map[string]any{"kind": "Group", "apiGroup": rbacGroup, "name": g})
		}
		binding["subjects"] = subjects
		out = append(out, binding)
	}
	return out
}

// list is a list of an object.
func list(values ...any) []any { return values }

// ofEveryCluster is an object that every cluster has.
func ofEveryCluster(kind, name, member string, value any) rest.Object {
	return rest.Object{
		"apiVersion": rbacGroup + "/v1", "kind": kind, member: value,
		"metadata": map[string]any{
			"name":        name,
			"labels":      map[string]any{"kubernetes.io/bootstrapping": "rbac-defaults"},
			"annotations": map[string]any{"rbac.authorization.kubernetes.io/autoupdate": "true"},
		},
	}
}
