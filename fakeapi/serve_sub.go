package fakeapi

import (
	"net/http"
	"slices"

	"github.com/tideway-go/tideway/rest"
)

// The kinds of the objects that subresources take and return.
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

// subs returns the subresources of a resource in the order of their names. Not all that built-in
// kinds have are implemented.
func (r *resource) subs() []subresource {
	switch {
	case !r.custom:
		return builtinSubs[r.kind.String()]
	case r.status:
		return []subresource{statusPart}
	}
	return nil
}

// subHandler returns the handler of a request to a subresource.
func (s *Server) subHandler(r *request) (handler, *rest.Status) {
	i := slices.IndexFunc(r.res.subs(), func(sub subresource) bool { return sub.name == r.sub })
	switch {
	case i >= 0:
	case r.res.custom:
		return nil, r.res.notFound(r.name)
	default:
		return nil, unknownPath()
	}
	if !slices.Contains(r.res.subs()[i].verbs, r.verb) {
		return nil, r.res.notSupported(r.verb)
	}
	switch {
	case r.sub == "eviction":
		return s.serveEviction, nil
	case r.sub == "token":
		return s.serveToken, nil
	case r.sub == "scale" && r.method == http.MethodGet:
		return s.serveScale, nil
	case r.sub == "scale":
		return s.serveScaling, nil
	case r.sub != "status" && r.sub != "finalize":
		return nil, notImplemented(r.res.kind.Resource() + "/" + r.sub)
	case r.method == http.MethodGet:
		return s.serveGet, nil
	case r.method == http.MethodPatch:
		return s.servePatch, nil
	}
	return s.serveUpdate, nil
}

// readSub reads the object that a request to a subresource carries, and places it in the namespace
// of the path.
func (r *request) readSub(kind *resource, o writeOptions) (rest.Object, *rest.Status) {
	content, st := r.readObject(kind, o)
	if st == nil {
		st = placeInNamespace(content, r.namespace)
	}
	return content, st
}
