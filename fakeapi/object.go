package fakeapi

import (
	"maps"
	"strconv"
	"sync"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// object is one version of a stored object. Its content never changes: a write stores another
// object.
type object struct {
	content rest.Object
	version uint64
	encode  sync.Once
	full    []byte // encoded
	body    int    // where in full the part after kind and apiVersion begins
}

// raw returns the object as a response shows it by itself, and in a watch. It is encoded once,
// however many watches there are.
func (o *object) raw(r *resource) []byte {
	o.encode.Do(func() {
		if r.custom {
			o.full = value.Encode(withType(o.content, r.kind))
			return
		}
		o.full = []byte(`{"kind":"` + r.kind.Kind + `","apiVersion":"` + r.kind.APIVersion() + `",`)
		o.body = len(o.full)
		o.full = appendBody(o.full, o.content)
	})
	return o.full
}

// appendItem appends the object as a list shows it: items of built-in kinds have neither kind nor
// apiVersion.
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

// metadataOrder is the order in which kube-apiserver writes the metadata of built-in kinds.
var metadataOrder = []string{
	"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation",
	"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
	"labels", "annotations", "ownerReferences", "finalizers", "managedFields",
}

// appendBody encodes an object without kind, apiVersion and the first brace.
func appendBody(out []byte, content rest.Object) []byte {
	out = append(out, `"metadata":{`...)
	out = value.AppendObject(out, content.Map("metadata"), metadataOrder)
	others := maps.Clone(content)
	for _, k := range []string{"metadata", "kind", "apiVersion"} {
		delete(others, k)
	}
	if len(others) > 0 {
		out = append(out, ',')
	}
	return value.AppendObject(out, others, nil)
}

// meta returns the metadata of an object for changing it, and adds it if there is none.
func meta(o rest.Object) map[string]any {
	m := o.Map("metadata")
	if m == nil {
		m = make(map[string]any)
		o["metadata"] = m
	}
	return m
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

// cloneObject returns a deep copy.
func cloneObject(content rest.Object) rest.Object { return value.CloneMap(content) }

// stamp writes a version into the metadata of a copy.
func stamp(content rest.Object, version uint64) *object {
	out := maps.Clone(content)
	m := maps.Clone(content.Map("metadata"))
	m["resourceVersion"] = strconv.FormatUint(version, 10)
	out["metadata"] = m
	return &object{content: out, version: version}
}
