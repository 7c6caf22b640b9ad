package fakeapi

import (
	"cmp"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// serveMeta answers for what is not a resource: discovery, version, health.
func (s *Server) serveMeta(r *request) (answer, *rest.Status) {
	doc, ok := s.metaDocument(r, strings.TrimSuffix(r.path, "/"))
	switch {
	case !ok && r.version != "":
		return s.unknownResource(r.query)
	case !ok:
		return notFoundText, nil
	case r.method != http.MethodGet && (r.method != http.MethodHead || refusesHead(r.query)):
		return nil, methodNotAllowed()
	}
	switch doc := doc.(type) {
	case string:
		return textAnswer(doc), nil
	case discoveryList:
		return documentAnswer{discoveryType, value.Encode(doc)}, nil
	}
	return documentAnswer{jsonContent, value.Encode(doc)}, nil
}

// minorVersion is the second part of the version: "37".
func minorVersion() string { return strings.Split(serverVersion, ".")[1] }

// refusesHead reports whether a path knows only GET.
func refusesHead(q *query) bool { return q.version != "" || q.path == "/api" || q.path == "/version" }

// metaDocument returns what is at a path: a text, or a document to be encoded.
func (s *Server) metaDocument(r *request, path string) (any, bool) {
	switch path {
	case "/healthz", "/readyz", "/livez":
		return "ok", true
	case "/version":
		return map[string]any{
			"major": "1", "minor": minorVersion(), "gitVersion": serverVersion, "gitCommit": "", "gitTreeState": "", "buildDate": "1970-01-01T00:00:00Z",
			"goVersion": "go1.26", "compiler": "gc", "platform": "linux/amd64",
		}, true
	case "/api":
		if aggregated(r.header.Get("Accept")) {
			return s.groupDiscovery(true), true
		}
		return map[string]any{
			"kind": "APIVersions", "versions": []string{"v1"},
			"serverAddressByClientCIDRs": []any{map[string]any{"clientCIDR": "0.0.0.0/0", "serverAddress": r.host}},
		}, true
	case "/apis":
		if aggregated(r.header.Get("Accept")) {
			return s.groupDiscovery(false), true
		}
		groups := []any{}
		for _, name := range s.groups() {
			if name != "" {
				groups = append(groups, s.group(name))
			}
		}
		return map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}, true
	}
	if doc, ok := s.openAPI(path); ok {
		return doc, true
	}
	return s.groupDocument(path)
}

// groupDocument describes the group, or the version, at a path.
func (s *Server) groupDocument(path string) (any, bool) {
	if path == "/api/v1" {
		return s.resourceList("", "v1")
	}
	below, ok := strings.CutPrefix(path, "/apis/")
	if !ok {
		return nil, false
	}
	name, version, ok := strings.Cut(below, "/")
	switch {
	case name == "" || !s.servesGroup(name):
		return nil, false
	case ok:
		return s.resourceList(name, version)
	}
	g := s.group(name)
	g["kind"], g["apiVersion"] = "APIGroup", "v1"
	return g, true
}

func (s *Server) servesGroup(name string) bool { return slices.Contains(s.groups(), name) }

// groups returns the names of the groups in the order of kube-apiserver, those of custom kinds
// last.
func (s *Server) groups() []string {
	var out []string
	for _, r := range s.store.order {
		if !slices.Contains(out, r.kind.Group) {
			out = append(out, r.kind.Group)
		}
	}
	rank := func(name string) int {
		if i := slices.Index(groupOrder, name); i >= 0 {
			return i
		}
		return len(groupOrder)
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// served returns the resources of a version in the order of their plurals.
func (s *Server) served(group, version string) []*resource {
	var out []*resource
	for _, r := range s.store.order {
		if r.kind.Group == group && r.kind.Version == version {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b *resource) int { return cmp.Compare(a.kind.Plural, b.kind.Plural) })
	return out
}

// versions returns the versions of a group, the preferred one first.
func (s *Server) versions(group string) []string {
	var out []string
	for _, r := range s.store.order {
		if r.kind.Group == group && !slices.Contains(out, r.kind.Version) {
			out = append(out, r.kind.Version)
		}
	}
	return out
}

// group describes a group as legacy discovery does.
func (s *Server) group(name string) map[string]any {
	names := s.versions(name)
	versions := make([]any, len(names))
	for i, v := range names {
		versions[i] = map[string]any{"groupVersion": name + "/" + v, "version": v}
	}
	return map[string]any{"name": name, "versions": versions, "preferredVersion": versions[0]}
}

// verbs returns what can be done with a resource, in the order of kube-apiserver.
func (r *resource) verbs() []string {
	if r.custom {
		return []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
	}
	return r.served.Verbs
}

// singular returns the name of one object.
func (r *resource) singular() string { return cmp.Or(r.served.Singular, strings.ToLower(r.kind.Kind)) }

// resourceList describes a version as legacy discovery does.
func (s *Server) resourceList(group, version string) (any, bool) {
	resources := []any{}
	for _, r := range s.served(group, version) {
		m := map[string]any{
			"name": r.kind.Plural, "singularName": r.singular(), "namespaced": r.kind.Namespaced, "kind": r.kind.Kind, "verbs": r.verbs(),
		}
		addNames(m, r)
		resources = append(resources, m)
		for _, sub := range r.subs() {
			m := map[string]any{
				"name": r.kind.Plural + "/" + sub.name, "singularName": "", "namespaced": r.kind.Namespaced, "kind": r.kind.Kind, "verbs": sub.verbs,
			}
			if sub.kind.Kind != "" {
				m["kind"] = sub.kind.Kind
			}
			if sub.kind.Version != "" { // otherwise it is of this version
				m["group"], m["version"] = sub.kind.Group, sub.kind.Version
			}
			resources = append(resources, m)
		}
	}
	if len(resources) == 0 {
		return nil, false
	}
	k := rest.Kind{Group: group, Version: version}
	list := map[string]any{"kind": "APIResourceList", "groupVersion": k.APIVersion(), "resources": resources}
	if group != "" {
		list["apiVersion"] = "v1"
	}
	return list, true
}

func addNames(m map[string]any, r *resource) {
	if names := r.served.ShortNames; len(names) > 0 {
		m["shortNames"] = names
	}
	if names := r.served.Categories; len(names) > 0 {
		m["categories"] = names
	}
}

// aggregated reports whether a client asks for all of discovery in one answer.
func aggregated(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		_, params, err := mime.ParseMediaType(part)
		if err == nil && params["as"] == "APIGroupDiscoveryList" && params["v"] == "v2" && params["g"] == "apidiscovery.k8s.io" {
			return true
		}
	}
	return false
}

// discoveryList is the answer of aggregated discovery.
type discoveryList struct {
	Kind       string         `json:"kind"`
	APIVersion string         `json:"apiVersion"`
	Metadata   map[string]any `json:"metadata"`
	Items      []any          `json:"items"`
}

// groupDiscovery describes the core group, or all others.
func (s *Server) groupDiscovery(core bool) discoveryList {
	list := discoveryList{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2", Metadata: map[string]any{}, Items: []any{}}
	for _, name := range s.groups() {
		if (name == "") != core {
			continue
		}
		m := map[string]any{}
		if name != "" {
			m["name"] = name
		}
		var versions []any
		for _, v := range s.versions(name) {
			versions = append(versions, map[string]any{"version": v, "freshness": "Current", "resources": s.discovered(name, v)})
		}
		list.Items = append(list.Items, map[string]any{"metadata": m, "versions": versions})
	}
	return list
}

// discovered describes the resources of a version as aggregated discovery does.
func (s *Server) discovered(group, version string) []any {
	served := s.served(group, version)
	out := make([]any, 0, len(served))
	for _, r := range served {
		scope := "Cluster"
		if r.kind.Namespaced {
			scope = "Namespaced"
		}
		kind := map[string]any{"group": "", "version": "", "kind": r.kind.Kind} // "" is that of the list
		if r.custom {
			kind = map[string]any{"group": group, "version": version, "kind": r.kind.Kind}
		}
		m := map[string]any{
			"resource": r.kind.Plural, "responseKind": kind, "scope": scope, "singularResource": r.singular(), "verbs": r.verbs(),
		}
		addNames(m, r)
		var subs []any
		for _, sub := range r.subs() {
			of := kind
			if sub.kind.Kind != "" {
				of = map[string]any{"group": sub.kind.Group, "version": sub.kind.Version, "kind": sub.kind.Kind}
			}
			subs = append(subs, map[string]any{"subresource": sub.name, "responseKind": of, "verbs": sub.verbs})
		}
		if len(subs) > 0 {
			m["subresources"] = subs
		}
		out = append(out, m)
	}
	return out
}

// discoveryType is the content type of an answer of aggregated discovery.
const discoveryType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
