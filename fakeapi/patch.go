package fakeapi

import (
	"bytes"
	stdjson "encoding/json"
	"mime"
	"net/http"
	"strconv"

	"github.com/tideway-go/tideway/rest"
)

// patch is a PATCH.
func (s *Server) patch(w *response, r *http.Request, res *resource, q *query, o writeOptions) (*object, *rest.Status) {
	b := s.body(w, r)
	ct, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch ct {
	case "application/merge-patch+json":
		if q.params.Has("force") {
			return nil, invalidOptions("PatchOptions", forbiddenField("force", "may not be specified for non-apply patch"))
		}
	case "application/json-patch+json", "application/apply-patch+yaml":
		return nil, notImplemented("patches of " + ct)
	case "application/strategic-merge-patch+json":
		if res.custom {
			return nil, res.unknownPatch()
		}
		return nil, notImplemented("patches of " + ct)
	default:
		return nil, res.unknownPatch()
	}
	if st := b.problem(); st != nil {
		return nil, st
	}
	p, st := readMergePatch(b.raw)
	if st != nil {
		return nil, st
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.update(res, q.namespace, q.name, q.sub, func(current rest.Object) (rest.Object, *rest.Status) {
		current["kind"], current["apiVersion"] = res.kind.Kind, res.kind.APIVersion()
		content := rest.Object(mergePatch(current, p))
		if st := res.checkPatched(content, q); st != nil {
			return nil, st
		}
		return content, res.accept(w, content, encodeSorted(content), o)
	}, o)
}

// checkPatched refuses a patch that makes another object of an object.
func (r *resource) checkPatched(content rest.Object, q *query) *rest.Status {
	t := typeMeta{APIVersion: content.APIVersion(), Kind: content.Kind()}
	same := t.APIVersion == r.kind.APIVersion() && t.Kind == r.kind.Kind
	switch {
	case same:
	case !r.custom:
		return brokenPatch(r.encodePatched(content), r.otherType(t))
	case t.Kind != r.kind.Kind:
		return r.otherKind(t, content.Name())
	default:
		return r.invalid(q.name, invalidField("apiVersion", string(encodeSorted(t.APIVersion)), "must be "+r.kind.APIVersion()))
	}
	if problem := r.typeProblem(encodeSorted(content)); problem != "" {
		return brokenPatch(r.encodePatched(content), problem)
	}
	switch name := content.Name(); name {
	case q.name:
	case "":
		return badRequest("the name of the object (%s based on URL) was undeterminable: name must be provided", q.name)
	default:
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", name, q.name)
	}
	return placeInNamespace(content, q.namespace)
}

// brokenPatch refuses a patch that makes no object of the type.
func brokenPatch(result, problem string) *rest.Status {
	cause := invalidField("patch", strconv.Quote(result), problem)
	return invalid("", &rest.StatusDetails{}, []rest.StatusCause{cause})
}

// encodePatched encodes the result of a patch as messages show it.
func (r *resource) encodePatched(content rest.Object) string {
	if r.custom {
		return string(encodeSorted(content))
	}
	out := []byte{'{'}
	for i, k := range sortedNames(content) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, encodeSorted(k)...), ':')
		if m := content.Map(k); k == "metadata" && m != nil {
			out = appendOrdered(append(out, '{'), m, metadataOrder)
		} else {
			out = append(out, encodeSorted(content[k])...)
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
	if !stdjson.Valid(raw) {
		return nil, badRequest("invalid JSON patch")
	}
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

// mergePatch applies a patch as RFC 7386 says.
func mergePatch(target, patch map[string]any) map[string]any {
	if target == nil {
		target = make(map[string]any)
	}
	for k, v := range patch {
		switch v := v.(type) {
		case nil:
			delete(target, k)
		case map[string]any:
			inner, _ := target[k].(map[string]any)
			target[k] = mergePatch(inner, v)
		default:
			target[k] = clone(v)
		}
	}
	return target
}
