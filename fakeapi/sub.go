package fakeapi

import (
	"net/http"
	"slices"

	"github.com/tideway-go/tideway/rest"
)

// The kinds that subresources take and give.
var (
	scaleKind    = rest.Kind{Group: "autoscaling", Version: "v1", Kind: "Scale", Plural: "scales", Namespaced: true}
	evictionKind = rest.Kind{Group: "policy", Version: "v1", Kind: "Eviction", Plural: "evictions", Namespaced: true}
	tokenKind    = rest.Kind{Group: "authentication.k8s.io", Version: "v1", Kind: "TokenRequest", Plural: "tokenrequests", Namespaced: true}
)

// subresource is one that the server serves.
type subresource struct {
	name  string
	kind  rest.Kind // zero is that of the resource
	verbs []string
}

// subs returns the subresources of a resource in the order of their names.
func (r *resource) subs() []subresource {
	var out []subresource
	if !r.custom {
		switch r.kind.Resource() {
		case "deployments.apps", "replicasets.apps", "statefulsets.apps", "replicationcontrollers":
			out = append(out, subresource{name: "scale", kind: scaleKind, verbs: []string{"get", "patch", "update"}})
		case "pods":
			out = append(out, subresource{name: "eviction", kind: evictionKind, verbs: []string{"create"}})
		case "serviceaccounts":
			out = append(out, subresource{name: "token", kind: tokenKind, verbs: []string{"create"}})
		}
	}
	if r.status {
		out = append(out, subresource{name: "status", verbs: []string{"get", "patch", "update"}})
	}
	return out
}

// missingSubs are the subresources that the real server has and this one does
// not.
var missingSubs = map[string][]string{
	"pods": {"attach", "binding", "ephemeralcontainers", "exec", "log", "portforward", "proxy", "resize"},
	"certificatesigningrequests.certificates.k8s.io": {"approval"},
	"namespaces": {"finalize"},
	"nodes":      {"proxy"},
	"services":   {"proxy"},
}

// serveSub answers for a subresource.
func (s *Server) serveSub(w *response, r *http.Request, res *resource, q *query) {
	i := slices.IndexFunc(res.subs(), func(sub subresource) bool { return sub.name == q.sub })
	switch {
	case i >= 0:
	case res.custom:
		writeStatus(w, res.notFound(q.name))
		return
	case slices.Contains(missingSubs[res.kind.Resource()], q.sub):
		writeStatus(w, notImplemented(res.kind.Resource()+"/"+q.sub))
		return
	default:
		writeStatus(w, unknownPath())
		return
	}
	if !slices.Contains(res.subs()[i].verbs, q.verb) {
		writeStatus(w, res.notSupported(q.verb))
		return
	}
	switch q.sub {
	case "scale":
		s.serveScale(w, r, res, q)
	case "eviction":
		s.serveEviction(w, r, res, q)
	case "token":
		s.serveToken(w, r, res, q)
	default:
		if r.Method == http.MethodGet {
			s.serveGet(w, r, res, q)
		} else {
			s.serveChange(w, r, res, q)
		}
	}
}

// readSub reads the object that a request to a subresource carries, and checks
// that it is for the object that the path names.
func (s *Server) readSub(w *response, r *http.Request, kind *resource, q *query, o writeOptions) (rest.Object, *rest.Status) {
	b := s.body(w, r)
	content, st := kind.readObject(b, r)
	if st == nil {
		st = kind.accept(w, content, b.raw, o)
	}
	if st == nil {
		st = placeInNamespace(content, q.namespace)
	}
	return content, st
}
