package fakeapi

import (
	"context"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

// serveList answers a list, or a watch.
func (s *Server) serveList(ctx context.Context, r *request) (answer, *rest.Status) {
	if s.options.NoWatchList && boolOf(r.params, "watch") && r.params.Has("sendInitialEvents") {
		return nil, invalidOptions("ListOptions", valid.Forbidden("sendInitialEvents",
			"sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"))
	}
	o, st := listOptionsOf(r.params)
	if st != nil {
		return nil, st
	}
	sel, st := r.res.selectionOf(r.namespace, r.params)
	if st != nil {
		return nil, st
	}
	if o.watch {
		return s.serveWatch(ctx, r, sel, &o)
	}
	p, st := s.store.list(ctx, r.res, &sel, &o)
	return pageAnswer{r.res, p}, st
}

// list returns the objects, or a page of them.
func (s *store) list(ctx context.Context, r *resource, sel *selection, o *listOptions) (*page, *rest.Status) {
	if o.token != "" {
		return s.nextPage(r, sel, o)
	}
	asked, err := parseVersion(o.version)
	if err != nil {
		return nil, badRequest("invalid resource version: %v", err)
	}
	if st := s.waitVersion(ctx, asked); st != nil {
		return nil, st
	}
	var p *page
	s.read(func() {
		version, limit := s.version, o.limit
		switch {
		case o.match == exact, o.match == "" && asked > 0 && limit > 0:
			version = asked
		case o.version == "0":
			limit = 0 // the cache of kube-apiserver does not page
		}
		if objects, ok := r.at(version); ok {
			p = r.page(objects, sel, "", version, limit)
		}
	})
	if p == nil {
		return nil, expired("The resourceVersion for the provided list is too old.")
	}
	return p, nil
}

// nextPage returns the page that a token leads to.
func (s *store) nextPage(r *resource, sel *selection, o *listOptions) (*page, *rest.Status) {
	t, err := parseToken(o.token)
	if err != nil {
		return nil, badRequest("invalid continue token: %v", err)
	}
	if o.version != "" && o.version != "0" {
		return nil, badRequest("specifying resource version is not allowed when using continue")
	}
	limit := o.limit
	if o.version == "0" {
		limit = 0 // as without a token
	}
	var p *page
	s.read(func() {
		version := s.version
		if t.Version > 0 {
			version = uint64(t.Version)
		}
		if objects, ok := r.at(version); ok {
			p = r.page(objects, sel, t.Start, version, limit)
		}
	})
	if p == nil {
		st := expired(inconsistent)
		st.Metadata.Continue = continueToken{Version: -1, Start: t.Start}.String()
		return nil, st
	}
	return p, nil
}
