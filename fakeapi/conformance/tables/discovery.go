package tables

import (
	"context"
	"fmt"
	"slices"

	"github.com/tideway-go/tideway/rest"
)

// facts are what a server says about itself.
type facts struct {
	version string
	groups  []string      // in the order of the server, like the kinds
	kinds   []rest.Served // of a group and kind, the preferred version comes first
	parts   []rest.Kind   // kinds of the objects of subresources
	types   document
	zero    map[string]string // by kind: what an object without content has
	traits  map[rest.Kind]traits
	subs    map[string][]part // by kind: the subresources, as discovery has them
}

// discovered reads the version and discovery.
func (c *client) discovered(ctx context.Context) (*facts, error) {
	f := &facts{}
	var version struct{ GitVersion string }
	if err := c.get(ctx, "/version", "application/json", &version); err != nil {
		return nil, err
	}
	f.version = version.GitVersion
	for _, path := range []string{"/api", "/apis"} {
		var list groupList
		if err := c.get(ctx, path, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", &list); err != nil {
			return nil, err
		}
		f.add(&list)
	}
	return f, nil
}

// markOffByDefault marks the kinds that the usual server does not serve.
func (f *facts) markOffByDefault(usual *facts) error {
	on := map[rest.Kind]bool{}
	for _, k := range usual.kinds {
		on[k.Kind] = true
		if !slices.ContainsFunc(f.kinds, func(a rest.Served) bool { return a.Kind == k.Kind }) {
			return fmt.Errorf("%s is served by default, but not when everything is", k.Kind)
		}
	}
	for i, k := range f.kinds {
		f.kinds[i].OffByDefault = !on[k.Kind]
	}
	return nil
}

// canWatch reports whether the objects of a kind can be watched.
func canWatch(s *rest.Served) bool { return slices.Contains(s.Verbs, "watch") }

// groupList is a document of aggregated discovery.
type groupList struct {
	Items []struct {
		Metadata struct{ Name string }
		Versions []struct {
			Version   string
			Resources []resource
		}
	}
}

// resource is what aggregated discovery says about a resource.
type resource struct {
	Resource         string
	ResponseKind     groupVersionKind
	Scope            string
	SingularResource string
	ShortNames       []string
	Categories       []string
	Verbs            []string
	Subresources     []struct {
		Subresource  string
		ResponseKind groupVersionKind
		Verbs        []string
	}
}

// part is a subresource. It has no kind if its objects are those of the resource.
type part struct {
	name  string
	kind  rest.Kind
	verbs []string
}

// groupVersionKind names a kind. An empty group and version are those of the resource.
type groupVersionKind struct{ Group, Version, Kind string }

// add adds what a document says.
func (f *facts) add(l *groupList) {
	for _, group := range l.Items {
		f.groups = append(f.groups, group.Metadata.Name)
		for _, version := range group.Versions {
			for _, r := range version.Resources {
				f.addResource(group.Metadata.Name, version.Version, &r)
			}
		}
	}
}

func (f *facts) addResource(group, version string, r *resource) {
	s := rest.Served{
		Kind: rest.Kind{
			Group: group, Version: version, Kind: r.ResponseKind.Kind, Plural: r.Resource, Namespaced: r.Scope == "Namespaced",
		},
		Singular: r.SingularResource, ShortNames: r.ShortNames, Categories: r.Categories, Verbs: r.Verbs,
	}
	for _, sub := range r.Subresources {
		s.Subresources = append(s.Subresources, sub.Subresource)
		if k := sub.ResponseKind; k.Version != "" && (k.Group != group || k.Version != version || k.Kind != s.Kind.Kind) {
			f.parts = append(f.parts, rest.Kind{Group: k.Group, Version: k.Version, Kind: k.Kind})
		}
	}
	f.addParts(&s, r)
	slices.Sort(s.Subresources)
	slices.Sort(s.Verbs)
	f.kinds = append(f.kinds, s)
}

// addParts adds the subresources of a resource.
func (f *facts) addParts(s *rest.Served, r *resource) {
	if f.subs == nil {
		f.subs = map[string][]part{}
	}
	for _, sub := range r.Subresources {
		p := part{name: sub.Subresource, verbs: sub.Verbs}
		if k := sub.ResponseKind; k.Version != "" || k.Group != "" || k.Kind != s.Kind.Kind {
			p.kind = rest.Kind{Group: k.Group, Version: k.Version, Kind: k.Kind}
		}
		f.subs[s.Kind.String()] = append(f.subs[s.Kind.String()], p)
	}
}
