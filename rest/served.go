package rest

import (
	"fmt"
	"slices"
	"strings"
)

// Served describes a resource as a server serves it.
type Served struct {
	// Kind is its identity, as [ForKind] takes it.
	Kind Kind
	// Singular is another name of the resource: "pod".
	Singular string
	// ShortNames are further names: "po".
	ShortNames []string
	// Categories are the groups of resources that it belongs to: "all".
	Categories []string
	// Subresources are sorted: "log", "status".
	Subresources []string
	// Verbs are what can be done with it, sorted: "create", "delete", "deletecollection", "get",
	// "list", "patch", "update", "watch".
	Verbs []string
	// OffByDefault is set for a built-in kind that a cluster serves only if a flag or a feature
	// gate of the server asks for it. [Kinds] knows this; discovery does not.
	OffByDefault bool
	// Stale is set if the API server could not reach the server that serves the resource.
	Stale bool
}

// identities describes kinds of which nothing more is known.
func identities(kinds []Kind) []Served {
	resources := make([]Served, len(kinds))
	for i, k := range kinds {
		resources[i].Kind = k
	}
	return resources
}

// clone returns a copy for a caller.
func (s Served) clone() Served {
	s.ShortNames, s.Categories = slices.Clone(s.ShortNames), slices.Clone(s.Categories)
	s.Subresources, s.Verbs = slices.Clone(s.Subresources), slices.Clone(s.Verbs)
	return s
}

// named finds a resource by a name that pins its version, or by a bare one: by the first of the
// matches that any resource fulfils. It returns nil if there is none.
func named(resources []Served, name string, matches ...func(*Served) bool) (*Served, error) {
	if strings.Contains(name, "/") {
		for i := range resources {
			if s := &resources[i]; strings.HasSuffix(name, s.Kind.Kind) && s.Kind.String() == name {
				return s, nil
			}
		}
		return nil, nil
	}
	for _, match := range matches {
		if s, err := preferred(oneOfEachGroup(resources, match), name); s != nil || err != nil {
			return s, err
		}
	}
	return nil, nil
}

// servedKind finds a resource by its identity; nil if there is none.
func servedKind(resources []Served, k Kind) *Served {
	for i := range resources {
		if resources[i].Kind == k {
			return &resources[i]
		}
	}
	return nil
}

// byKind matches resources by the Kind of their objects.
func byKind(name string) func(*Served) bool {
	return func(s *Served) bool { return s.Kind.Kind == name }
}

// oneOfEachGroup returns the first resource of each group that matches: one that is not stale, if
// there is any.
func oneOfEachGroup(resources []Served, match func(*Served) bool) []*Served {
	var found []*Served
	for _, stale := range []bool{false, true} {
		for i := range resources {
			s := &resources[i]
			if s.Stale == stale && match(s) && !slices.ContainsFunc(found, func(f *Served) bool { return f.Kind.Group == s.Kind.Group }) {
				found = append(found, s)
			}
		}
	}
	return found
}

// olderGroup is a group whose kinds have moved to others, and which old servers still serve.
const olderGroup = "extensions"

// preferred chooses among the resources of several groups: the core group comes first, then the
// one that is not an older duplicate. It returns nil if there is none.
func preferred(found []*Served, name string) (*Served, error) {
	for _, s := range found {
		if s.Kind.Group == "" {
			return s, nil
		}
	}
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(s *Served) bool { return s.Kind.Group == olderGroup })
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("rest: several groups have kind %q: use one of %s", name, fullNames(found))
}

// fullNames joins the names that pin the versions.
func fullNames(resources []*Served) string {
	names := make([]string, len(resources))
	for i, s := range resources {
		names[i] = s.Kind.String()
	}
	return strings.Join(names, ", ")
}
