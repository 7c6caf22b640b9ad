package fakeapi

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// serveScale answers how many replicas there should be.
func (s *Server) serveScale(_ context.Context, r *request) (answer, *rest.Status) {
	obj, ok := s.store.object(r.res, r.namespace, r.name)
	if !ok {
		return nil, r.res.notFound(r.name)
	}
	scales := partOf(scaleKind)
	return objectAnswer{http.StatusOK, scales, scaleOf(obj.content)}, nil
}

// serveScaling changes how many replicas there should be.
func (s *Server) serveScaling(_ context.Context, r *request) (answer, *rest.Status) {
	scales := partOf(scaleKind)
	var change transform
	var o writeOptions
	var st *rest.Status
	if r.method == http.MethodPatch {
		if o, st = patchOptionsOf(r, scales); st == nil {
			change, st = r.patchScale(scales, o)
		}
	} else if o, st = writeOptionsOf("UpdateOptions", r.params); st == nil {
		change, st = r.replaceScale(scales, o)
	}
	if st != nil {
		return nil, st
	}
	var obj *object
	st = s.store.write(func(t *tx) (st *rest.Status) {
		obj, st = t.update(r.res, r.namespace, r.name, r.sub, change, o)
		return st
	})
	if st != nil {
		return nil, st
	}
	return objectAnswer{http.StatusOK, scales, scaleOf(obj.content)}, nil
}

// replaceScale is a PUT of a Scale.
func (r *request) replaceScale(scales *resource, o writeOptions) (transform, *rest.Status) {
	scale, st := r.readSub(scales, o)
	if st == nil {
		st = checkURLName(scale, r.name)
	}
	return func(current rest.Object) (rest.Object, *rest.Status) {
		if st := r.res.checkUID(r.namespace, r.name, scale, current, o.dryRun); st != nil {
			return nil, st
		}
		return scaled(current, scale)
	}, st
}

// patchScale is a PATCH of a Scale.
func (r *request) patchScale(scales *resource, o writeOptions) (transform, *rest.Status) {
	p, st := newPatching(r, scales, o)
	return func(current rest.Object) (rest.Object, *rest.Status) {
		scale, st := p.apply(value.CloneMap(scaleOf(current).content))
		if st != nil {
			return nil, st
		}
		return scaled(current, scale)
	}, st
}

// scaled sets what a Scale says.
func scaled(current, scale rest.Object) (rest.Object, *rest.Status) {
	n := scale.Int("spec", "replicas")
	if n < 0 {
		kind := partOf(scaleKind)
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
func scaleOf(content rest.Object) *object {
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
	value.Fill(scale, map[string]any{"spec": map[string]any{}, "status": map[string]any{"replicas": int64(0)}})
	return &object{content: scale}
}

// selectorText writes a label selector as parameters have it.
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
