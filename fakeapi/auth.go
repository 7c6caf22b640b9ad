package fakeapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// Access is what somebody asks for.
type Access struct {
	User        string
	Verb        string // get, list, watch, create, update, patch, delete, deletecollection
	Group       string
	Resource    string // the plural
	Subresource string
	Namespace   string
	Name        string
	Path        string // instead of all but User and Verb, for what is no resource
}

const (
	anonymous = "system:anonymous"
	admin     = "admin"
)

// AllowToken accepts a bearer token from now on, as that of the user.
func (s *Server) AllowToken(token, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token] = user
}

// RevokeToken refuses a bearer token from now on: requests with it get 401.
// Watches that are open go on, as those of the real server do.
func (s *Server) RevokeToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, token)
}

// user returns who makes a request.
func (s *Server) user(r *http.Request) (string, *rest.Status) {
	if len(s.options.Tokens) == 0 {
		return admin, nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || strings.TrimSpace(token) == "" {
		return anonymous, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if user, ok := s.tokens[strings.TrimSpace(token)]; ok {
		return user, nil
	}
	return "", unauthorized()
}

// authorize refuses what a user may not do.
func (s *Server) authorize(user string, q *query) *rest.Status {
	a := Access{
		User: user, Verb: q.verb, Group: q.group, Resource: q.plural, Subresource: q.sub,
		Namespace: q.namespace, Name: q.name,
	}
	if q.plural == "namespaces" {
		a.Namespace = q.name // as the real server sees it
	}
	if q.plural == "" {
		a = Access{User: user, Verb: strings.ToLower(q.method), Path: q.path}
	}
	switch {
	case user == anonymous:
		switch q.path {
		case "/healthz", "/readyz", "/livez", "/version":
			return nil
		}
	case s.options.Allow == nil || s.options.Allow(a):
		return nil
	}
	return forbidden(a)
}

// forbidden says what a user may not do, in the words of the real server.
func forbidden(a Access) *rest.Status {
	if a.Resource == "" {
		return failure(http.StatusForbidden, rest.ReasonForbidden,
			fmt.Sprintf("forbidden: User %q cannot %s path %q", a.User, a.Verb, a.Path), &rest.StatusDetails{})
	}
	k := rest.Kind{Group: a.Group, Plural: a.Resource}
	subject := k.Resource()
	if a.Name != "" {
		subject += fmt.Sprintf(" %q", a.Name)
	}
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	where := "at the cluster scope"
	if a.Namespace != "" {
		where = fmt.Sprintf("in the namespace %q", a.Namespace)
	}
	return failure(http.StatusForbidden, rest.ReasonForbidden,
		fmt.Sprintf("%s is forbidden: User %q cannot %s resource %q in API group %q %s", subject, a.User, a.Verb, resource, a.Group, where),
		&rest.StatusDetails{Name: a.Name, Group: a.Group, Kind: a.Resource})
}
