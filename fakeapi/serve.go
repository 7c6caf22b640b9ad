package fakeapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// handler answers a request, or refuses it. It writes nothing itself: ServeHTTP reads the request
// before it and writes the answer after it, and the store takes the locks.
type handler func(ctx context.Context, r *request) (answer, *rest.Status)

// ServeHTTP answers a request. It is there for servers that callers run themselves; most callers
// use [Server.Client], [Server.Dial] or [Server.Listen]. On the caller's own server, [Cut] and
// [Truncate] end an answer as [Abort] does, and [Freeze] is like [Silence].
func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	s.running.add()
	defer s.running.done()
	q := queryOf(hr)
	user, refusal := s.accounts.identify(hr.Header, len(s.options.Tokens) > 0)
	rec := s.journal.add(hr, user)
	if refusal == nil && impersonates(hr.Header) {
		user, refusal = s.impersonate(hr.Header, user, q)
		s.journal.rename(rec, user)
	}
	out := s.answering(w, hr, q, rec)
	defer out.close()
	out.Header().Set("Cache-Control", "no-cache, private")
	if out.before() {
		return
	}
	r := &request{query: q, host: hr.Host, header: hr.Header, user: user}
	var a answer
	if refusal == nil {
		a, refusal = s.handle(hr, r, out)
	}
	for _, text := range r.warnings {
		out.Header().Add("Warning", "299 - "+string(value.Encode(text)))
	}
	if refusal != nil {
		a = statusAnswer{refusal}
	}
	a.write(out)
}

// handle finds the handler of a request, reads what it needs, and calls it.
func (s *Server) handle(hr *http.Request, r *request, out *response) (answer, *rest.Status) {
	if st := s.authorize(r.access()); st != nil {
		return nil, st
	}
	if r.plural == "" {
		return s.serveMeta(r)
	}
	r.res = s.store.resources[resourceKey(r.group, r.version, r.plural)]
	if r.res == nil || !r.res.reviewed && !r.res.covers(r.query) {
		return s.unknownResource(r.query)
	}
	var st *rest.Status
	if r.view, st = viewOf(hr.Header.Get("Accept"), r.name == "" && r.method == http.MethodGet); st != nil {
		return nil, st
	}
	out.view = r.view
	h, st := s.handlerOf(r)
	routed := st == nil || st.Code != http.StatusNotFound && st.Code != http.StatusMethodNotAllowed
	if text := r.res.traits.deprecated; text != "" && routed {
		r.warn(text)
	}
	if st != nil {
		return nil, st
	}
	if r.method != http.MethodGet {
		r.body = readBody(hr)
		out.body = r.body.raw
	}
	return h(hr.Context(), r)
}

// handlerOf returns the handler of a request to a resource.
func (s *Server) handlerOf(r *request) (handler, *rest.Status) {
	switch {
	case r.res.reviewed:
		return s.reviewHandler(r)
	case r.res.listed:
		return nil, r.res.onlyListed(r.query)
	case r.sub != "":
		return s.subHandler(r)
	case r.name != "":
		return s.objectHandler(r)
	}
	return s.collectionHandler(r)
}

// onlyListed refuses a request to a resource of which nothing but discovery is implemented: as
// kube-apiserver does if it would refuse it, too.
func (r *resource) onlyListed(q *query) *rest.Status {
	verbs := r.served.Verbs
	switch {
	case q.sub != "", q.name != "" && !slices.Contains(verbs, "get"), r.kind.Namespaced != (q.namespace != ""):
		return unknownPath()
	case !slices.Contains(verbs, q.verb):
		return methodNotAllowed()
	}
	return notImplemented(r.kind.Resource())
}

// collectionHandler returns the handler of a request to a collection.
func (s *Server) collectionHandler(r *request) (handler, *rest.Status) {
	everywhere := r.res.kind.Namespaced && r.namespace == ""
	switch {
	case r.method == http.MethodGet:
		return s.serveList, nil
	case r.method == http.MethodPost && !everywhere:
		return s.serveCreate, nil
	case r.method == http.MethodDelete && !everywhere && slices.Contains(r.res.verbs(), "deletecollection"):
		return s.serveDeleteAll, nil
	}
	return nil, methodNotAllowed()
}

// objectHandler returns the handler of a request to an object.
func (s *Server) objectHandler(r *request) (handler, *rest.Status) {
	if problems := valid.Segment(r.name); len(problems) > 0 {
		return nil, badRequest("Name parameter invalid: %q: %s", r.name, strings.Join(problems, ";"))
	}
	switch r.method {
	case http.MethodGet:
		return s.serveGet, nil
	case http.MethodPut:
		return s.serveUpdate, nil
	case http.MethodPatch:
		return s.servePatch, nil
	case http.MethodDelete:
		return s.serveDelete, nil
	}
	return nil, methodNotAllowed()
}

// unknownResource answers for what is not served: with a Status if the group is a built-in one, and
// otherwise with plain text.
func (s *Server) unknownResource(q *query) (answer, *rest.Status) {
	if s.isOldWatch(q) {
		if q.method == http.MethodGet {
			return nil, notImplemented("watches by path: use the parameter watch")
		}
		return nil, methodNotAllowed()
	}
	if slices.ContainsFunc(s.store.order, func(r *resource) bool { return r.kind.Group == q.group && !r.custom }) {
		return nil, unknownPath()
	}
	return notFoundText, nil
}

// isOldWatch reports whether a path is one of a watch as it was before it became a parameter of a
// list: /api/v1/watch/pods.
func (s *Server) isOldWatch(q *query) bool {
	if q.plural != "watch" || q.namespace != "" {
		return false
	}
	path := url.URL{Path: strings.Replace(q.path, "/watch/", "/", 1)}
	of := queryOf(&http.Request{Method: http.MethodGet, URL: &path})
	r := s.store.resources[resourceKey(of.group, of.version, of.plural)]
	return r != nil && !r.custom && of.sub == "" && r.covers(of) && slices.Contains(r.verbs(), "watch")
}
