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

// answer is what a server tells of itself.
type answer struct {
	version string
	kinds   []rest.Served // in the order of the server
	types   []string      // of its API, without their groups and versions
}

// read asks a server. It reads discovery by itself, and not through package rest, whose table it makes.
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
				Resource         string
				ResponseKind     struct{ Kind string }
				Scope            string
				SingularResource string
				ShortNames       []string
				Categories       []string
				Verbs            []string
				Subresources     []struct{ Subresource string }
			}
		}
	}
}

func (l *groupList) kinds() []rest.Served {
	var kinds []rest.Served
	for _, group := range l.Items {
		for _, version := range group.Versions {
			for _, r := range version.Resources {
				s := rest.Served{
					Kind: rest.Kind{
						Group:      group.Metadata.Name,
						Version:    version.Version,
						Kind:       r.ResponseKind.Kind,
						Plural:     r.Resource,
						Namespaced: r.Scope == "Namespaced",
					},
					Singular:   r.SingularResource,
					ShortNames: r.ShortNames,
					Categories: r.Categories,
					Verbs:      r.Verbs,
				}
				for _, sub := range r.Subresources {
					s.Subresources = append(s.Subresources, sub.Subresource)
				}
				slices.Sort(s.Subresources)
				slices.Sort(s.Verbs)
				kinds = append(kinds, s)
			}
		}
	}
	return kinds
}
