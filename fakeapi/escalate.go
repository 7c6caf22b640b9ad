package fakeapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// everything is the rules of those who may do everything.
var everything = []policyRule{
	{verbs: []string{"*"}, groups: []string{"*"}, resources: []string{"*"}},
	{verbs: []string{"*"}, urls: []string{"*"}},
}

// escalation returns what refuses a role, or the binding of one, to somebody who
// does not have the rights that it gives, since that would be a way to get them;
// nil where nothing does. What it returns is called with the mutex held, old is
// nil for a new object.
func (s *Server) escalation(r *resource, q *query) func(old, content rest.Object) *rest.Status {
	if !s.options.RBAC || r.custom || r.kind.Group != rbacGroup || q.user.in(masters) {
		return nil
	}
	return func(old, content rest.Object) *rest.Status {
		switch {
		case onlyCollects(old, content):
			return nil
		case r.kind.Plural == "roles", r.kind.Plural == "clusterroles":
			return s.checkRole(r, q, old, content)
		}
		setBindingDefaults(content)
		return s.checkBinding(r, q, content)
	}
}

// checkBinding refuses to bind a role with rules that the user does not have.
func (s *Server) checkBinding(r *resource, q *query, content rest.Object) *rest.Status {
	ref := rest.Object(content.Map("roleRef"))
	roles, at := s.rolesOf(ref, q.namespace)
	if roles == nil {
		return internal(fmt.Sprintf("unsupported role reference kind: %q", ref.String("kind")))
	}
	bind := Access{Verb: "bind", Group: ref.String("apiGroup"), Resource: roles.kind.Plural, Namespace: q.namespace, Name: ref.String("name")}
	if s.byRoles(bind.by(q.user)).allowed {
		return nil
	}
	role, ok := roles.objects[at]
	if !ok {
		return r.notFound(bind.Name) // in the words for what the request is about
	}
	if isUnfilled(role.content) {
		return notAggregated(bind.Name)
	}
	missing, st := s.missing(q, rulesOf(role.content))
	if st != nil || missing == "" {
		return st
	}
	return denied(r.kind, content.Name(), missing)
}

// checkRole refuses a role with rules that the user does not have.
func (s *Server) checkRole(r *resource, q *query, old, content rest.Object) *rest.Status {
	escalate := q.access()
	escalate.Verb, escalate.Subresource = "escalate", ""
	if s.byRoles(escalate.by(q.user)).allowed {
		return nil
	}
	missing, st := s.missing(q, rulesOf(content))
	if st == nil && missing == "" && (gathers(content) || gathers(old)) {
		if missing, st = s.missing(q, everything); missing != "" {
			missing = "must have cluster-admin privileges to use the aggregationRule"
		}
	}
	if st != nil || missing == "" {
		return st
	}
	return denied(r.kind, content.Name(), missing)
}

// gathers tells that a role takes over the rules of others.
func gathers(role rest.Object) bool {
	return len(role.Slice("aggregationRule", "clusterRoleSelectors")) > 0
}

// missing tells which of the rules a user does not have; "" is none. A Status is
// what to answer where that is not known.
func (s *Server) missing(q *query, rules []policyRule) (string, *rest.Status) {
	u := q.user
	has := s.grantsOf(u.Name, u.Groups, q.namespace)
	var lacking []policyRule
	for _, r := range rules {
		for _, a := range r.atoms() {
			if !slices.ContainsFunc(has.rules, func(g grant) bool { return g.covers(&a) }) {
				lacking = append(lacking, a)
			}
		}
	}
	switch {
	case len(lacking) == 0:
		return "", nil
	case has.lacks != "":
		return "", notAggregated(has.lacks)
	}
	lines := make([]string, 0, len(lacking))
	for _, r := range compact(lacking) {
		lines = append(lines, r.String())
	}
	slices.Sort(lines)
	text := fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s",
		u.Name, u.Groups, strings.Join(slices.Compact(lines), "\n"))
	if len(has.missing) > 0 {
		text += "; resolution errors: [" + has.missingRoles(q.plural) + "]"
	}
	return text, nil
}

// compact joins the atoms that differ in the verb alone.
func compact(atoms []policyRule) []policyRule {
	var out []policyRule
	for _, a := range atoms {
		i := slices.IndexFunc(out, func(r policyRule) bool {
			return len(a.urls) == 0 && slices.Equal(r.groups, a.groups) && slices.Equal(r.resources, a.resources) && slices.Equal(r.names, a.names)
		})
		if i < 0 {
			out = append(out, a)
		} else {
			out[i].verbs = append(out[i].verbs, a.verbs...)
		}
	}
	return out
}

// onlyCollects tells that a change is one that garbage collectors make.
func onlyCollects(old, content rest.Object) bool {
	return old != nil && !changedBeside(old, content, "metadata", "kind", "apiVersion") &&
		!changedBeside(old.Map("metadata"), content.Map("metadata"), "ownerReferences", "finalizers", "selfLink", "managedFields")
}
