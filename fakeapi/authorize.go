package fakeapi

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

// Access is what somebody asks for.
type Access struct {
	User        string
	Groups      []string // of the user
	Verb        string   // get, list, watch, create, update, patch, delete, deletecollection, impersonate
	Group       string
	Resource    string // the plural
	Subresource string
	Namespace   string
	Name        string
	Path        string // for what is not a resource; only User, Groups and Verb are set besides
}

// by returns the access as that of a user.
func (a Access) by(u *User) Access {
	a.User, a.Groups = u.Name, u.Groups
	return a
}

// access returns what a request asks for, as kube-apiserver sees it.
func (q *query) access() Access {
	if q.plural == "" {
		return Access{Verb: strings.ToLower(q.method), Path: q.path}
	}
	sub, _, _ := strings.Cut(q.sub, "/")
	a := Access{Verb: q.verb, Group: q.group, Resource: q.plural, Subresource: sub, Namespace: q.namespace, Name: q.name}
	switch q.method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		a.Verb = ""
	}
	switch {
	case q.plural == "namespaces":
		a.Namespace = q.name
	case a.Name == "" && (a.Verb == "list" || a.Verb == "watch"):
		a.Name = q.onlyName()
	}
	return a
}

// onlyName returns the one name that a list or a watch asks for with its field selector, or "".
func (q *query) onlyName() string {
	// If one of these cannot be read, kube-apiserver reads none of them.
	for _, name := range []string{"limit", "timeoutSeconds"} {
		if _, err := strconv.ParseInt(cmp.Or(q.params.Get(name), "0"), 10, 64); err != nil {
			return ""
		}
	}
	if _, err := rest.ParseLabels(q.params.Get("labelSelector")); err != nil {
		return ""
	}
	fields, err := rest.ParseFields(q.params.Get("fieldSelector"))
	if err != nil {
		return ""
	}
	for _, f := range fields {
		if f.Path == "metadata.name" && !f.Not && len(valid.Segment(f.Value)) == 0 {
			return f.Value
		}
	}
	return ""
}

// authorize refuses what somebody may not do.
func (s *Server) authorize(a Access) *rest.Status {
	d := s.decide(a)
	switch {
	case d.Allowed:
		return nil
	case d.Unfilled != "":
		return notImplemented((&rbac.UnfilledError{Role: d.Unfilled}).Error())
	}
	return forbidden(a, d.Reason)
}

// decide asks whoever decides: RBAC first, then the function of the options.
func (s *Server) decide(a Access) rbac.Decision {
	var d rbac.Decision
	switch {
	case s.options.RBAC:
		s.store.read(func() { d = rbac.Decide(roles{s.store}, rbac.Access(a)) })
	case a.User == anonymous:
		switch a.Path {
		case "/healthz", "/readyz", "/livez", "/version":
			d.Allowed = true
		}
	case s.options.Allow == nil:
		d.Allowed = true
	}
	if !d.Allowed && a.User != anonymous && s.options.Allow != nil && s.options.Allow(a) {
		return rbac.Decision{Allowed: true}
	}
	return d
}

// sanitizer escapes what could be HTML.
var sanitizer = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// forbidden refuses what a user may not do.
func forbidden(a Access, reason string) *rest.Status {
	if reason != "" {
		reason = ": " + reason
	}
	if a.Path != "" {
		message := sanitizer.Replace(fmt.Sprintf("User %q cannot %s path %q", a.User, a.Verb, a.Path)) + reason
		return failure(http.StatusForbidden, rest.ReasonForbidden, "forbidden: "+message, &rest.StatusDetails{})
	}
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	where := "at the cluster scope"
	if a.Namespace != "" {
		where = fmt.Sprintf("in the namespace %q", a.Namespace)
	}
	message := sanitizer.Replace(fmt.Sprintf("User %q cannot %s resource %q in API group %q %s", a.User, a.Verb, resource, a.Group, where))
	return denied(rest.Kind{Group: a.Group, Plural: a.Resource}, a.Name, message+reason)
}

// denied refuses access to an object, or to objects if there is no name.
func denied(k rest.Kind, name, message string) *rest.Status {
	subject := k.Resource()
	if name != "" {
		subject += fmt.Sprintf(" %q", name)
	}
	return failure(http.StatusForbidden, rest.ReasonForbidden, subject+" is forbidden: "+message,
		&rest.StatusDetails{Name: name, Group: k.Group, Kind: k.Plural})
}
