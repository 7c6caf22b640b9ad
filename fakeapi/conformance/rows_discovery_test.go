package conformance_test

import (
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

// discoveryRows are about what is served, and in which forms.
var discoveryRows = []row{
	{name: "discovery", run: func(s *script) {
		s.define()
		s.get("/api")
		s.get("/apis/apps")
		s.get("/apis/autoscaling")
		s.get("/apis/example.org/v1")
		s.get("/apis/apps/v2")
		s.byName("/apis", "groups")
	}},
	{name: "discovery of resources", run: func(s *script) {
		for _, path := range groupVersions() {
			s.byName(path, "resources")
		}
	}},
	{name: "discovery of groups", run: func(s *script) {
		for _, path := range groupVersions() {
			if group := path[:strings.LastIndex(path, "/")]; group != "/api" {
				s.get(group)
			}
		}
	}},
	{name: "what is not stored and not implemented", lacks: "component statuses and bindings of pods are only listed", run: func(s *script) {
		s.get("/api/v1/componentstatuses")
		s.post(core+"bindings", `{"metadata":{"name":"none"},"target":{"kind":"Node","name":"n"}}`)
	}},
	{name: "what is only listed", run: func(s *script) {
		s.post("/api/v1/componentstatuses", `{}`)
		s.delete("/api/v1/componentstatuses", "")
		s.delete("/api/v1/componentstatuses/a", "")
		s.get(core + "bindings")
		s.get(core + "bindings/a")
		s.get("/api/v1/bindings")
		s.put(core+"bindings/a", `{}`)
	}},
	{name: "discovery of custom resources", run: func(s *script) {
		s.define()
		s.get("/apis/example.com")
		s.get("/apis/example.com/v9")
		s.byName("/apis/example.com/v1", "resources")
	}},
	{name: "aggregated discovery", run: func(s *script) {
		s.define()
		s.byName("/api", "items", header("Accept", aggregated))
		s.byName("/apis", "items", header("Accept", aggregated))
	}},
	{name: "health", run: func(s *script) {
		for _, path := range []string{"/healthz", "/livez", "/readyz"} {
			s.get(path)
			s.get(path, anonymous)
		}
	}},
	{name: "metadata only", run: func(s *script) {
		const metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
		s.post(configMaps, configMap("a", "x=y", "v"))
		s.get(configMaps+"/a", header("Accept", metadata))
		s.get(configMaps, header("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"))
		s.get(configMaps, header("Accept", metadata))
		s.get(configMaps, header("Accept", metadata+",application/json"))
		w := s.watch(configMaps+"?watch=true", header("Accept", metadata))
		w.next(1)
		s.merge(configMaps+"/a", `{"data":{"k":"w"}}`)
		w.next(1)
		s.delete(configMaps+"/a", "", header("Accept", metadata))
		w.next(1)
		w.close()
	}},
	{name: "table", lacks: "tables are not supported", run: func(s *script) {
		s.post(configMaps, configMap("a", "x=y", "v"))
		a, headers := s.send("GET", configMaps, "", header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"))
		s.log = append(s.log, exchange{Request: "GET as a table", Code: a.code, Header: headers, Body: lookup(a.doc, "kind")})
	}},
}

// groupVersions returns the paths of all that is served by default.
func groupVersions() []string {
	var paths []string
	for k := range rest.Kinds() {
		path := "/apis/" + k.Kind.APIVersion()
		if k.Kind.Group == "" {
			path = "/api/" + k.Kind.Version
		}
		if !k.OffByDefault && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// byName is get for a document with a list of named things in any order: they are recorded by name.
func (s *script) byName(path, list string, o ...option) {
	s.t.Helper()
	a, headers := s.send("GET", path, "", o...)
	doc, _ := named(a.doc).(map[string]any)
	s.log = append(s.log, exchange{Request: "GET " + path, Code: a.code, Header: headers, Body: doc})
	if members, ok := doc[list].(map[string]any); !ok || len(members) == 0 {
		s.t.Errorf("%s: %s has no %s", s.server.Name(), path, list)
	}
}

// named turns lists of things with names into maps.
func named(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			v[key] = named(child)
		}
		delete(v, "storageVersionHash") // depends on the build
	case []any:
		byName := map[string]any{}
		for _, item := range v {
			m, ok := item.(map[string]any)
			if !ok {
				return v
			}
			name := "core" // the one group without a name
			for _, path := range []string{"name", "metadata.name", "resource", "subresource", "groupVersion", "version"} {
				if text, ok := lookup(m, path).(string); ok {
					name = text
					break
				}
			}
			byName[name] = named(m)
		}
		if len(byName) != len(v) {
			return v
		}
		return byName
	}
	return v
}
