package fakeapi

import (
	"errors"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/rest"
)

// roles is the server as a source of roles and bindings. The caller holds the mutex.
type roles struct{ s *Server }

// Bindings implements [rbac.Source].
func (r roles) Bindings(namespace string) []rest.Object {
	plural := "clusterrolebindings"
	if namespace != "" {
		plural = "rolebindings"
	}
	bindings := r.s.find(rbac.Group, plural)
	var out []rest.Object
	for _, k := range bindings.sortedKeys(bindings.objects, namespace) {
		out = append(out, bindings.objects[k].content)
	}
	return out
}

// Role implements [rbac.Source].
func (r roles) Role(namespace, name string) rest.Object {
	plural := "clusterroles"
	if namespace != "" {
		plural = "roles"
	}
	if o, ok := r.s.find(rbac.Group, plural).objects[key(namespace, name)]; ok {
		return o.content
	}
	return nil
}

// escalation returns what refuses a role, or the binding of one, to a user who does not have the
// rights that it gives; nil if nothing does. The caller of the result holds the mutex; old is nil for
// a new object.
func (s *Server) escalation(r *resource, q *query) func(old, content rest.Object) *rest.Status {
	if !s.options.RBAC || r.custom || r.kind.Group != rbac.Group {
		return nil
	}
	e := rbac.Escalation{Source: roles{s}, Access: rbac.Access(q.access().by(q.user))}
	return func(old, content rest.Object) *rest.Status {
		return r.escalationStatus(content, e.Check(old, content))
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
