package rbac

import (
	"slices"

	"github.com/tideway-go/tideway/rest"
)

// Group is the API group of roles and bindings.
const Group = "rbac.authorization.k8s.io"

// The names of users and groups that mean something to RBAC itself.
const (
	Masters         = "system:masters" // may do everything
	Authenticated   = "system:authenticated"
	Unauthenticated = "system:unauthenticated"
	AccountPrefix   = "system:serviceaccount:" // then namespace:name
)

// Access is what somebody asks for.
type Access struct {
	User        string
	Groups      []string
	Verb        string
	Group       string
	Resource    string
	Subresource string
	Namespace   string
	Name        string
	Path        string // instead of all but User, Groups and Verb, for what is not a resource
}

// Source is where roles and bindings are found.
type Source interface {
	// Bindings returns the role bindings of a namespace, or the cluster role bindings for "", in
	// the order of their names.
	Bindings(namespace string) []rest.Object
	// Role returns the role of a namespace, or the cluster role for "". It returns nil if there is
	// none.
	Role(namespace, name string) rest.Object
}

// Decision is what RBAC says about an access.
type Decision struct {
	Allowed bool
	Reason  string
	// Unfilled is the name of an aggregated cluster role that has no rules yet, if the access
	// depends on it: then nothing can be said.
	Unfilled string
}

// Decide judges an access.
func Decide(src Source, a Access) Decision {
	if slices.Contains(a.Groups, Masters) {
		return Decision{Allowed: true}
	}
	g := GrantsOf(src, a.User, a.Groups, a.Namespace)
	for _, r := range g.Rules {
		if r.allows(a) {
			return Decision{Allowed: true, Reason: "RBAC: allowed by " + r.source}
		}
	}
	d := Decision{Unfilled: g.Unfilled}
	if len(g.missing) > 0 {
		d.Reason = "rbac: RBAC: " + g.Problems("")
	}
	return d
}
