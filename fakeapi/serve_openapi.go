package fakeapi

import (
	"strings"
)

// openAPI describes just enough of the API for kubectl to see that the server validates fields and
// knows dry runs. Without that, kubectl refuses to create from a file. There are no schemas.
func (s *Server) openAPI(path string) (any, bool) {
	below, ok := strings.CutPrefix(path, "/openapi/v3")
	switch {
	case !ok:
		return nil, false
	case below == "":
		paths := map[string]any{}
		for _, r := range s.store.order {
			paths[strings.TrimPrefix(r.basePath(), "/")] = map[string]any{"serverRelativeURL": "/openapi/v3" + r.basePath()}
		}
		return map[string]any{"paths": paths}, true
	}
	paths := map[string]any{}
	for _, r := range s.store.order {
		if r.basePath() != below {
			continue
		}
		object := r.basePath() + "/" + r.kind.Plural + "/{name}"
		if r.kind.Namespaced {
			object = r.basePath() + "/namespaces/{namespace}/" + r.kind.Plural + "/{name}"
		}
		paths[object] = map[string]any{"patch": map[string]any{
			"x-kubernetes-group-version-kind": map[string]any{"group": r.kind.Group, "version": r.kind.Version, "kind": r.kind.Kind},
			"parameters": []any{
				map[string]any{"name": "dryRun", "in": "query", "schema": map[string]any{"type": "string"}},
				map[string]any{"name": "fieldValidation", "in": "query", "schema": map[string]any{"type": "string"}},
			},
			"responses": map[string]any{},
		}}
	}
	return map[string]any{
		"openapi": "3.0.0", "info": map[string]any{"title": "fakeapi", "version": serverVersion},
		"paths": paths, "components": map[string]any{"schemas": map[string]any{}},
	}, len(paths) > 0
}

// basePath is the path of the resource's group and version.
func (r *resource) basePath() string {
	if r.kind.Group == "" {
		return "/api/" + r.kind.Version
	}
	return "/apis/" + r.kind.APIVersion()
}
