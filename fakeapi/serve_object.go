package fakeapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

// serveGet answers with an object.
func (s *Server) serveGet(ctx context.Context, r *request) (answer, *rest.Status) {
	obj, st := s.get(ctx, r)
	if st != nil {
		return nil, st
	}
	return objectAnswer{http.StatusOK, r.res, obj}, nil
}

// get returns the object of a request, once it may be as old as the request says.
func (s *Server) get(ctx context.Context, r *request) (*object, *rest.Status) {
	asked, err := parseVersion(r.params.Get("resourceVersion"))
	if err != nil {
		return nil, internal(err.Error())
	}
	if st := s.store.waitVersion(ctx, asked); st != nil {
		return nil, st
	}
	obj, ok := s.store.object(r.res, r.namespace, r.name)
	if !ok {
		return nil, r.res.notFound(r.name)
	}
	return obj, nil
}

// serveCreate creates an object.
func (s *Server) serveCreate(_ context.Context, r *request) (answer, *rest.Status) {
	o, st := writeOptionsOf("CreateOptions", r.params)
	if st != nil {
		return nil, st
	}
	content, st := r.readObject(r.res, o)
	if st != nil {
		return nil, st
	}
	o.escalation, o.warn = s.escalation(r), r.warn
	var obj *object
	st = s.store.write(func(t *tx) (st *rest.Status) {
		obj, st = t.create(r.res, r.namespace, content, o)
		return st
	})
	return objectAnswer{http.StatusCreated, r.res, obj}, st
}

// serveUpdate replaces an object or its status. Of some kinds it creates an object that is not
// there.
func (s *Server) serveUpdate(_ context.Context, r *request) (answer, *rest.Status) {
	o, st := writeOptionsOf("UpdateOptions", r.params)
	if st != nil {
		return nil, st
	}
	content, st := r.readObject(r.res, o)
	if st == nil {
		st = checkURLName(content, r.name)
	}
	if st == nil {
		st = placeInNamespace(content, r.namespace)
	}
	if st != nil {
		return nil, st
	}
	code := http.StatusOK
	if r.res.traits.creates && r.sub == "" {
		if _, exists := s.store.object(r.res, r.namespace, r.name); !exists {
			if st := s.mayCreate(r, content, o.dryRun); st != nil {
				return nil, st
			}
			code = http.StatusCreated
		}
	}
	o.escalation, o.warn = s.escalation(r), r.warn
	var obj *object
	st = s.store.write(func(t *tx) (st *rest.Status) {
		if code == http.StatusCreated && r.res.objects[key(r.namespace, r.name)] == nil {
			obj, st = t.create(r.res, r.namespace, content, o)
			return st
		}
		code = http.StatusOK
		obj, st = t.put(r.res, r.namespace, r.name, r.sub, content, o)
		return st
	})
	return objectAnswer{code, r.res, obj}, st
}

// mayCreate refuses an update that would have to create the object, if the user may not do that.
func (s *Server) mayCreate(r *request, content rest.Object, dryRun bool) *rest.Status {
	if st := r.res.checkUID(r.namespace, r.name, content, rest.Object{}, dryRun); st != nil {
		return st
	}
	if v := content.String("metadata", "resourceVersion"); v != "" {
		if _, err := strconv.ParseUint(v, 10, 64); err != nil {
			return internal(err.Error())
		}
	}
	delete(meta(content), "resourceVersion")
	create := r.access()
	create.Verb = "create"
	return s.authorize(create)
}

// servePatch patches an object or its status.
func (s *Server) servePatch(_ context.Context, r *request) (answer, *rest.Status) {
	o, st := patchOptionsOf(r, r.res)
	if st != nil {
		return nil, st
	}
	p, st := newPatching(r, r.res, o)
	if st != nil {
		return nil, st
	}
	o.escalation, o.warn = s.escalation(r), r.warn
	var obj *object
	st = s.store.write(func(t *tx) (st *rest.Status) {
		obj, st = t.update(r.res, r.namespace, r.name, r.sub, p.apply, o)
		return st
	})
	return objectAnswer{http.StatusOK, r.res, obj}, st
}

// serveDelete deletes an object.
func (s *Server) serveDelete(_ context.Context, r *request) (answer, *rest.Status) {
	o, st := deleteOptionsOf(r)
	if st != nil {
		return nil, st
	}
	r.warnOrphans(o)
	var obj *object
	var gone bool
	st = s.store.write(func(t *tx) (st *rest.Status) {
		obj, gone, st = t.erase(r.res, r.namespace, r.name, o)
		return st
	})
	if st != nil {
		return nil, st
	}
	code := http.StatusOK
	if !gone && o.orphan != nil && !*o.orphan {
		code = http.StatusAccepted
	}
	if gone && !r.res.traits.returns {
		return statusAnswer{r.res.deleted(obj)}, nil
	}
	return objectAnswer{code, r.res, obj}, nil
}

// warnOrphans warns about a delete of jobs that leaves their pods without being asked to.
func (r *request) warnOrphans(o deleteOptions) {
	if r.res.kind.Resource() == "jobs.batch" && o.propagation == "" && o.orphan == nil {
		r.warn("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them " +
			"or set propagationPolicy=Orphan to suppress this warning")
	}
}

// serveDeleteAll deletes the objects of a collection: those that a list with the same parameters
// returns.
func (s *Server) serveDeleteAll(ctx context.Context, r *request) (answer, *rest.Status) {
	list, st := listOptionsOf(r.params)
	if st != nil {
		return nil, st
	}
	sel, st := r.res.selectionOf(r.namespace, r.params)
	if st != nil {
		return nil, st
	}
	o, st := deleteOptionsOf(r)
	if st != nil {
		return nil, st
	}
	if o.unsafe {
		return nil, invalidOptions("DeleteOptions", valid.Invalid(ignoreReadError, "true", "is not allowed with DELETECOLLECTION, try again after removing the option"))
	}
	r.warnOrphans(o)
	p, st := s.store.list(ctx, r.res, &sel, &list)
	if st != nil {
		return nil, st
	}
	st = s.store.write(func(t *tx) *rest.Status {
		for _, obj := range p.items {
			if _, _, st := t.erase(r.res, obj.content.Namespace(), obj.content.Name(), o); st != nil && st.Code != http.StatusNotFound {
				return st
			}
		}
		return nil
	})
	return pageAnswer{r.res, p}, st
}
