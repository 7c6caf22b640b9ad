package rest

import (
	"fmt"
	"mime"
)

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
