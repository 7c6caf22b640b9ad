package fakeapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

const rbacGroup = "rbac.authorization.k8s.io"

// grants are the rules that somebody has, as far as they can be found.
type grants struct {
	rules   []grant
	missing []missingRole
	lacks   string // the name of a role that is aggregated and has no rules yet
}

// missingRole is one that is bound and not there.
type missingRole struct{ plural, name string }

// missingRoles tells of the roles that are not there. To those who look at what
// a request is about, all are of its resource.
func (g *grants) missingRoles(plural string) string {
	problems := make([]string, 0, len(g.missing))
	for _, m := range g.missing {
		name := cmp.Or(plural, strings.TrimSuffix(m.plural, "s"))
		problems = append(problems, fmt.Sprintf("%s.%s %q not found", name, rbacGroup, m.name))
	}
	return aggregate(problems)
}

// grant is a rule, and what gives it.
type grant struct {
	policyRule
	source string
}

// byRoles decides an access by the roles that are bound. The caller holds the
// mutex.
func (s *Server) byRoles(a Access) decision {
	if slices.Contains(a.Groups, masters) {
		return decision{allowed: true}
	}
	g := s.grantsOf(a.User, a.Groups, a.Namespace)
	for _, r := range g.rules {
		if r.allows(a) {
			return decision{allowed: true, reason: "RBAC: allowed by " + r.source}
		}
	}
	d := decision{lacks: g.lacks}
	if len(g.missing) > 0 {
		d.reason = "rbac: RBAC: " + g.missingRoles("")
	}
	return d
}

// grantsOf finds the rules that a user has in a namespace, or outside of any.
// The caller holds the mutex.
func (s *Server) grantsOf(user string, groups []string, namespace string) *grants {
	g := &grants{}
	s.bound(g, "clusterrolebindings", user, groups, "")
	if namespace != "" {
		s.bound(g, "rolebindings", user, groups, namespace)
	}
	return g
}

// bound adds what the bindings of a resource give.
func (s *Server) bound(g *grants, plural, user string, groups []string, namespace string) {
	bindings := s.find(rbacGroup, plural)
	for _, k := range bindings.sortedKeys(bindings.objects, namespace) {
		b := bindings.objects[k].content
		subject := subjectOf(b, user, groups, namespace)
		if subject == "" {
			continue
		}
		ref := rest.Object(b.Map("roleRef"))
		roles, at := s.rolesOf(ref, namespace)
		if roles == nil {
			continue
		}
		obj, ok := roles.objects[at]
		if !ok {
			g.missing = append(g.missing, missingRole{roles.kind.Plural, ref.String("name")})
			continue
		}
		role := obj.content
		name := b.Name()
		if namespace != "" {
			name += "/" + namespace
		}
		source := fmt.Sprintf("%s %q of %v %q to %s", bindings.kind.Kind, name, ref["kind"], ref["name"], subject)
		for _, r := range rulesOf(role) {
			g.rules = append(g.rules, grant{r, source})
		}
		if isUnfilled(role) {
			g.lacks = role.Name()
		}
	}
}

// rolesOf returns the resource that a binding refers to, and the key of the role
// in it; nil for what is no role.
func (s *Server) rolesOf(ref rest.Object, namespace string) (*resource, string) {
	switch ref.String("kind") {
	case "Role":
		return s.find(rbacGroup, "roles"), key(namespace, ref.String("name"))
	case "ClusterRole":
		return s.find(rbacGroup, "clusterroles"), key("", ref.String("name"))
	}
	return nil, ""
}

// subjectOf returns the first subject of a binding that a user is, or is in; ""
// if he is none of them.
func subjectOf(binding rest.Object, user string, groups []string, namespace string) string {
	for _, v := range binding.Slice("subjects") {
		m, _ := v.(map[string]any)
		subject := rest.Object(m)
		kind, name := subject.String("kind"), subject.String("name")
		switch kind {
		case "User":
			if user == name {
				return fmt.Sprintf("%s %q", kind, name)
			}
		case "Group":
			if slices.Contains(groups, name) {
				return fmt.Sprintf("%s %q", kind, name)
			}
		case "ServiceAccount":
			in := subject.String("namespace")
			if in == "" {
				in = namespace
			}
			if in != "" && user == accountPrefix+in+":"+name {
				return fmt.Sprintf("%s %q", kind, name+"/"+in)
			}
		}
	}
	return ""
}

// isUnfilled tells that the rules of a role are those of others, which a
// controller would fill in.
func isUnfilled(role rest.Object) bool {
	return len(role.Slice("rules")) == 0 && role["aggregationRule"] != nil
}

// notAggregated refuses to judge by a role whose rules a controller would fill
// in.
func notAggregated(role string) *rest.Status {
	return notImplemented(fmt.Sprintf("the rules of the aggregated cluster role %q, which a controller would fill in", role))
}
