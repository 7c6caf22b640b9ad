package kindtable

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/conformance/realapi"
	"github.com/tideway-go/tideway/rest"
)

// answer is what a server says about itself.
type answer struct {
	version string
	kinds   []rest.Kind // in the server's order
	types   []string    // the types of its API, without groups and versions
}

// read queries a server. It reads discovery itself, not through package rest, whose table it
// generates.
func read(ctx context.Context, server *realapi.Server) (answer, error) {
	transport := server.Transport()
	defer transport.CloseIdleConnections()
	get := func(path, accept string, into any) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL()+path, http.NoBody)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+realapi.Admin.Token)
		req.Header.Set("Accept", accept)
		resp, err := (&http.Client{Transport: transport}).Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s: %s", path, resp.Status, raw)
		}
		return json.Unmarshal(raw, into)
	}
	var a answer
	var version struct{ GitVersion string }
	if err := get("/version", "application/json", &version); err != nil {
		return a, err
	}
	a.version = version.GitVersion
	for _, path := range []string{"/api", "/apis"} {
		var groups groupList
		if err := get(path, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", &groups); err != nil {
			return a, err
		}
		a.kinds = append(a.kinds, groups.kinds()...)
	}
	var openAPI struct{ Definitions map[string]json.RawMessage }
	if err := get("/openapi/v2", "application/json", &openAPI); err != nil {
		return a, err
	}
	for name := range openAPI.Definitions {
		a.types = append(a.types, name[strings.LastIndexByte(name, '.')+1:])
	}
	return a, nil
}

// groupList is a document of aggregated discovery.
type groupList struct {
	Items []struct {
		Metadata struct{ Name string }
		Versions []struct {
			Version   string
			Resources []struct {
				Resource     string
				ResponseKind struct{ Kind string }
				Scope        string
				Verbs        []string
				Subresources []struct{ Subresource string }
			}
		}
	}
}

func (l *groupList) kinds() []rest.Kind {
	var kinds []rest.Kind
	for _, group := range l.Items {
		for _, version := range group.Versions {
			for _, r := range version.Resources {
				kinds = append(kinds, rest.Kind{
					Group:      group.Metadata.Name,
					Version:    version.Version,
					Kind:       r.ResponseKind.Kind,
					Plural:     r.Resource,
					Namespaced: r.Scope == "Namespaced",
					Status: slices.ContainsFunc(r.Subresources, func(s struct{ Subresource string }) bool {
						return s.Subresource == "status"
					}),
					Verbs: rest.VerbsOf(r.Verbs...),
				})
			}
		}
	}
	return kinds
}
