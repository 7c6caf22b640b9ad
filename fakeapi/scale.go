package fakeapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// serveScale answers for how many replicas there should be.
func (s *Server) serveScale(w *response, r *http.Request, res *resource, q *query) {
	scales := newResource(scaleKind, false)
	if r.Method == http.MethodGet {
		s.mu.Lock()
		obj, ok := res.objects[key(q.namespace, q.name)]
		s.mu.Unlock()
		if !ok {
			writeStatus(w, res.notFound(q.name))
			return
		}
		s.writeObject(w, http.StatusOK, scales, scaleOf(scales, obj.content))
		return
	}
	o, st := changeOptionsOf(r, scales, q)
	var obj *object
	if st == nil {
		if r.Method == http.MethodPatch {
			obj, st = s.patchScale(w, r, res, scales, q, o)
		} else {
			obj, st = s.putScale(w, r, res, scales, q, o)
		}
	}
	if st != nil {
		writeStatus(w, st)
		return
	}
	s.settle(res)
	s.writeObject(w, http.StatusOK, scales, scaleOf(scales, obj.content))
}

// putScale is a PUT of a Scale.
func (s *Server) putScale(w *response, r *http.Request, res, scales *resource, q *query, o writeOptions) (*object, *rest.Status) {
	scale, st := s.readSub(w, r, scales, q, o)
	if st != nil {
		return nil, st
	}
	if st := checkURLName(scale, q.name); st != nil {
		return nil, st
	}
	s.mu.Lock()
	defer s.unlock()
	return s.update(res, q.namespace, q.name, q.sub, func(current rest.Object) (rest.Object, *rest.Status) {
		if st := res.checkUID(q.namespace, q.name, scale, current); st != nil {
			return nil, st
		}
		return scaled(current, scale)
	}, o)
}

// patchScale is a PATCH of a Scale.
func (s *Server) patchScale(w *response, r *http.Request, res, scales *resource, q *query, o writeOptions) (*object, *rest.Status) {
	raw, ct, st := s.readPatch(w, r)
	if st != nil {
		return nil, st
	}
	s.mu.Lock()
	defer s.unlock()
	return s.update(res, q.namespace, q.name, q.sub, func(current rest.Object) (rest.Object, *rest.Status) {
		scale, st := scales.patched(w, value.CloneMap(scaleOf(scales, current).content), ct, raw, q, o)
		if st != nil {
			return nil, st
		}
		return scaled(current, scale)
	}, o)
}

// scaled sets what a Scale says.
func scaled(current, scale rest.Object) (rest.Object, *rest.Status) {
	n := scale.Int("spec", "replicas")
	if n < 0 {
		kind := newResource(scaleKind, false)
		return nil, kind.invalid(current.Name(), valid.Invalid("spec.replicas", strconv.FormatInt(n, 10), "must be greater than or equal to 0"))
	}
	spec := current.Map("spec")
	spec["replicas"] = n
	if v := scale.ResourceVersion(); v != "" {
		meta(current)["resourceVersion"] = v
	} else {
		delete(meta(current), "resourceVersion")
	}
	return current, nil
}

// scaleOf returns the Scale of an object.
func scaleOf(scales *resource, content rest.Object) *object {
	m := map[string]any{}
	value.Keep(m, content.Map("metadata"), "name", "namespace", "uid", "resourceVersion", "creationTimestamp")
	spec, status := map[string]any{}, map[string]any{"replicas": content.Int("status", "replicas")}
	if n := content.Int("spec", "replicas"); n != 0 {
		spec["replicas"] = n
	}
	selector := content.Map("spec", "selector")
	if content.Map("spec", "selector", "matchLabels") == nil && content.Slice("spec", "selector", "matchExpressions") == nil {
		selector = map[string]any{"matchLabels": selector} // that of a replication controller
	}
	if text := selectorText(selector); text != "" {
		status["selector"] = text
	}
	scale := rest.Object{"metadata": m, "spec": spec, "status": status}
	value.Fill(scale, scales.zero)
	return &object{content: scale}
}

// selectorText writes a selector of labels as a parameter has it.
func selectorText(selector map[string]any) string {
	type term struct{ key, text string }
	var terms []term
	o := rest.Object(selector)
	for k, v := range o.Map("matchLabels") {
		if text, ok := v.(string); ok {
			terms = append(terms, term{k, k + "=" + text})
		}
	}
	for _, e := range o.Slice("matchExpressions") {
		m, _ := e.(map[string]any)
		k := rest.Object(m).String("key")
		var values []string
		for _, v := range rest.Object(m).Slice("values") {
			if text, ok := v.(string); ok {
				values = append(values, text)
			}
		}
		slices.Sort(values)
		set := " (" + strings.Join(values, ",") + ")"
		switch rest.Object(m).String("operator") {
		case "In":
			terms = append(terms, term{k, k + " in" + set})
		case "NotIn":
			terms = append(terms, term{k, k + " notin" + set})
		case "Exists":
			terms = append(terms, term{k, k})
		case "DoesNotExist":
			terms = append(terms, term{k, "!" + k})
		}
	}
	slices.SortStableFunc(terms, func(a, b term) int { return strings.Compare(a.key, b.key) })
	texts := make([]string, len(terms))
	for i, t := range terms {
		texts[i] = t.text
	}
	return strings.Join(texts, ",")
}
