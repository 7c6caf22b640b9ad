package fakeapi

import (
	"bytes"
	"encoding/hex"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

// body is what a request carries.
type body struct {
	raw []byte
	err error
}

// body reads what a request carries, and puts it into the journal.
func (s *Server) body(w *response, r *http.Request) body {
	raw, err := io.ReadAll(r.Body)
	s.mu.Lock()
	w.rec.Body = raw
	s.mu.Unlock()
	return body{raw, err}
}

// problem tells what went wrong while the body was read.
func (b body) problem() *rest.Status {
	var large *http.MaxBytesError
	switch {
	case b.err == nil:
		return nil
	case errors.As(b.err, &large):
		return failure(http.StatusRequestEntityTooLarge, rest.ReasonRequestEntityTooLarge,
			fmt.Sprintf("Request entity too large: limit is %d", maxBody), nil)
	}
	return badRequest("%s", b.err.Error())
}

// typeMeta is what the real server first reads of an object; its type appears
// in messages.
type typeMeta = struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
}

// readObject reads the object that a request carries.
func (r *resource) readObject(b body, req *http.Request) (rest.Object, *rest.Status) {
	if ct, _, err := mime.ParseMediaType(req.Header.Get("Content-Type")); req.Header.Get("Content-Type") != "" && (err != nil || ct != "application/json") {
		return nil, unknownFormat(ct)
	}
	if st := b.problem(); st != nil {
		return nil, st
	}
	var t typeMeta
	if err := stdjson.Unmarshal(b.raw, &t); err != nil {
		return nil, badRequest("the object provided is unrecognized (must be of type %s): couldn't get version/kind; json parse error: %v (%s)",
			r.kind.Kind, err, excerpt(b.raw))
	}
	if st := r.checkType(t, b.raw); st != nil {
		return nil, st
	}
	o, err := rest.Decode[rest.Object](b.raw)
	if err != nil || *o == nil {
		return nil, badRequest("the object provided is unrecognized (must be of type %s): %v (%s)", r.kind.Kind, err, excerpt(b.raw))
	}
	if err := r.typeError(b.raw); err != nil {
		return nil, badRequest("%s in version %q cannot be handled as a %s: %s", r.kind.Kind, r.kind.Version, r.kind.Kind, r.typeProblem(err))
	}
	return *o, nil
}

// unknownFormat refuses a content type.
func unknownFormat(ct string) *rest.Status {
	if ct == "application/yaml" || strings.HasPrefix(ct, "application/vnd.kubernetes.protobuf") {
		return notImplemented("bodies of " + ct)
	}
	return failure(http.StatusUnsupportedMediaType, rest.ReasonUnsupportedMediaType,
		"the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf", nil)
}

// notImplemented refuses what the real server would do.
func notImplemented(what string) *rest.Status {
	return failure(http.StatusNotImplemented, "NotImplemented", "not implemented by fakeapi: "+what, nil)
}

// checkType refuses an object of another type than the resource's.
func (r *resource) checkType(t typeMeta, raw []byte) *rest.Status {
	version := r.kind.APIVersion()
	switch {
	case r.custom && t.Kind == "":
		return badRequest("the object provided is unrecognized (must be of type %s): Object 'Kind' is missing in '%s' (%s)", r.kind.Kind, raw, excerpt(raw))
	case r.custom && t.APIVersion != version:
		return badRequest("the API version in the data (%s) does not match the expected API version (%s)", t.APIVersion, version)
	case r.custom && t.Kind != r.kind.Kind:
		m, _ := rest.ReadMeta(raw)
		return r.otherKind(t, m.Name)
	case r.custom, t.Kind == "" && t.APIVersion == "":
	case (t.APIVersion == "" || t.APIVersion == version) && (t.Kind == "" || t.Kind == r.kind.Kind):
	default:
		if t.Kind == "" {
			t.Kind = r.kind.Kind
		}
		if t.APIVersion == "" {
			t.APIVersion = version
		}
		return badRequest("%s in version %q cannot be handled as a %s: %s", t.Kind, lastPart(t.APIVersion), r.kind.Kind, r.otherType(t))
	}
	return nil
}

// otherKind refuses an object of another kind than that of a custom resource.
func (r *resource) otherKind(t typeMeta, name string) *rest.Status {
	return invalid(t.Kind+"."+r.kind.Group, &rest.StatusDetails{Name: name, Group: r.kind.Group, Kind: t.Kind},
		[]rest.StatusCause{valid.Invalid("kind", strconv.Quote(t.Kind), "must be "+r.kind.Kind)})
}

// otherType says why an object of another built-in type, or of none, cannot be
// stored.
func (r *resource) otherType(t typeMeta) string {
	if _, err := rest.Lookup(t.APIVersion + "/" + strings.TrimSuffix(t.Kind, "List")); err != nil {
		return fmt.Sprintf(`no kind %q is registered for version %q in scheme "pkg/runtime/scheme.go:111"`, t.Kind, t.APIVersion)
	}
	return fmt.Sprintf("converting (%s.%s) to (%s.%s): unknown conversion", lastPart(t.APIVersion), t.Kind, r.internalPackage(), r.kind.Kind)
}

func lastPart(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

// excerpt is the beginning of a body, as messages show it.
func excerpt(raw []byte) string {
	const most = 30
	switch {
	case len(raw) == 0:
		return "<empty>"
	case !bytes.ContainsAny(raw[:1], "{"):
		if len(raw) > most {
			raw = raw[:most]
		}
		return hex.EncodeToString(raw)
	case len(raw) > most:
		return string(raw[:most]) + " ..."
	}
	return string(raw)
}
