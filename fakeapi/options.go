package fakeapi

import (
	stdjson "encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strconv"

	"github.com/tideway-go/tideway/rest"
)

// deleteBody is what the body of a delete carries.
type deleteBody struct {
	GracePeriodSeconds *int64   `json:"gracePeriodSeconds"`
	PropagationPolicy  *string  `json:"propagationPolicy"`
	OrphanDependents   *bool    `json:"orphanDependents"`
	DryRun             []string `json:"dryRun"`
	Preconditions      *struct {
		UID             *string `json:"uid"`
		ResourceVersion *string `json:"resourceVersion"`
	} `json:"preconditions"`
}

// readDeleteOptions reads the body of a delete.
func readDeleteOptions(raw []byte, contentType string) (*deleteBody, *rest.Status) {
	if ct, _, err := mime.ParseMediaType(contentType); contentType != "" && (err != nil || ct != "application/json") {
		return nil, unknownFormat(ct)
	}
	var t typeMeta
	if err := stdjson.Unmarshal(raw, &t); err != nil {
		return nil, badRequest("couldn't get version/kind; json parse error: %v", err)
	}
	if t.Kind != "" && t.Kind != "DeleteOptions" {
		return nil, badRequest(`no kind %q is registered for version %q in scheme "pkg/runtime/scheme.go:111"`, t.Kind, t.APIVersion)
	}
	type DeleteOptions deleteBody // encoding/json names the type in what it says
	var o DeleteOptions
	if err := stdjson.Unmarshal(raw, &o); err != nil {
		return nil, badRequest("%v", err)
	}
	return (*deleteBody)(&o), nil
}

// deleteOptionsOf reads what a delete asks for: from the body, else from the
// parameters.
func (s *Server) deleteOptionsOf(w *response, r *http.Request, p url.Values) (deleteOptions, *rest.Status) {
	b := s.body(w, r)
	if st := b.problem(); st != nil {
		return deleteOptions{}, st
	}
	if len(b.raw) == 0 {
		return deleteParams(p)
	}
	raw, st := readDeleteOptions(b.raw, r.Header.Get("Content-Type"))
	if st != nil {
		return deleteOptions{}, st
	}
	o := raw.options()
	return o, o.check()
}

// options are what a body asks for.
func (b *deleteBody) options() deleteOptions {
	o := deleteOptions{grace: b.GracePeriodSeconds, orphan: b.OrphanDependents, dryRun: len(b.DryRun) > 0}
	if b.PropagationPolicy != nil {
		o.propagation = *b.PropagationPolicy
	}
	if b.Preconditions != nil {
		o.uid, o.version = b.Preconditions.UID, b.Preconditions.ResourceVersion
	}
	return o
}

// deleteParams reads what a delete asks for in its parameters.
func deleteParams(p url.Values) (deleteOptions, *rest.Status) {
	w, st := writeOptionsOf("DeleteOptions", p)
	if st != nil {
		return deleteOptions{}, st
	}
	o := deleteOptions{propagation: p.Get("propagationPolicy"), dryRun: w.dryRun}
	if v := p.Get("gracePeriodSeconds"); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return o, badRequest("%s", err.Error())
		}
		o.grace = &n
	}
	if p.Has("orphanDependents") {
		v := boolOf(p, "orphanDependents")
		o.orphan = &v
	}
	return o, o.check()
}
