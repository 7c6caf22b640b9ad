package rest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

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
