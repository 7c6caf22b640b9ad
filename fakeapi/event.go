package fakeapi

import (
	"maps"
	"slices"
	"strconv"

	"github.com/tideway-go/tideway/rest"
)

// frame is one event of a watch that is not encoded yet.
type frame struct {
	kind string // "ADDED"
	obj  *object
	raw  []byte // instead of obj: an ERROR

	bookmark bool
	marker   bool // the bookmark that ends the initial events
}

// errorEvent is an event that carries a Status.
func errorEvent(st *rest.Status) []byte {
	return enclose(`{"type":"ERROR","object":`, statusBody(st))
}

// bookmark is an object that carries a version and, if it ends the initial events, the annotation
// that says so.
func (r *resource) bookmark(version uint64, ends bool) *object {
	m := map[string]any{"resourceVersion": strconv.FormatUint(version, 10)}
	if ends {
		m["annotations"] = map[string]any{"k8s.io/initial-events-end": "true"}
	}
	o := maps.Clone(r.zero)
	o["metadata"] = m
	return &object{content: o}
}

// appendTo appends the event as JSON, without a line feed.
func (f frame) appendTo(out []byte, r *resource, v view) []byte {
	if f.raw != nil {
		return append(out, f.raw...)
	}
	out = append(out, `{"type":"`+f.kind+`","object":`...)
	return append(append(out, v.raw(f.obj, r)...), '}')
}

// enclose makes an event out of its beginning and its object.
func enclose(head string, raw []byte) []byte {
	return slices.Concat([]byte(head), raw, []byte{'}'})
}
