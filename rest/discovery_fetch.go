package rest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/tideway-go/tideway/rest/internal/flight"
	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/rest/internal/pace"
	"github.com/tideway-go/tideway/stream"
)

// served is what was read of a server at one time. It is never changed.
type served struct {
	versions  []groupVersion
	documents map[string]document // by path
	all       Discovery           // the same, as callers see it
}

// document is an answer of /api or /apis.
type document struct {
	etag       string
	aggregated bool
	versions   []groupVersion
}

const opDiscover = "discover"

// fetch reads everything. before is what was read the last time.
func (d *discoverer) fetch(ctx context.Context, before *served) (*served, error) {
	s := &served{documents: map[string]document{}}
	aggregated := true
	for _, path := range []string{"/api", "/apis"} {
		doc, err := d.document(ctx, path, before.documents[path])
		switch {
		case err == nil:
			aggregated = aggregated && doc.aggregated
		case path == "/api" && errors.Is(err, ErrNotFound): // a server that has no core group
		default:
			return nil, err
		}
		s.documents[path] = doc
		s.versions = append(s.versions, doc.versions...)
	}
	if !aggregated {
		s.versions = distinct(s.versions)
		if err := d.describe(ctx, s.versions); err != nil {
			return nil, err
		}
	}
	for i := range s.versions {
		s.versions[i].keep(before)
	}
	s.all = discoveryOf(s.versions)
	return s, nil
}

// document reads /api or /apis. If the server says that nothing has changed, the previous document
// is the answer.
func (d *discoverer) document(ctx context.Context, path string, before document) (document, error) {
	resp, err := d.ask(ctx, path, acceptAggregated, before.etag)
	if err == nil && resp.code == http.StatusNotModified {
		return before, nil
	}
	if errors.Is(err, ErrNotAcceptable) {
		resp, err = d.ask(ctx, path, acceptLegacy, "")
	}
	if err != nil {
		return document{}, err
	}
	doc := document{aggregated: isAggregated(resp.contentType)}
	if doc.aggregated {
		doc.etag = resp.etag
		doc.versions, err = readAggregated(resp.body)
	} else {
		doc.versions, err = readVersions(resp.body)
	}
	if err != nil {
		return document{}, line.Errorf("%s %s: %w", opDiscover, path, resp.wrong(err))
	}
	return doc, nil
}

// distinct removes versions that are listed twice.
func distinct(versions []groupVersion) []groupVersion {
	type name struct{ group, version string }
	seen := make(map[name]bool, len(versions))
	return slices.DeleteFunc(versions, func(v groupVersion) bool {
		n := name{v.group, v.version}
		again := seen[n]
		seen[n] = true
		return again
	})
}

// maxDescribed is how many versions are asked for by themselves. Large clusters have some hundred.
const maxDescribed = 2000

// describe asks for each version by itself, for servers without aggregated discovery. It fails if
// no version can be described.
func (d *discoverer) describe(ctx context.Context, versions []groupVersion) error {
	const atATime = 8
	if n := len(versions); n > maxDescribed {
		return line.Errorf("%s: %w", opDiscover, notAsked("the server lists %d versions, more than %d", n, maxDescribed))
	}
	in := stream.Generate(ctx, func(_ context.Context, send func(groupVersion) bool) {
		for _, v := range versions {
			if !send(v) {
				return
			}
		}
	})
	failed, i := 0, 0
	for v := range stream.MapOrdered(ctx, in, atATime, func(v groupVersion) groupVersion { return d.version(ctx, v.group, v.version) }) {
		versions[i] = v
		i++
		if v.err != nil {
			failed++
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failed > 0 && failed == len(versions):
		return versions[0].err
	}
	return nil
}

// version asks for one version of a group.
func (d *discoverer) version(ctx context.Context, group, version string) groupVersion {
	v := groupVersion{group: group, version: version}
	path := "/api/" + url.PathEscape(version)
	if group != "" {
		path = "/apis/" + url.PathEscape(group) + "/" + url.PathEscape(version)
	}
	resp, err := d.ask(ctx, path, acceptLegacy, "")
	if err != nil {
		v.err = err
		return v
	}
	if err := v.readResources(resp.body); err != nil {
		v.err = line.Errorf("%s %s: %w", opDiscover, path, resp.wrong(err))
	}
	return v
}

// keep restores what was known of a version that does not answer now: it still exists, and no other
// group may take its place.
func (v *groupVersion) keep(before *served) {
	if len(v.resources) > 0 || v.err == nil && !v.stale {
		return
	}
	for _, b := range before.versions {
		if b.group == v.group && b.version == v.version {
			v.resources = slices.Clone(b.resources)
			for i := range v.resources {
				v.resources[i].Stale = true
			}
		}
	}
}

// discoveryOf joins what is known of each version.
func discoveryOf(versions []groupVersion) Discovery {
	var d Discovery
	for _, v := range versions {
		d.Resources = append(d.Resources, v.resources...)
		switch {
		case v.err != nil:
			d.Failures = append(d.Failures, &DiscoveryError{v.group, v.version, v.err})
		case v.stale:
			d.Failures = append(d.Failures, &DiscoveryError{v.group, v.version, ErrStale})
		}
	}
	return d
}

// clone returns a copy for a caller.
func (d Discovery) clone() Discovery {
	d.Resources, d.Failures = slices.Clone(d.Resources), slices.Clone(d.Failures)
	for i := range d.Resources {
		d.Resources[i] = d.Resources[i].clone()
	}
	return d
}

// wrong returns the error of an answer that could not be read.
func (p *page) wrong(err error) error {
	a := answer{p.code, p.contentType, p.body, p.hide}
	if text := a.notJSON(); text != nil {
		return line.Errorf("%w: %w", errNoDiscovery, text)
	}
	return err
}

// discoverer reads what the server of a client serves, and remembers it.
type discoverer struct {
	// ask sends one request. The statuses 200 and 304 are not errors.
	ask    func(ctx context.Context, path, accept, etag string) (page, error)
	flight flight.Flight[*served]
	again  pace.Pace // of the readings that a 404 leads to

	mu    sync.Mutex
	last  *served         // nil: nothing was read yet
	names map[string]Kind // the names in it that were looked up
}

// page is an answer of the server to a request of discovery.
type page struct {
	code              int
	contentType, etag string
	body              []byte
	hide              hiding
}
