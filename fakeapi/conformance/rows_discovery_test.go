package conformance_test

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

// discoveryRows tell what is served, and in which forms.
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
		for _, path := range []string{"/api/v1", "/apis/apps/v1", "/apis/batch/v1", "/apis/rbac.authorization.k8s.io/v1", "/apis/policy/v1"} {
			s.byName(path, "resources")
		}
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
	{name: "table", lacks: "tables are not given", run: func(s *script) {
		s.post(configMaps, configMap("a", "x=y", "v"))
		a, headers := s.send("GET", configMaps, "", header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"))
		s.log = append(s.log, exchange{Request: "GET as a table", Code: a.code, Header: headers, Body: lookup(a.doc, "kind")})
	}},
}

// byName is get for a document with a list of named things, in whatever order: they are written
// down by name.
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
