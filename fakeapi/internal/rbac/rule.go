package rbac

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// Rule is one rule of a role.
type Rule struct {
	Verbs, Groups, Resources, Names, URLs []string
}

// RulesOf reads the rules of a role.
func RulesOf(role rest.Object) []Rule {
	rules := role.Slice("rules")
	out := make([]Rule, 0, len(rules))
	for _, v := range rules {
		m, _ := v.(map[string]any)
		out = append(out, Rule{
			Verbs: texts(m["verbs"]), Groups: texts(m["apiGroups"]), Resources: texts(m["resources"]),
			Names: texts(m["resourceNames"]), URLs: texts(m["nonResourceURLs"]),
		})
	}
	return out
}

// texts reads a list of strings.
func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// String shows the rule as refusals do.
func (r *Rule) String() string {
	var parts []string
	for _, p := range []struct {
		name   string
		values []string
	}{{"APIGroups", r.Groups}, {"Resources", r.Resources}, {"NonResourceURLs", r.URLs}, {"ResourceNames", r.Names}, {"Verbs", r.Verbs}} {
		if len(p.values) > 0 {
			parts = append(parts, fmt.Sprintf("%s:%q", p.name, p.values))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// allows reports whether the rule allows an access.
func (r *Rule) allows(a Access) bool {
	if !hasOrAll(r.Verbs, a.Verb) {
		return false
	}
	if a.Path != "" {
		return slices.ContainsFunc(r.URLs, func(url string) bool { return url == "*" || coversURL(url, a.Path) })
	}
	return hasOrAll(r.Groups, a.Group) && r.allowsResource(a) &&
		(len(r.Names) == 0 || slices.Contains(r.Names, a.Name))
}

// allowsResource reports whether the rule names a resource, or its subresource if the access is to
// one.
func (r *Rule) allowsResource(a Access) bool {
	if a.Subresource == "" {
		return hasOrAll(r.Resources, a.Resource)
	}
	return hasOrAll(r.Resources, a.Resource+"/"+a.Subresource) || slices.Contains(r.Resources, "*/"+a.Subresource)
}

// hasOrAll reports whether a list has a name, or the star that stands for all of them.
func hasOrAll(list []string, name string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, name)
}

// coversURL reports whether a rule names a path, or ends with a star and names its beginning.
func coversURL(rule, path string) bool {
	return rule == path || strings.HasSuffix(rule, "*") && strings.HasPrefix(path, strings.TrimRight(rule, "*"))
}

// atoms breaks the rule into rules of one verb on one thing.
func (r *Rule) atoms() []Rule {
	names := r.Names
	if len(names) == 0 {
		names = []string{""}
	}
	out := make([]Rule, 0, len(r.Verbs)*(len(r.Groups)*len(r.Resources)*len(names)+len(r.URLs)))
	for _, group := range r.Groups {
		for _, resource := range r.Resources {
			for _, verb := range r.Verbs {
				for _, name := range names {
					a := Rule{Verbs: []string{verb}, Groups: []string{group}, Resources: []string{resource}}
					if len(r.Names) > 0 {
						a.Names = []string{name}
					}
					out = append(out, a)
				}
			}
		}
	}
	for _, url := range r.URLs {
		for _, verb := range r.Verbs {
			out = append(out, Rule{Verbs: []string{verb}, URLs: []string{url}})
		}
	}
	return out
}

// covers reports whether the rule includes an atom.
func (r *Rule) covers(a *Rule) bool {
	if !hasOrAll(r.Verbs, a.Verbs[0]) {
		return false
	}
	if len(a.URLs) > 0 {
		return slices.ContainsFunc(r.URLs, func(url string) bool { return coversURL(url, a.URLs[0]) })
	}
	_, sub, _ := strings.Cut(a.Resources[0], "/")
	return hasOrAll(r.Groups, a.Groups[0]) &&
		(hasOrAll(r.Resources, a.Resources[0]) || sub != "" && slices.Contains(r.Resources, "*/"+sub)) &&
		(len(r.Names) == 0 || len(a.Names) > 0 && slices.Contains(r.Names, a.Names[0]))
}

// compact joins the atoms that differ only in the verb.
func compact(atoms []Rule) []Rule {
	var out []Rule
	for _, a := range atoms {
		i := slices.IndexFunc(out, func(r Rule) bool {
			return len(a.URLs) == 0 && slices.Equal(r.Groups, a.Groups) && slices.Equal(r.Resources, a.Resources) && slices.Equal(r.Names, a.Names)
		})
		if i < 0 {
			out = append(out, a)
		} else {
			out[i].Verbs = append(out[i].Verbs, a.Verbs...)
		}
	}
	return out
}
