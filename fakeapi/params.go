package fakeapi

import (
	stdjson "encoding/json"
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"unicode"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
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
	type DeleteOptions deleteBody // encoding/json names the type in its errors
	var o DeleteOptions
	if err := stdjson.Unmarshal(raw, &o); err != nil {
		return nil, badRequest("%v", err)
	}
	return (*deleteBody)(&o), nil
}

// deleteOptionsOf reads what a delete asks for: from the body, or from the parameters if there is
// none.
func deleteOptionsOf(r *request) (deleteOptions, *rest.Status) {
	if st := r.body.problem(); st != nil {
		return deleteOptions{}, st
	}
	if len(r.body.raw) == 0 {
		return deleteParams(r.params)
	}
	raw, st := readDeleteOptions(r.body.raw, r.header.Get("Content-Type"))
	if st != nil {
		return deleteOptions{}, st
	}
	o := raw.options()
	return o, o.check()
}

// options returns what a body asks for.
func (b *deleteBody) options() deleteOptions {
	o := deleteOptions{grace: b.GracePeriodSeconds, orphan: b.OrphanDependents, dryRun: len(b.DryRun) > 0, stages: b.DryRun}
	if b.PropagationPolicy != nil {
		o.propagation = *b.PropagationPolicy
	}
	if b.Preconditions != nil {
		o.uid, o.version = b.Preconditions.UID, b.Preconditions.ResourceVersion
	}
	return o
}

// deleteParams reads the parameters of a delete.
func deleteParams(p url.Values) (deleteOptions, *rest.Status) {
	o := deleteOptions{propagation: p.Get("propagationPolicy"), dryRun: p.Has("dryRun"), stages: p["dryRun"]}
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

// patchOptionsOf reads the parameters of a PATCH. As in kube-apiserver, the type of the patch is
// looked at first.
func patchOptionsOf(r *request, res *resource) (writeOptions, *rest.Status) {
	if st := res.checkPatchType(r.patchType()); st != nil {
		return writeOptions{}, st
	}
	return writeOptionsOf("PatchOptions", r.params)
}

// maxManager is how long the name of a field manager may be.
const maxManager = 128

// writeOptionsOf reads the parameters of a write.
func writeOptionsOf(kind string, p url.Values) (writeOptions, *rest.Status) {
	var causes []rest.StatusCause
	if kind == "PatchOptions" && p.Has("force") {
		causes = append(causes, valid.Forbidden("force", "may not be specified for non-apply patch"))
	}
	causes = append(causes, managerCauses(p.Get("fieldManager"))...)
	o := writeOptions{dryRun: p.Has("dryRun"), validation: p.Get("fieldValidation")}
	causes = append(causes, dryRunCauses(p["dryRun"])...)
	switch o.validation {
	case "", "Ignore", "Strict", "Warn":
	default:
		causes = append(causes, valid.Unsupported("fieldValidation", strconv.Quote(o.validation), "", "Ignore", "Strict", "Warn"))
	}
	if len(causes) > 0 {
		return o, invalidOptions(kind, causes...)
	}
	return o, nil
}

// managerCauses returns what is wrong with the name of a field manager.
func managerCauses(name string) []rest.StatusCause {
	var causes []rest.StatusCause
	if len(name) > maxManager {
		causes = append(causes, valid.TooLong("fieldManager", maxManager))
	}
	for i, c := range name {
		if !unicode.IsPrint(c) {
			causes = append(causes, valid.Invalid("fieldManager", strconv.Quote(name), fmt.Sprintf("invalid character %#U (at position %d)", c, i)))
		}
	}
	return causes
}

// dryRunCauses returns what is wrong with the stages of a dry run.
func dryRunCauses(stages []string) []rest.StatusCause {
	if slices.ContainsFunc(stages, func(v string) bool { return v != "All" }) {
		return []rest.StatusCause{valid.Unsupported("dryRun", string(value.Encode(stages)), "All")}
	}
	return nil
}
