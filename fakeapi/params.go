package fakeapi

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// readDeleteOptions reads the body of a delete.
func readDeleteOptions(raw []byte, contentType string) (deleteOptions, *rest.Status) {
	if ct, _, err := mime.ParseMediaType(contentType); contentType != "" && (err != nil || ct != "application/json") {
		return deleteOptions{}, unknownFormat(ct)
	}
	var t typeMeta
	if err := stdjson.Unmarshal(raw, &t); err != nil {
		return deleteOptions{}, badRequest("couldn't get version/kind; json parse error: %v", err)
	}
	switch {
	case slices.Contains(unversioned, t.Kind):
		return deleteOptions{}, badRequest("converting (v1.%s) to (v1.DeleteOptions): unknown conversion", t.Kind)
	case t.Kind != "" && t.Kind != "DeleteOptions":
		return deleteOptions{}, badRequest(`no kind %q is registered for version %q in scheme "pkg/runtime/scheme.go:111"`, t.Kind, t.APIVersion)
	}
	o, err := decodeDeleteOptions(raw, false)
	if err != nil {
		return o, badRequest("%v", err)
	}
	return o, o.check()
}

// decodeDeleteOptions decodes the body of a delete, or the member of an Eviction that is like one.
// The names of the types occur in its errors.
func decodeDeleteOptions(raw []byte, inEviction bool) (deleteOptions, error) {
	type UID string
	type DeletionPropagation string
	type Preconditions struct {
		UID             *UID    `json:"uid"`
		ResourceVersion *string `json:"resourceVersion"`
	}
	type TypeMeta typeMeta
	type DeleteOptions struct {
		TypeMeta
		GracePeriodSeconds *int64               `json:"gracePeriodSeconds"`
		Preconditions      *Preconditions       `json:"preconditions"`
		OrphanDependents   *bool                `json:"orphanDependents"`
		PropagationPolicy  *DeletionPropagation `json:"propagationPolicy"`
		DryRun             []string             `json:"dryRun"`
		IgnoreReadError    *bool                `json:"ignoreStoreReadErrorWithClusterBreakingPotential"`
	}
	type Eviction struct {
		DeleteOptions *DeleteOptions `json:"deleteOptions"`
	}
	var b DeleteOptions
	var err error
	if inEviction {
		err = stdjson.Unmarshal(raw, &Eviction{&b})
	} else {
		err = stdjson.Unmarshal(raw, &b)
	}
	if err != nil {
		return deleteOptions{}, errors.New(goTypes.Replace(err.Error()))
	}
	o := deleteOptions{
		grace: b.GracePeriodSeconds, orphan: b.OrphanDependents, dryRun: len(b.DryRun) > 0, stages: b.DryRun,
		unsafe: b.IgnoreReadError != nil && *b.IgnoreReadError,
	}
	if b.PropagationPolicy != nil {
		o.named, o.propagation = true, string(*b.PropagationPolicy)
	}
	if b.Preconditions != nil {
		o.preconditions = true
		o.uid, o.version = (*string)(b.Preconditions.UID), b.Preconditions.ResourceVersion
	}
	return o, nil
}

// goTypes turns the names of types here into those of kube-apiserver.
var goTypes = strings.NewReplacer("fakeapi.UID", "types.UID", "fakeapi.", "v1.")

// deleteOptionsOf reads what a delete asks for: from the body, or from the parameters if there is
// none.
func deleteOptionsOf(r *request) (deleteOptions, *rest.Status) {
	if st := r.body.problem(); st != nil {
		return deleteOptions{}, st
	}
	if len(r.body.raw) == 0 {
		return deleteParams(r.params)
	}
	return readDeleteOptions(r.body.raw, r.header.Get("Content-Type"))
}

// ignoreReadError is the option that deletes what cannot be read from storage.
const ignoreReadError = "ignoreStoreReadErrorWithClusterBreakingPotential"

// deleteParams reads the parameters of a delete.
func deleteParams(p url.Values) (deleteOptions, *rest.Status) {
	o := deleteOptions{
		propagation: p.Get("propagationPolicy"), named: p.Has("propagationPolicy"), dryRun: p.Has("dryRun"), stages: p["dryRun"],
		unsafe: boolOf(p, ignoreReadError),
	}
	if p.Has("gracePeriodSeconds") {
		n, err := strconv.ParseInt(p.Get("gracePeriodSeconds"), 10, 64)
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
