package rest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// Served describes a resource as a server serves it.
type Served struct {
	Kind         Kind
	Singular     string   // another name of the resource: "pod"
	ShortNames   []string // further names: "po"
	Categories   []string // groups of resources that it belongs to: "all"
	Subresources []string // sorted: "log", "status"
	// Verbs are sorted: "create", "delete", "deletecollection", "get", "list", "patch", "update",
	// "watch".
	Verbs []string
	// OffByDefault is set by [Kinds] if a cluster serves it only with a flag or a feature gate.
	OffByDefault bool
	Stale        bool // the API server could not reach the server of the resource
}

// identities describes kinds without any other facts.
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

// named finds a resource by a name that pins its version, or else by the first of the matches that
// fits any resource. It returns nil if there is none.
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

// servedKind finds a resource by its Kind; nil if there is none.
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

// oneOfEachGroup returns the first resource of each group that matches, preferring those that are
// not stale.
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

// preferred chooses among the resources of several groups: the core group comes first, then the one
// that is not an older duplicate. It returns nil if there is none.
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
	return nil, line.Errorf("rest: several groups have kind %q: use one of %s", name, fullNames(found))
}

// fullNames joins the names that pin the versions, of a few resources if there are many.
func fullNames(resources []*Served) string {
	const most = 8
	names := make([]string, 0, most)
	for _, s := range resources[:min(len(resources), most)] {
		names = append(names, s.Kind.String())
	}
	if more := len(resources) - most; more > 0 {
		return strings.Join(names, ", ") + ", and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}
