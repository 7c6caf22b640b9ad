package fakeapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/tideway-go/tideway/rest"
)

// object is one version of a stored object. Its content is never changed: a
// write stores another object.
type object struct {
	content rest.Object
	version uint64
	encode  sync.Once
	full    []byte // encoded, for the one resource that it is of
	body    int    // where what follows kind and apiVersion begins in full
}

// raw returns the object as a response shows it alone, and in a watch. It is
// encoded once, however many watches there are.
func (o *object) raw(r *resource) []byte {
	o.encode.Do(func() {
		if r.custom {
			o.full = encodeSorted(withType(o.content, r.kind))
			return
		}
		o.full = []byte(`{"kind":"` + r.kind.Kind + `","apiVersion":"` + r.kind.APIVersion() + `",`)
		o.body = len(o.full)
		o.full = appendBody(o.full, o.content)
	})
	return o.full
}

// appendItem appends the object as a list shows it: items of built-in kinds
// have neither kind nor apiVersion.
func (o *object) appendItem(out []byte, r *resource) []byte {
	raw := o.raw(r)
	if o.body > 0 {
		out = append(out, '{')
	}
	return append(out, raw[o.body:]...)
}

// withType returns a shallow copy that names its type.
func withType(content rest.Object, k rest.Kind) rest.Object {
	out := maps.Clone(content)
	out["kind"], out["apiVersion"] = k.Kind, k.APIVersion()
	return out
}

// metadataOrder is the order in which the real server writes the metadata of
// built-in kinds.
var metadataOrder = []string{
	"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation",
	"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
	"labels", "annotations", "ownerReferences", "finalizers", "managedFields",
}

// appendBody encodes an object without kind, apiVersion and the first brace.
func appendBody(out []byte, content rest.Object) []byte {
	out = append(out, `"metadata":{`...)
	out = appendOrdered(out, content.Map("metadata"), metadataOrder)
	others := maps.Clone(content)
	for _, k := range []string{"metadata", "kind", "apiVersion"} {
		delete(others, k)
	}
	if len(others) > 0 {
		out = append(out, ',')
	}
	return appendOrdered(out, others, nil)
}

// appendOrdered appends the members of m and a brace: those in order first, the
// others sorted.
func appendOrdered(out []byte, m map[string]any, order []string) []byte {
	names := make([]string, 0, len(m))
	for _, k := range order {
		if _, ok := m[k]; ok {
			names = append(names, k)
		}
	}
	known := len(names)
	for k := range m {
		if !slices.Contains(order, k) {
			names = append(names, k)
		}
	}
	slices.Sort(names[known:])
	for i, k := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, encodeSorted(k)...)
		out = append(out, ':')
		out = append(out, encodeSorted(m[k])...)
	}
	return append(out, '}')
}

// encodeSorted encodes with the members of maps sorted.
func encodeSorted(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil { // what was decoded from JSON can be encoded
		panic("fakeapi: " + err.Error())
	}
	return raw
}

// clone copies a value as deep as it goes.
func clone(v any) any {
	switch v := v.(type) {
	case rest.Object:
		return cloneMap(v)
	case map[string]any:
		return cloneMap(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = clone(e)
		}
		return out
	}
	return v
}

func cloneMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = clone(v)
	}
	return out
}

// same tells whether two values are the same JSON.
func same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, ok := y[k]
			if !ok || !same(v, w) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, same)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// meta returns the metadata of an object that may be changed, made if there is
// none.
func meta(o rest.Object) map[string]any {
	m := o.Map("metadata")
	if m == nil {
		m = make(map[string]any)
		o["metadata"] = m
	}
	return m
}

// keep makes a member of m what it is in old.
func keep(m, old map[string]any, names ...string) {
	for _, name := range names {
		if v, ok := old[name]; ok {
			m[name] = v
		} else {
			delete(m, name)
		}
	}
}

// finalizersOf returns the finalizers of an object.
func finalizersOf(o rest.Object) []string {
	var out []string
	for _, f := range o.Slice("metadata", "finalizers") {
		if s, ok := f.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// stamp writes a version into the metadata of a copy.
func stamp(content rest.Object, version uint64) *object {
	out := maps.Clone(content)
	m := maps.Clone(content.Map("metadata"))
	m["resourceVersion"] = strconv.FormatUint(version, 10)
	out["metadata"] = m
	return &object{content: out, version: version}
}

// changedBeside tells whether anything but the named members differs.
func changedBeside(a, b rest.Object, names ...string) bool {
	x, y := maps.Clone(a), maps.Clone(b)
	for _, k := range names {
		delete(x, k)
		delete(y, k)
	}
	return !same(map[string]any(x), map[string]any(y))
}
