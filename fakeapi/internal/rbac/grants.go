package rbac

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

// Grants are the rights that somebody has, as far as they can be found.
type Grants struct {
	Rules []Grant
	// Unfilled is the name of an aggregated cluster role that is bound and has no rules yet, or "".
	Unfilled string
	missing  []missingRole
}

// missingRole is a role that is bound but does not exist.
type missingRole struct{ kind, name string }

// Grant is a rule, with the binding that grants it.
type Grant struct {
	Rule

	source string
}

// Everything is the grants of somebody who may do everything.
func Everything() *Grants {
	g := &Grants{}
	for _, r := range everything {
		g.Rules = append(g.Rules, Grant{Rule: r})
	}
	return g
}

// GrantsOf finds the rights that a user has in a namespace, or outside of any for "".
func GrantsOf(src Source, user string, groups []string, namespace string) *Grants {
	g := &Grants{}
	g.addBound(src, user, groups, "")
	if namespace != "" {
		g.addBound(src, user, groups, namespace)
	}
	return g
}

// referred returns the role that a binding refers to, nil if it does not exist. ok is false if the
// reference is not to a role.
func referred(src Source, ref rest.Object, namespace string) (role rest.Object, ok bool) {
	switch ref.String("kind") {
	case "Role":
		if namespace == "" {
			return nil, true // a cluster role binding cannot refer to one
		}
		return src.Role(namespace, ref.String("name")), true
	case "ClusterRole":
		return src.Role("", ref.String("name")), true
	}
	return nil, false
}

// Problems says which roles are bound but do not exist, or "". With a plural, all of them are said
// to be of that resource.
func (g *Grants) Problems(plural string) string {
	if len(g.missing) == 0 {
		return ""
	}
	problems := make([]string, 0, len(g.missing))
	for _, m := range g.missing {
		problems = append(problems, fmt.Sprintf("%s.%s %q not found", cmp.Or(plural, strings.ToLower(m.kind)), Group, m.name))
	}
	return valid.Join(problems)
}

// addBound adds what the bindings of a namespace, or of the cluster, grant.
func (g *Grants) addBound(src Source, user string, groups []string, namespace string) {
	kind, in := "ClusterRoleBinding", ""
	if namespace != "" {
		kind, in = "RoleBinding", "/"+namespace
	}
	for _, b := range src.Bindings(namespace) {
		subject := subjectOf(b, user, groups, namespace)
		if subject == "" {
			continue
		}
		ref := rest.Object(b.Map("roleRef"))
		role, ok := referred(src, ref, namespace)
		switch {
		case !ok:
			continue
		case role == nil:
			g.missing = append(g.missing, missingRole{ref.String("kind"), ref.String("name")})
			continue
		}
		source := fmt.Sprintf("%s %q of %v %q to %s", kind, b.Name()+in, ref["kind"], ref["name"], subject)
		for _, r := range RulesOf(role) {
			g.Rules = append(g.Rules, Grant{r, source})
		}
		if isUnfilled(role) {
			g.Unfilled = role.Name()
		}
	}
}

// subjectOf returns the first subject of a binding that is the user or one of their groups, or "".
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
			in := cmp.Or(subject.String("namespace"), namespace)
			if in != "" && user == AccountPrefix+in+":"+name {
				return fmt.Sprintf("%s %q", kind, name+"/"+in)
			}
		}
	}
	return ""
}

// isUnfilled reports whether a role takes its rules from others, and a controller has yet to fill
// them in.
func isUnfilled(role rest.Object) bool {
	return len(role.Slice("rules")) == 0 && role["aggregationRule"] != nil
}
