package fakeapi

import (
	"bytes"
	"cmp"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/patch"
	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// The content types of patches.
const (
	mergeType     = "application/merge-patch+json"
	jsonType      = "application/json-patch+json"
	strategicType = "application/strategic-merge-patch+json"
	applyType     = "application/apply-patch+yaml"
)

// patch is a PATCH.
func (s *Server) patch(w *response, r *http.Request, res *resource, q *query, o writeOptions) (*object, *rest.Status) {
	raw, ct, st := s.readPatch(w, r)
	if st != nil {
		return nil, st
	}
	s.mu.Lock()
	defer s.unlock()
	return s.update(res, q.namespace, q.name, q.sub, func(current rest.Object) (rest.Object, *rest.Status) {
		return res.patched(w, current, ct, raw, q, o)
	}, o)
}

// patchType returns the content type of a patch.
func patchType(r *http.Request) string {
	ct, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return ct
}

// readPatch reads a patch of a type that is known.
func (s *Server) readPatch(w *response, r *http.Request) (raw []byte, ct string, st *rest.Status) {
	b := s.body(w, r)
	if st := b.problem(); st != nil {
		return nil, "", st
	}
	if !stdjson.Valid(b.raw) {
		return nil, "", badRequest("invalid JSON patch")
	}
	return b.raw, patchType(r), nil
}

// checkPatchType refuses patches of a type that is not known.
func (r *resource) checkPatchType(ct string) *rest.Status {
	switch {
	case ct == applyType:
		return notImplemented("patches of " + ct)
	case ct == strategicType && r.custom, ct != mergeType && ct != jsonType && ct != strategicType:
		return r.unknownPatch()
	}
	return nil
}

// patched applies a patch to a copy of an object.
func (r *resource) patched(w http.ResponseWriter, current rest.Object, ct string, raw []byte, q *query, o writeOptions) (rest.Object, *rest.Status) {
	current["kind"], current["apiVersion"] = r.kind.Kind, r.kind.APIVersion()
	content, shown, problems, st := r.applyPatch(current, ct, raw, o)
	if st != nil {
		return nil, st
	}
	refuse := func(all string) *rest.Status { return brokenPatch(shown, all) }
	if !r.custom && content.APIVersion() == "" { // so that the real server knows no type at all
		for _, k := range value.Names(content) {
			if k != "kind" {
				problems = append(problems, `unknown field "`+k+`"`)
			}
		}
		if st := tellProblems(w, problems, o, refuse); st != nil {
			return nil, st
		}
		return nil, nameless(q.name)
	}
	if st := r.checkPatched(content, shown, ct, q); st != nil {
		return nil, st
	}
	encoded := value.Encode(content)
	problems = append(problems, strictProblems(encoded, r.tidy(content))...)
	return content, tellProblems(w, problems, o, refuse)
}

// applyPatch applies a patch of a type to an object, which it changes. It also
// returns what messages show of the result, and what a strict decoder does not
// like of the patch itself.
func (r *resource) applyPatch(current rest.Object, ct string, raw []byte, o writeOptions) (content rest.Object, shown string, problems []string, st *rest.Status) {
	switch ct {
	case mergeType:
		p, st := readMergePatch(raw)
		if st != nil {
			return nil, "", nil, st
		}
		content = patch.Merge(current, p)
		return content, r.encodePatched(content), strictProblems(raw, nil), nil
	case jsonType:
		return r.applyOperations(current, raw, o)
	default:
		p, st := readStrategicPatch(raw)
		if st != nil {
			return nil, "", nil, st
		}
		content, err := patch.Strategic(current, p, r.mergeSchema())
		if err != nil {
			return nil, "", nil, strategicProblem(err)
		}
		// The real server takes the type from where the object is.
		content["kind"], content["apiVersion"] = r.kind.Kind, r.kind.APIVersion()
		return content, fmt.Sprint(p), strictProblems(raw, nil), nil
	}
}

// applyOperations applies a JSON patch, as applyPatch does.
func (r *resource) applyOperations(current rest.Object, raw []byte, o writeOptions) (content rest.Object, shown string, problems []string, st *rest.Status) {
	ops, st := readJSONPatch(raw, o.validation)
	if st != nil {
		return nil, "", nil, st
	}
	doc, err := patch.Operations(map[string]any(current), ops)
	if err != nil {
		return nil, "", nil, unfit()
	}
	m, ok := doc.(map[string]any)
	if !ok {
		text := value.Encode(doc)
		return nil, "", nil, brokenPatch(string(text), "couldn't get version/kind; json parse error: "+stdjson.Unmarshal(text, &typeMeta{}).Error())
	}
	for _, p := range strictProblems(raw, patch.UnknownMembers(ops)) {
		problems = append(problems, "json patch "+p)
	}
	return m, r.encodePatched(m), problems, nil
}

// checkPatched refuses a patch that makes another object of an object.
func (r *resource) checkPatched(content rest.Object, shown, ct string, q *query) *rest.Status {
	t := typeMeta{APIVersion: content.APIVersion(), Kind: content.Kind()}
	if !r.custom {
		t.Kind = cmp.Or(t.Kind, r.kind.Kind) // if it is missing, it is the resource's
	}
	same := t.APIVersion == r.kind.APIVersion() && t.Kind == r.kind.Kind
	switch {
	case same:
	case !r.custom:
		return brokenPatch(shown, r.otherType(t))
	case t.Kind == "":
		return brokenPatch(shown, "Object 'Kind' is missing in '"+shown+"'")
	case t.Kind != r.kind.Kind:
		return r.otherKind(t, content.Name())
	default:
		group, _, _ := strings.Cut(t.APIVersion, "/")
		return invalid(t.Kind+"."+group, &rest.StatusDetails{Name: q.name, Group: group, Kind: t.Kind},
			[]rest.StatusCause{valid.Invalid("apiVersion", string(value.Encode(t.APIVersion)), "must be "+r.kind.APIVersion())})
	}
	raw := value.Encode(content)
	if err := r.typeError(raw); err != nil {
		if ct == strategicType {
			return brokenPatch(shown, conversionProblem(err, raw))
		}
		return brokenPatch(shown, r.typeProblem(err))
	}
	if st := checkURLName(content, q.name); st != nil {
		return st
	}
	return placeInNamespace(content, q.namespace)
}

// checkURLName refuses an object that is not the one of the path.
func checkURLName(content rest.Object, name string) *rest.Status {
	switch own := content.Name(); own {
	case name:
		return nil
	case "":
		return nameless(name)
	default:
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", own, name)
	}
}

// nameless refuses an object without a name.
func nameless(name string) *rest.Status {
	return badRequest("the name of the object (%s based on URL) was undeterminable: name must be provided", name)
}

// brokenPatch refuses a patch that makes no object of the type.
func brokenPatch(result, problem string) *rest.Status {
	cause := valid.Invalid("patch", strconv.Quote(result), problem)
	return invalid("", &rest.StatusDetails{}, []rest.StatusCause{cause})
}

// encodePatched encodes the result of a patch as messages show it.
func (r *resource) encodePatched(content rest.Object) string {
	if r.custom {
		return string(value.Encode(content))
	}
	out := []byte{'{'}
	for i, k := range value.Names(content) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, value.Encode(k)...), ':')
		if m := content.Map(k); k == "metadata" && m != nil {
			out = value.AppendObject(append(out, '{'), m, metadataOrder)
		} else {
			out = append(out, value.Encode(content[k])...)
		}
	}
	return string(append(out, '}'))
}

// unknownPatch refuses the content type of a patch, as the real server does: in
// other words for built-in kinds than for custom ones.
func (r *resource) unknownPatch() *rest.Status {
	if r.custom {
		return failure(http.StatusUnsupportedMediaType, rest.ReasonUnsupportedMediaType,
			"the body of the request was in an unknown format - accepted media types include: "+
				"application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml", nil)
	}
	return failure(http.StatusUnsupportedMediaType, rest.ReasonUnsupportedMediaType, "415: Unsupported Media Type", &rest.StatusDetails{})
}

// readMergePatch reads a merge patch, which has to be an object.
func readMergePatch(raw []byte) (map[string]any, *rest.Status) {
	var probe map[string]any
	if string(bytes.TrimSpace(raw)) == "null" {
		return nil, badRequest("Invalid JSON Patch")
	}
	if err := stdjson.Unmarshal(raw, &probe); err != nil {
		return nil, badRequest("error decoding patch: %v", err)
	}
	p, err := rest.Decode[rest.Object](raw)
	if err != nil {
		return nil, badRequest("error decoding patch: %v", err)
	}
	return *p, nil
}

// maxOperations is how many operations a JSON patch may have.
const maxOperations = 10000

// jsonPatchOp is what the real server reads of an operation; its name appears in
// messages.
type jsonPatchOp struct {
	Op    string  `json:"op"`
	Path  *string `json:"path"`
	From  *string `json:"from"`
	Value any     `json:"value"`
}

// readJSONPatch reads a JSON patch.
func readJSONPatch(raw []byte, validation string) ([]map[string]any, *rest.Status) {
	if validation == "Ignore" {
		type Patch []map[string]*stdjson.RawMessage
		if err := stdjson.Unmarshal(raw, &Patch{}); err != nil {
			return nil, badRequest("%s", strings.ReplaceAll(err.Error(), "fakeapi.", "jsonpatch."))
		}
	} else if err := stdjson.Unmarshal(raw, &[]jsonPatchOp{}); err != nil {
		return nil, badRequest("error decoding patch: %s", strings.ReplaceAll(err.Error(), "fakeapi.", "handlers."))
	}
	ops, err := rest.Decode[[]map[string]any](raw)
	if err != nil {
		return nil, badRequest("error decoding patch: %v", err)
	}
	if n := len(*ops); n > maxOperations {
		return nil, failure(http.StatusRequestEntityTooLarge, rest.ReasonRequestEntityTooLarge,
			fmt.Sprintf("Request entity too large: The allowed maximum operations in a JSON patch is %d, got %d", maxOperations, n), nil)
	}
	return *ops, nil
}

// mergeSchema returns what strategic merge patches have to know of the kind.
func (r *resource) mergeSchema() patch.Schema { return patch.SchemaOf(r.kind.String()) }

// strategicProblem is the answer to a patch that cannot be applied.
func strategicProblem(err error) *rest.Status {
	switch {
	case errors.Is(err, patch.ErrFormat):
		return badRequest("%s", err.Error())
	case errors.Is(err, patch.ErrListOfLists):
		return unfit()
	case errors.Is(err, patch.ErrUnknownOrder):
		return notImplemented(err.Error())
	}
	return internal(err.Error())
}

// unfit refuses a patch that does not fit its object, without saying why.
func unfit() *rest.Status {
	return failure(http.StatusUnprocessableEntity, rest.ReasonInvalid,
		"the server rejected our request due to an error in our request", &rest.StatusDetails{})
}

// readStrategicPatch reads a patch, which has to be an object.
func readStrategicPatch(raw []byte) (map[string]any, *rest.Status) {
	var probe map[string]any
	if err := stdjson.Unmarshal(raw, &probe); err != nil {
		return nil, badRequest("%v", err)
	}
	p, err := rest.Decode[map[string]any](raw)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	return *p, nil
}
