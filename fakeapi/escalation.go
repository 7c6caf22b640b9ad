package fakeapi

import (
	"errors"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/rest"
)

// roles is the store as a source of roles and bindings, while its mutex is held.
type roles struct{ *store }

// Bindings implements [rbac.Source].
func (r roles) Bindings(namespace string) []rest.Object {
	plural := "clusterrolebindings"
	if namespace != "" {
		plural = "rolebindings"
	}
	bindings := r.find(rbac.Group, plural)
	keys := bindings.sortedKeys(bindings.objects, namespace)
	out := make([]rest.Object, len(keys))
	for i, k := range keys {
		out[i] = bindings.objects[k].content
	}
	return out
}

// Role implements [rbac.Source].
func (r roles) Role(namespace, name string) rest.Object {
	plural := "clusterroles"
	if namespace != "" {
		plural = "roles"
	}
	if o, ok := r.find(rbac.Group, plural).objects[key(namespace, name)]; ok {
		return o.content
	}
	return nil
}

// escalation returns what refuses a role or a binding if the user does not have the rights that it
// grants; nil if nothing does. It is called within a write, with nil as old for a new object.
func (s *Server) escalation(r *request) func(old, content rest.Object) *rest.Status {
	if !s.options.RBAC || r.res.custom || r.res.kind.Group != rbac.Group {
		return nil
	}
	e := rbac.Escalation{Source: roles{s.store}, Access: rbac.Access(r.access())}
	return func(old, content rest.Object) *rest.Status {
		return r.res.escalationStatus(content, e.Check(old, content))
	}
}

// escalationStatus is the answer to an escalation that is refused.
func (r *resource) escalationStatus(content rest.Object, err error) *rest.Status {
	var (
		lacking  *rbac.DeniedError
		unfilled *rbac.UnfilledError
		missing  *rbac.RoleNotFoundError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &lacking):
		return denied(r.kind, content.Name(), lacking.Message)
	case errors.As(err, &unfilled):
		return notImplemented(unfilled.Error())
	case errors.As(err, &missing):
		return r.notFound(missing.Role) // in the words for what the request is about
	}
	return internal(err.Error())
}
