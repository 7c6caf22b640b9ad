package fakeapi

import (
	stdjson "encoding/json"
	"mime"
	"net/http"

	"github.com/tideway-go/tideway/rest"
)

// patch is a PATCH.
func (s *Server) patch(b body, r *http.Request, res *resource, q *query, o writeOptions) (*object, *rest.Status) {
	ct, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch ct {
	case "application/merge-patch+json":
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
		return content, nil
	}, o)
}

// checkPatched refuses a patch that makes another object of an object.
func (r *resource) checkPatched(content rest.Object, q *query) *rest.Status {
	if v := content.APIVersion(); v != r.kind.APIVersion() {
		if r.custom {
			return r.invalid(q.name, invalidField("apiVersion", string(encodeSorted(v)), "must be "+r.kind.APIVersion()))
		}
		return badRequest(`%s in version %q cannot be handled as a %s: no kind %q is registered for version %q in scheme "pkg/runtime/scheme.go:111"`,
			content.Kind(), lastPart(v), r.kind.Kind, content.Kind(), v)
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
