package fakeapi

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// serveCollection answers for a collection.
func (s *Server) serveCollection(w http.ResponseWriter, r *http.Request, res *resource, q *query) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
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
func (s *Server) serveList(w http.ResponseWriter, r *http.Request, res *resource, q *query) {
	if st := acceptable(r); st != nil {
		writeStatus(w, st)
		return
	}
	if s.options.NoWatchList && boolOf(q.params, "watch") && q.params.Has("sendInitialEvents") {
		writeStatus(w, invalidOptions("ListOptions", forbiddenField("sendInitialEvents",
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
				writeJSON(w, http.StatusOK, p.raw(res))
				return
			}
		}
	}
	writeStatus(w, st)
}

// servePost answers a create.
func (s *Server) servePost(w http.ResponseWriter, r *http.Request, res *resource, q *query) {
	o, st := writeOptionsOf("CreateOptions", q.params)
	var content rest.Object
	if st == nil {
		content, st = res.readObject(s.body(w, r), r)
	}
	if st != nil {
		writeStatus(w, st)
		return
	}
	s.mu.Lock()
	obj, st := s.create(res, q.namespace, content, o)
	s.mu.Unlock()
	s.reply(w, res, http.StatusCreated, obj, st)
}

// reply answers a write, once the watches have been told of it.
func (s *Server) reply(w http.ResponseWriter, res *resource, code int, obj *object, st *rest.Status) {
	if st != nil {
		writeStatus(w, st)
		return
	}
	s.settle(res)
	writeJSON(w, code, obj.raw(res.kind, res.custom))
}

// serveDeleteAll answers a delete of a collection.
func (s *Server) serveDeleteAll(w http.ResponseWriter, r *http.Request, res *resource, q *query) {
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
	for _, k := range res.sortedKeys(res.objects, q.namespace) {
		obj := res.objects[k]
		if sel.matches(res, obj) {
			_, _, _ = s.erase(res, obj.content.Namespace(), obj.content.Name(), o)
		}
	}
	s.mu.Unlock()
	s.settle(res)
	writeJSON(w, http.StatusOK, p.raw(res))
}

// serveObject answers for one object.
func (s *Server) serveObject(w http.ResponseWriter, r *http.Request, res *resource, q *query) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		s.serveGet(w, r, res, q)
	case http.MethodPut, http.MethodPatch:
		s.serveChange(w, r, res, q)
	case http.MethodDelete:
		s.serveDelete(w, r, res, q)
	default:
		writeStatus(w, methodNotAllowed())
	}
}

func (s *Server) serveGet(w http.ResponseWriter, r *http.Request, res *resource, q *query) {
	st := acceptable(r)
	if st == nil {
		asked, err := parseVersion(q.params.Get("resourceVersion"))
		if err != nil {
			st = internal(err.Error())
		} else {
			st = s.waitVersion(r.Context(), asked)
		}
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
	writeJSON(w, http.StatusOK, obj.raw(res.kind, res.custom))
}

// serveChange answers a PUT or a PATCH of an object or of its status.
func (s *Server) serveChange(w http.ResponseWriter, r *http.Request, res *resource, q *query) {
	kind := "UpdateOptions"
	if r.Method == http.MethodPatch {
		kind = "PatchOptions"
	}
	o, st := writeOptionsOf(kind, q.params)
	if st != nil {
		writeStatus(w, st)
		return
	}
	var obj *object
	if r.Method == http.MethodPatch {
		obj, st = s.patch(s.body(w, r), r, res, q, o)
	} else {
		obj, st = s.replaceBy(s.body(w, r), r, res, q, o)
	}
	s.reply(w, res, http.StatusOK, obj, st)
}

// replaceBy is a PUT.
func (s *Server) replaceBy(b body, r *http.Request, res *resource, q *query, o writeOptions) (*object, *rest.Status) {
	content, st := res.readObject(b, r)
	if st != nil {
		return nil, st
	}
	switch content.Name() {
	case q.name:
	case "":
		return nil, badRequest("the name of the object (%s based on URL) was undeterminable: name must be provided", q.name)
	default:
		return nil, badRequest("the name of the object (%s) does not match the name on the URL (%s)", content.Name(), q.name)
	}
	if st := placeInNamespace(content, q.namespace); st != nil {
		return nil, st
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(res, q.namespace, q.name, q.sub, content, o)
}

func (s *Server) serveDelete(w http.ResponseWriter, r *http.Request, res *resource, q *query) {
	o, st := s.deleteOptionsOf(w, r, q.params)
	if st != nil {
		writeStatus(w, st)
		return
	}
	s.mu.Lock()
	obj, gone, st := s.erase(res, q.namespace, q.name, o)
	s.mu.Unlock()
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
	writeJSON(w, code, obj.raw(res.kind, res.custom))
}

// serveSub answers for a subresource.
func (s *Server) serveSub(w http.ResponseWriter, r *http.Request, res *resource, q *query) {
	if q.sub != "status" || !res.kind.Status {
		if res.custom {
			writeStatus(w, res.notFound(q.name))
			return
		}
		writeStatus(w, unknownPath())
		return
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		s.serveGet(w, r, res, q)
	case http.MethodPut, http.MethodPatch:
		s.serveChange(w, r, res, q)
	default:
		writeStatus(w, methodNotAllowed())
	}
}

// body is what a request carries.
type body struct {
	raw []byte
	err error
}

// body reads what a request carries, and puts it into the journal.
func (s *Server) body(w http.ResponseWriter, r *http.Request) body {
	raw, err := io.ReadAll(r.Body)
	if rec := recordOf(w); rec != nil {
		s.mu.Lock()
		rec.Body = raw
		s.mu.Unlock()
	}
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
		return nil, r.unknownFormat(ct)
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
	if m, ok := (*o)["metadata"]; ok {
		if _, ok := m.(map[string]any); !ok && m != nil {
			return nil, badRequest("%s in version %q cannot be handled as a %s: json: cannot unmarshal %s into Go struct field %s.metadata of type v1.ObjectMeta",
				r.kind.Kind, r.kind.Version, r.kind.Kind, jsonType(m), r.kind.Kind)
		}
	}
	return *o, nil
}

// unknownFormat refuses a content type.
func (r *resource) unknownFormat(ct string) *rest.Status {
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
		o, _ := rest.Decode[rest.Object](raw)
		var name string
		if o != nil {
			name = o.Name()
		}
		return invalid(t.Kind+"."+r.kind.Group, &rest.StatusDetails{Name: name, Group: r.kind.Group, Kind: t.Kind},
			[]rest.StatusCause{invalidField("kind", strconv.Quote(t.Kind), "must be "+r.kind.Kind)})
	case r.custom, t.Kind == "" && t.APIVersion == "":
	case t.APIVersion != "" && t.APIVersion != version:
		return badRequest(`%s in version %q cannot be handled as a %s: no kind %q is registered for version %q in scheme "pkg/runtime/scheme.go:111"`,
			t.Kind, lastPart(t.APIVersion), r.kind.Kind, t.Kind, t.APIVersion)
	case t.Kind != "" && t.Kind != r.kind.Kind:
		return badRequest("%s in version %q cannot be handled as a %s: converting (%s.%s) to (core.%s): unknown conversion",
			t.Kind, r.kind.Version, r.kind.Kind, r.kind.Version, t.Kind, r.kind.Kind)
	}
	return nil
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
		return fmt.Sprintf("%x", raw)
	case len(raw) > most:
		return string(raw[:most]) + " ..."
	}
	return string(raw)
}

// jsonType names the type of a value as encoding/json does.
func jsonType(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case bool:
		return "bool"
	case []any:
		return "array"
	}
	return "number"
}

// writeOptionsOf reads the parameters of a write.
func writeOptionsOf(kind string, p url.Values) (writeOptions, *rest.Status) {
	var o writeOptions
	for _, v := range p["dryRun"] {
		if v != "All" && v != "" {
			return o, invalidOptions(kind, unsupportedField("dryRun", fmt.Sprintf("%q", p["dryRun"]), "All"))
		}
		o.dryRun = o.dryRun || v == "All"
	}
	return o, nil
}

// acceptable refuses an Accept header that names nothing that can be written.
func acceptable(r *http.Request) *rest.Status {
	accept := r.Header.Get("Accept")
	if accept == "" {
		return nil
	}
	for part := range strings.SplitSeq(accept, ",") {
		t, params, err := mime.ParseMediaType(part)
		if err != nil || params["as"] != "" {
			continue
		}
		if t == "application/json" || t == "*/*" || t == "application/*" {
			return nil
		}
	}
	return failure(http.StatusNotAcceptable, rest.ReasonNotAcceptable,
		"406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, "+
			"application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch", &rest.StatusDetails{})
}
