package fakeapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// policyRule is one rule of a role.
type policyRule struct {
	verbs, groups, resources, names, urls []string
}

// rulesOf reads the rules of a role.
func rulesOf(role rest.Object) []policyRule {
	rules := role.Slice("rules")
	out := make([]policyRule, 0, len(rules))
	for _, v := range rules {
		m, _ := v.(map[string]any)
		out = append(out, policyRule{
			verbs: texts(m["verbs"]), groups: texts(m["apiGroups"]), resources: texts(m["resources"]),
			names: texts(m["resourceNames"]), urls: texts(m["nonResourceURLs"]),
		})
	}
	return out
}

// texts reads a list of texts.
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
func (r *policyRule) String() string {
	var parts []string
	for _, p := range []struct {
		name   string
		values []string
	}{{"APIGroups", r.groups}, {"Resources", r.resources}, {"NonResourceURLs", r.urls}, {"ResourceNames", r.names}, {"Verbs", r.verbs}} {
		if len(p.values) > 0 {
			parts = append(parts, fmt.Sprintf("%s:%q", p.name, p.values))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// allows tells whether the rule is about an access.
func (r *policyRule) allows(a Access) bool {
	if !hasOrAll(r.verbs, a.Verb) {
		return false
	}
	if a.Path != "" {
		return slices.ContainsFunc(r.urls, func(url string) bool { return url == "*" || coversURL(url, a.Path) })
	}
	return hasOrAll(r.groups, a.Group) && r.allowsResource(a) &&
		(len(r.names) == 0 || slices.Contains(r.names, a.Name))
}

// allowsResource tells whether the rule is about a resource: as such, or by its
// subresource.
func (r *policyRule) allowsResource(a Access) bool {
	if a.Subresource == "" {
		return hasOrAll(r.resources, a.Resource)
	}
	return hasOrAll(r.resources, a.Resource+"/"+a.Subresource) || slices.Contains(r.resources, "*/"+a.Subresource)
}

// hasOrAll tells whether a list names something, or all there is.
func hasOrAll(list []string, name string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, name)
}

// coversURL tells whether a path is the one of a rule, or begins as one that
// ends with a star.
func coversURL(rule, path string) bool {
	return rule == path || strings.HasSuffix(rule, "*") && strings.HasPrefix(path, strings.TrimRight(rule, "*"))
}

// atoms breaks the rule into rules of one verb on one thing.
func (r *policyRule) atoms() []policyRule {
	names := r.names
	if len(names) == 0 {
		names = []string{""}
	}
	out := make([]policyRule, 0, len(r.verbs)*(len(r.groups)*len(r.resources)*len(names)+len(r.urls)))
	for _, group := range r.groups {
		for _, resource := range r.resources {
			for _, verb := range r.verbs {
				for _, name := range names {
					a := policyRule{verbs: []string{verb}, groups: []string{group}, resources: []string{resource}}
					if len(r.names) > 0 {
						a.names = []string{name}
					}
					out = append(out, a)
				}
			}
		}
	}
	for _, url := range r.urls {
		for _, verb := range r.verbs {
			out = append(out, policyRule{verbs: []string{verb}, urls: []string{url}})
		}
	}
	return out
}

// covers tells whether whoever has the rule has an atom.
func (r *policyRule) covers(a *policyRule) bool {
	if !hasOrAll(r.verbs, a.verbs[0]) {
		return false
	}
	if len(a.urls) > 0 {
		return slices.ContainsFunc(r.urls, func(url string) bool { return coversURL(url, a.urls[0]) })
	}
	_, sub, _ := strings.Cut(a.resources[0], "/")
	return hasOrAll(r.groups, a.groups[0]) &&
		(hasOrAll(r.resources, a.resources[0]) || sub != "" && slices.Contains(r.resources, "*/"+sub)) &&
		(len(r.names) == 0 || len(a.names) > 0 && slices.Contains(r.names, a.names[0]))
}
