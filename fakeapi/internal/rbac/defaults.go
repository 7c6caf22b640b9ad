package rbac

import "github.com/tideway-go/tideway/rest"

// DefaultRoles returns the roles and bindings that every cluster needs: the role that may do
// everything, and those that let clients find out what there is and what they may do.
func DefaultRoles() []rest.Object {
	all := list("*")
	get := list("get")
	var out []rest.Object
	add := func(name string, groups []string, rules ...any) {
		subjects := make([]any, 0, len(groups))
		for _, g := range groups {
			subjects = append(subjects, map[string]any{"kind": "Group", "apiGroup": Group, "name": g})
		}
		binding := ofEveryCluster("ClusterRoleBinding", name, "roleRef", map[string]any{"apiGroup": Group, "kind": "ClusterRole", "name": name})
		binding["subjects"] = subjects
		out = append(out, ofEveryCluster("ClusterRole", name, "rules", rules), binding)
	}
	add("cluster-admin", []string{Masters},
		map[string]any{"verbs": all, "apiGroups": all, "resources": all},
		map[string]any{"verbs": all, "nonResourceURLs": all},
	)
	add("system:discovery", []string{Authenticated}, map[string]any{"verbs": get, "nonResourceURLs": list("/api", "/api/*", "/apis", "/apis/*",
		"/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/")},
	)
	add("system:basic-user", []string{Authenticated},
		map[string]any{"verbs": list("create"), "apiGroups": list("authorization.k8s.io"), "resources": list("selfsubjectaccessreviews", "selfsubjectrulesreviews")},
		map[string]any{"verbs": list("create"), "apiGroups": list("authentication.k8s.io"), "resources": list("selfsubjectreviews")},
	)
	add("system:public-info-viewer", []string{Authenticated, Unauthenticated},
		map[string]any{"verbs": get, "nonResourceURLs": list("/healthz", "/livez", "/readyz", "/version", "/version/")},
	)
	return out
}

// list is a list as objects have it.
func list(values ...any) []any { return values }

// ofEveryCluster is an object that every cluster has, with its label and annotation.
func ofEveryCluster(kind, name, member string, value any) rest.Object {
	return rest.Object{
		"apiVersion": Group + "/v1", "kind": kind, member: value,
		"metadata": map[string]any{
			"name":        name,
			"labels":      map[string]any{"kubernetes.io/bootstrapping": "rbac-defaults"},
			"annotations": map[string]any{"rbac.authorization.kubernetes.io/autoupdate": "true"},
		},
	}
}
