package fakeapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// query is what a request asks for, as far as its line says.
type query struct {
	method string
	path   string
	params url.Values

	// For a resource:
	group, version string
	namespace      string
	plural         string
	name           string
	sub            string
	verb           string

	user *User // as whom it is asked
}

// queryOf takes the line of a request apart, as the real server does before it
// knows what it serves.
func queryOf(r *http.Request) *query {
	q := &query{method: r.Method, path: r.URL.Path, params: r.URL.Query()}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(parts) >= 2 && parts[0] == "api":
		q.version, parts = parts[1], parts[2:]
	case len(parts) >= 3 && parts[0] == "apis":
		q.group, q.version, parts = parts[1], parts[2], parts[3:]
	default:
		return q
	}
	if len(parts) == 0 {
		return q
	}
	if parts[0] == "namespaces" && len(parts) > 2 && !slices.Contains([]string{"status", "finalize"}, parts[2]) {
		q.namespace, parts = parts[1], parts[2:]
	}
	q.plural = parts[0]
	if len(parts) > 1 {
		q.name = parts[1]
	}
	if len(parts) > 2 {
		q.sub = strings.Join(parts[2:], "/")
	}
	q.verb = q.verbOf()
	return q
}

func (q *query) verbOf() string {
	switch q.method {
	case http.MethodGet, http.MethodHead:
		switch {
		case q.name != "":
			return "get"
		case boolOf(q.params, "watch"):
			return "watch"
		}
		return "list"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if q.name == "" {
			return "deletecollection"
		}
		return "delete"
	}
	return strings.ToLower(q.method)
}

// ServeHTTP answers a request. It is there for a server of the caller's own;
// most callers use [Server.Client], [Server.Dial] or [Server.Listen].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.running.add()
	defer s.running.done()
	rec := s.log(r)
	q := queryOf(r)
	var refusal *rest.Status
	q.user, refusal = s.user(r)
	if refusal == nil {
		q.user, refusal = s.impersonate(r.Header, q.user, q)
	}
	out := s.answer(w, r, q, rec)
	defer out.close()
	out.Header().Set("Cache-Control", "no-cache, private")
	if q.user != nil {
		s.mu.Lock()
		rec.User = q.user.Name
		s.mu.Unlock()
	}
	if out.before() {
		return
	}
	if refusal == nil {
		refusal = s.authorize(q.user, q.access())
	}
	if refusal != nil {
		writeStatus(out, refusal)
		return
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	s.route(out, r, q)
}

// maxBody is how much of a request's body is read.
const maxBody = 3 << 20

// route finds what answers a request.
func (s *Server) route(w *response, r *http.Request, q *query) {
	if q.plural == "" {
		s.serveMeta(w, r, q)
		return
	}
	res := s.resources[resourceKey(q.group, q.version, q.plural)]
	if res == nil || !res.reviewed && !res.covers(q) {
		s.unknownResource(w, q)
		return
	}
	v, st := viewOf(r, q.name == "" && r.Method == http.MethodGet)
	if st != nil {
		writeStatus(w, st)
		return
	}
	w.view = v
	if q.group == "" && q.plural == "endpoints" {
		w.Header().Add("Warning", `299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"`)
	}
	switch {
	case res.reviewed:
		s.serveReview(w, r, res, q)
	case q.sub != "":
		s.serveSub(w, r, res, q)
	case q.name != "":
		s.serveObject(w, r, res, q)
	default:
		s.serveCollection(w, r, res, q)
	}
}

// covers tells whether a path is one of the resource: with a namespace or without
// it, as the resource has one. All namespaces can be listed and watched.
func (r *resource) covers(q *query) bool {
	switch {
	case !r.kind.Namespaced:
		return q.namespace == ""
	case q.namespace != "":
		return true
	case r.custom:
		return q.verb == "list" || q.verb == "watch"
	}
	return q.name == ""
}

// unknownResource answers for what is not served: with a Status below a
// built-in group, else with plain text.
func (s *Server) unknownResource(w *response, q *query) {
	for _, r := range s.order {
		if r.kind.Group == q.group && !r.custom {
			writeStatus(w, unknownPath())
			return
		}
	}
	notFoundText(w)
}

func notFoundText(w *response) { http.Error(w, "404 page not found", http.StatusNotFound) }
