package rest

import (
	"cmp"
	"errors"
	"fmt"
	"mime"
	"slices"
	"strings"
)

// groupVersion is a version of a group as a server describes it.
type groupVersion struct {
	group, version string
	resources      []Served
	stale          bool
	err            error // it could not be described
}

// errNoDiscovery means that a body is something else.
var errNoDiscovery = errors.New("the answer is not a discovery document")

// The parameters of the media type of aggregated discovery. Some servers want them in this order.
const (
	acceptAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
	acceptLegacy     = "application/json"
)

// isAggregated reports whether a content type is that of aggregated discovery.
func isAggregated(contentType string) bool {
	_, p, err := mime.ParseMediaType(contentType)
	return err == nil && p["g"] == "apidiscovery.k8s.io" && p["v"] == "v2" && p["as"] == "APIGroupDiscoveryList"
}

// aggregatedBody is all that aggregated discovery says of some groups.
type aggregatedBody struct {
	Kind  string `json:"kind"`
	Items []struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Versions []struct {
			Version   string               `json:"version"`
			Freshness string               `json:"freshness"`
			Resources []aggregatedResource `json:"resources"`
		} `json:"versions"`
	} `json:"items"`
}

type aggregatedResource struct {
	Resource     string `json:"resource"`
	ResponseKind *struct {
		Kind string `json:"kind"`
	} `json:"responseKind"`
	Scope            string   `json:"scope"`
	SingularResource string   `json:"singularResource"`
	Verbs            []string `json:"verbs"`
	ShortNames       []string `json:"shortNames"`
	Categories       []string `json:"categories"`
	Subresources     []struct {
		Subresource string `json:"subresource"`
	} `json:"subresources"`
}

// readAggregated reads a body of aggregated discovery.
func readAggregated(raw []byte) ([]groupVersion, error) {
	body, err := Decode[aggregatedBody](raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoDiscovery, err)
	}
	if body.Kind != "APIGroupDiscoveryList" {
		return nil, errNoDiscovery
	}
	var out []groupVersion
	for _, group := range body.Items {
		for _, version := range group.Versions {
			v := groupVersion{group: group.Metadata.Name, version: version.Version, stale: version.Freshness == "Stale"}
			if err := v.check(); err != nil {
				return nil, err
			}
			for _, r := range version.Resources {
				if r.ResponseKind == nil {
					continue // only its subresources exist
				}
				subresources := make([]string, len(r.Subresources))
				for i, s := range r.Subresources {
					subresources[i] = s.Subresource
				}
				v.add(Served{
					Kind:     Kind{Kind: r.ResponseKind.Kind, Plural: r.Resource, Namespaced: r.Scope == "Namespaced"},
					Singular: r.SingularResource, ShortNames: r.ShortNames, Categories: r.Categories, Verbs: r.Verbs,
				}, subresources)
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// check refuses names that would reach another path.
func (v *groupVersion) check() error {
	for _, s := range []string{cmp.Or(v.group, "core"), v.version} {
		if err := checkSegment(s); err != nil {
			return fmt.Errorf("%w: a group or version %w", errNoDiscovery, err)
		}
	}
	return nil
}

// add adds a resource, unless its names cannot be put into a path.
func (v *groupVersion) add(s Served, subresources []string) {
	s.Kind.Group, s.Kind.Version, s.Stale = v.group, v.version, v.stale
	slices.Sort(subresources)
	s.Subresources = subresources
	slices.Sort(s.Verbs)
	if err := s.Kind.check(); err != nil {
		v.err = errors.Join(v.err, err)
		return
	}
	v.resources = append(v.resources, s)
}

// readVersions reads the answer of /apis, or that of /api if the server has no aggregated
// discovery.
func readVersions(raw []byte) ([]groupVersion, error) {
	body, err := Decode[struct {
		Kind     string   `json:"kind"`
		Versions []string `json:"versions"`
		Groups   []struct {
			Name     string `json:"name"`
			Versions []struct {
				Version string `json:"version"`
			} `json:"versions"`
			PreferredVersion struct {
				Version string `json:"version"`
			} `json:"preferredVersion"`
		} `json:"groups"`
	}](raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoDiscovery, err)
	}
	var out []groupVersion
	switch body.Kind {
	case "APIVersions":
		for _, version := range body.Versions {
			out = append(out, groupVersion{version: version})
		}
	case "APIGroupList":
		for _, group := range body.Groups {
			versions := make([]groupVersion, len(group.Versions))
			for i, version := range group.Versions {
				versions[i] = groupVersion{group: group.Name, version: version.Version}
			}
			preferred := group.PreferredVersion.Version
			slices.SortStableFunc(versions, func(a, b groupVersion) int {
				return cmp.Compare(btoi(b.version == preferred), btoi(a.version == preferred))
			})
			out = append(out, versions...)
		}
	default:
		return nil, errNoDiscovery
	}
	for i := range out {
		if err := out[i].check(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// readResources reads what a server says of one version of a group.
func (v *groupVersion) readResources(raw []byte) error {
	body, err := Decode[struct {
		Kind      string `json:"kind"`
		Resources []struct {
			Name         string   `json:"name"`
			SingularName string   `json:"singularName"`
			Namespaced   bool     `json:"namespaced"`
			Kind         string   `json:"kind"`
			Verbs        []string `json:"verbs"`
			ShortNames   []string `json:"shortNames"`
			Categories   []string `json:"categories"`
		} `json:"resources"`
	}](raw)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoDiscovery, err)
	}
	if body.Kind != "APIResourceList" {
		return errNoDiscovery
	}
	subresources := map[string][]string{}
	for _, r := range body.Resources {
		if plural, sub, ok := strings.Cut(r.Name, "/"); ok {
			subresources[plural] = append(subresources[plural], sub)
		}
	}
	for _, r := range body.Resources {
		if !strings.Contains(r.Name, "/") {
			v.add(Served{
				Kind:     Kind{Kind: r.Kind, Plural: r.Name, Namespaced: r.Namespaced},
				Singular: r.SingularName, ShortNames: r.ShortNames, Categories: r.Categories, Verbs: r.Verbs,
			}, subresources[r.Name])
		}
	}
	return v.err
}
