package fakeapi

import (
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// A real server stores an event once and shows it in two groups, with other names for some members.
// Here each resource has the objects in its own form, and a change of one changes both.

// twinMembers are the members of an event of the core group that have another name in
// events.k8s.io.
var twinMembers = map[string]string{
	"involvedObject":     "regarding",
	"message":            "note",
	"source":             "deprecatedSource",
	"firstTimestamp":     "deprecatedFirstTimestamp",
	"lastTimestamp":      "deprecatedLastTimestamp",
	"count":              "deprecatedCount",
	"reportingComponent": "reportingController",
}

// pair makes the resources of events show the same objects.
func (s *store) pair() {
	core, ok := s.resources[resourceKey("", "v1", "events")]
	group, both := s.resources[resourceKey("events.k8s.io", "v1", "events")]
	if !ok || !both || core.custom || group.custom {
		return
	}
	names := make(map[string]string, len(twinMembers))
	for name, other := range twinMembers {
		names[other] = name
	}
	core.twin, core.twinNames = group, twinMembers
	group.twin, group.twinNames = core, names
}

// twinOf returns a change in the form of the other resource.
func (r *resource) twinOf(c *change) *change {
	out := &change{version: c.version, key: c.key, namespace: c.namespace, prev: r.twin.objects[c.key]}
	if c.obj != nil {
		out.obj = &object{content: r.asTwin(c.obj.content), version: c.obj.version}
	}
	return out
}

// asTwin returns a copy of the content in the form of the other resource. Members that are empty
// are there only if every object has them.
func (r *resource) asTwin(content rest.Object) rest.Object {
	out := make(rest.Object, len(content))
	for name, v := range content {
		other, renamed := r.twinNames[name]
		_, always := r.twin.zero[other]
		switch {
		case !renamed:
			out[name] = value.Clone(v)
		case always || !value.IsEmpty(v):
			out[other] = value.Clone(v)
		}
	}
	for name := range r.zero { // what is empty in every object here need not be there
		if _, always := r.twin.zero[name]; !always && value.IsEmpty(out[name]) {
			delete(out, name)
		}
	}
	r.twin.fillZero(out)
	return out
}
