package fakeapi

import (
	"net/http"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

// serveCollection answers for a collection.
func (s *Server) serveCollection(w *response, r *http.Request, res *resource, q *query) {
	switch r.Method {
	case http.MethodGet:
		s.serveList(w, r, res, q)
	case http.MethodPost:
		if res.kind.Namespaced && q.namespace == "" {
			writeStatus(w, methodNotAllowed())
			return
		}
		s.servePost(w, r, res, q)
	case http.MethodDelete:
		if res.kind.Namespaced && q.namespace == "" || res.traits.noCollection {
			writeStatus(w, methodNotAllowed())
			return
		}
		s.serveDeleteAll(w, r, res, q)
	default:
		writeStatus(w, methodNotAllowed())
	}
}

// serveList answers a list or a watch.
func (s *Server) serveList(w *response, r *http.Request, res *resource, q *query) {
	if s.options.NoWatchList && boolOf(q.params, "watch") && q.params.Has("sendInitialEvents") {
		writeStatus(w, invalidOptions("ListOptions", valid.Forbidden("sendInitialEvents",
			"sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")))
		return
	}
	o, st := listOptionsOf(q.params)
	if st == nil {
		var sel selection
		if sel, st = res.selectionOf(q.namespace, q.params); st == nil {
			if o.watch {
				s.serveWatch(w, r, res, sel, &o)
				return
			}
			var p *page
			if p, st = s.list(r.Context(), res, &sel, &o); st == nil {
				s.writePage(w, res, p)
				return
			}
		}
	}
	writeStatus(w, st)
}

// servePost answers a create.
func (s *Server) servePost(w *response, r *http.Request, res *resource, q *query) {
	o, st := writeOptionsOf("CreateOptions", q.params)
	var content rest.Object
	if st == nil {
		b := s.body(w, r)
		if content, st = res.readObject(b, r); st == nil {
			st = res.accept(w, content, b.raw, o)
		}
	}
	if st != nil {
		writeStatus(w, st)
		return
	}
	o.escalation = s.escalation(res, q)
	s.mu.Lock()
	obj, st := s.create(res, q.namespace, content, o)
	s.unlock()
	s.reply(w, res, http.StatusCreated, obj, st)
}

// reply answers a write, once the watches have been told of it.
func (s *Server) reply(w *response, res *resource, code int, obj *object, st *rest.Status) {
	if st != nil {
		writeStatus(w, st)
		return
	}
	s.settle(res)
	s.writeObject(w, code, res, obj)
}

// serveDeleteAll answers a delete of a collection.
func (s *Server) serveDeleteAll(w *response, r *http.Request, res *resource, q *query) {
	o, st := s.deleteOptionsOf(w, r, q.params)
	var sel selection
	if st == nil {
		sel, st = res.selectionOf(q.namespace, q.params)
	}
	if st != nil {
		writeStatus(w, st)
		return
	}
	s.mu.Lock()
	p := res.page(res.objects, &sel, "", s.version, 0)
	for _, obj := range p.items {
		if _, _, st = s.erase(res, obj.content.Namespace(), obj.content.Name(), o); st != nil {
			break // what was deleted before stays deleted
		}
	}
	s.unlock()
	s.settle(res)
	if st != nil {
		writeStatus(w, st)
		return
	}
	s.writePage(w, res, p)
}

// serveObject answers for one object.
func (s *Server) serveObject(w *response, r *http.Request, res *resource, q *query) {
	if problems := valid.Segment(q.name); len(problems) > 0 {
		writeStatus(w, badRequest("Name parameter invalid: %q: %s", q.name, strings.Join(problems, ";")))
		return
	}
	switch r.Method {
	case http.MethodGet:
		s.serveGet(w, r, res, q)
	case http.MethodPut, http.MethodPatch:
		s.serveChange(w, r, res, q)
	case http.MethodDelete:
		s.serveDelete(w, r, res, q)
	default:
		writeStatus(w, methodNotAllowed())
	}
}

func (s *Server) serveGet(w *response, r *http.Request, res *resource, q *query) {
	var st *rest.Status
	asked, err := parseVersion(q.params.Get("resourceVersion"))
	if err != nil {
		st = internal(err.Error())
	} else {
		st = s.waitVersion(r.Context(), asked)
	}
	if st != nil {
		writeStatus(w, st)
		return
	}
	s.mu.Lock()
	obj, ok := res.objects[key(q.namespace, q.name)]
	s.mu.Unlock()
	if !ok {
		writeStatus(w, res.notFound(q.name))
		return
	}
	s.writeObject(w, http.StatusOK, res, obj)
}

// serveChange answers a PUT or a PATCH of an object or of its status.
func (s *Server) serveChange(w *response, r *http.Request, res *resource, q *query) {
	o, st := changeOptionsOf(r, res, q)
	if st != nil {
		writeStatus(w, st)
		return
	}
	o.escalation = s.escalation(res, q)
	var obj *object
	code := http.StatusOK
	if r.Method == http.MethodPatch {
		obj, st = s.patch(w, r, res, q, o)
	} else {
		obj, code, st = s.replaceBy(w, r, res, q, o)
	}
	s.reply(w, res, code, obj, st)
}

// replaceBy is a PUT, which may be a create.
func (s *Server) replaceBy(w *response, r *http.Request, res *resource, q *query, o writeOptions) (obj *object, code int, st *rest.Status) {
	content, st := s.replacement(w, r, res, q, o)
	if st != nil {
		return nil, 0, st
	}
	if res.traits.creates && q.sub == "" && !s.has(res, q) {
		if st := s.createBy(res, q, content); st != nil {
			return nil, 0, st
		}
		code = http.StatusCreated
	}
	s.mu.Lock()
	defer s.unlock()
	if code == http.StatusCreated && res.objects[key(q.namespace, q.name)] == nil {
		obj, st = s.create(res, q.namespace, content, o)
		return obj, code, st
	}
	obj, st = s.put(res, q.namespace, q.name, q.sub, content, o)
	return obj, http.StatusOK, st
}

// has tells whether there is an object of the name.
func (s *Server) has(res *resource, q *query) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return res.objects[key(q.namespace, q.name)] != nil
}

// createBy refuses an update that would be a create where that may not be.
func (s *Server) createBy(res *resource, q *query, content rest.Object) *rest.Status {
	if st := res.checkUID(q.namespace, q.name, content, rest.Object{}); st != nil {
		return st
	}
	delete(meta(content), "resourceVersion")
	create := q.access()
	create.Verb = "create"
	return s.authorize(q.user, create)
}

// replacement reads the object of a PUT.
func (s *Server) replacement(w *response, r *http.Request, res *resource, q *query, o writeOptions) (rest.Object, *rest.Status) {
	b := s.body(w, r)
	content, st := res.readObject(b, r)
	if st == nil {
		st = res.accept(w, content, b.raw, o)
	}
	if st != nil {
		return nil, st
	}
	if st := checkURLName(content, q.name); st != nil {
		return nil, st
	}
	return content, placeInNamespace(content, q.namespace)
}

func (s *Server) serveDelete(w *response, r *http.Request, res *resource, q *query) {
	o, st := s.deleteOptionsOf(w, r, q.params)
	if st != nil {
		writeStatus(w, st)
		return
	}
	s.mu.Lock()
	obj, gone, st := s.erase(res, q.namespace, q.name, o)
	s.unlock()
	if st != nil {
		writeStatus(w, st)
		return
	}
	s.settle(res)
	code := http.StatusOK
	if !gone && o.orphan != nil && !*o.orphan {
		code = http.StatusAccepted
	}
	if gone && !res.traits.returns {
		writeJSON(w, code, statusBody(res.deleted(obj)))
		return
	}
	s.writeObject(w, code, res, obj)
}
