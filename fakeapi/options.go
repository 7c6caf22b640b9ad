package fakeapi

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/tideway-go/tideway/rest"
)

// deleteOptionsOf reads what a delete asks for: from the body, else from the
// parameters.
func (s *Server) deleteOptionsOf(w http.ResponseWriter, r *http.Request, p url.Values) (deleteOptions, *rest.Status) {
	b := s.body(w, r)
	if st := b.problem(); st != nil {
		return deleteOptions{}, st
	}
	if len(b.raw) == 0 {
		return deleteParams(p)
	}
	raw, err := rest.Decode[struct {
		GracePeriodSeconds *int64   `json:"gracePeriodSeconds"`
		PropagationPolicy  *string  `json:"propagationPolicy"`
		OrphanDependents   *bool    `json:"orphanDependents"`
		DryRun             []string `json:"dryRun"`
		Preconditions      *struct {
			UID             *string `json:"uid"`
			ResourceVersion *string `json:"resourceVersion"`
		} `json:"preconditions"`
	}](b.raw)
	if err != nil {
		return deleteOptions{}, badRequest("couldn't get version/kind; json parse error: %v", err)
	}
	o := deleteOptions{grace: raw.GracePeriodSeconds, orphan: raw.OrphanDependents, dryRun: len(raw.DryRun) > 0}
	if raw.PropagationPolicy != nil {
		o.propagation = *raw.PropagationPolicy
	}
	if raw.Preconditions != nil {
		o.uid, o.version = raw.Preconditions.UID, raw.Preconditions.ResourceVersion
	}
	return o, o.check()
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
