package fakeapi

import (
	"github.com/tideway-go/tideway/fakeapi/internal/autoscale"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// A real server stores an object once and shows it in each version of its kind; events also in two
// groups. Here each resource has the objects in its own form, and a change of one changes both.

// pair makes the resources show the same objects whose kind is served twice.
func (s *store) pair() {
	both := func(group, version, other, otherVersion, plural string) (a, b *resource) {
		a, b = s.resources[resourceKey(group, version, plural)], s.resources[resourceKey(other, otherVersion, plural)]
		if a == nil || b == nil || a.custom || b.custom {
			return nil, nil
		}
		a.twin, b.twin, a.shadow = b, a, true
		return a, b
	}
	if core, group := both("", "v1", "events.k8s.io", "v1", "events"); core != nil {
		names := make(map[string]string, len(eventMembers))
		for name, other := range eventMembers {
			names[other] = name
		}
		core.asTwin, group.asTwin = renaming(core, eventMembers), renaming(group, names)
	}
	if v1, v2 := both("autoscaling", "v1", "autoscaling", "v2", "horizontalpodautoscalers"); v1 != nil {
		v1.asTwin, v2.asTwin, v1.hub = autoscale.ToV2, autoscale.ToV1, v2
	}
}

// eventMembers are the members of an event of the core group that have another name in
// events.k8s.io.
var eventMembers = map[string]string{
	"involvedObject":     "regarding",
	"message":            "note",
	"source":             "deprecatedSource",
	"firstTimestamp":     "deprecatedFirstTimestamp",
	"lastTimestamp":      "deprecatedLastTimestamp",
	"count":              "deprecatedCount",
	"reportingComponent": "reportingController",
}

// renaming returns a conversion to the twin that gives members other names. Members that are empty
// are there only if every object has them.
func renaming(r *resource, names map[string]string) func(map[string]any) map[string]any {
	return func(content map[string]any) map[string]any {
		out := make(map[string]any, len(content))
		for name, v := range content {
			other, renamed := names[name]
			_, always := r.twin.zero[other]
			switch {
			case !renamed:
				out[name] = v
			case always || !value.IsEmpty(v):
				out[other] = v
			}
		}
		for name := range r.zero { // what is empty in every object here need not be there
			if _, always := r.twin.zero[name]; !always && value.IsEmpty(out[name]) {
				delete(out, name)
			}
		}
		return out
	}
}

// inTwin returns content in the form of the twin, complete.
func (r *resource) inTwin(content rest.Object) rest.Object {
	out := rest.Object(r.asTwin(value.CloneMap(content)))
	r.twin.fillZero(out)
	return out
}

// twinOf returns a change in the form of the twin.
func (r *resource) twinOf(c *change) *change {
	out := &change{version: c.version, key: c.key, namespace: c.namespace, prev: r.twin.objects[c.key]}
	if c.obj != nil {
		out.obj = &object{content: r.inTwin(c.obj.content), version: c.obj.version}
	}
	return out
}

// create stores a new object. It takes over the content.
func (t *tx) create(r *resource, namespace string, content rest.Object, o writeOptions) (*object, *rest.Status) {
	if r.hub == nil {
		return t.createOwn(r, namespace, content, o)
	}
	obj, st := t.createOwn(r.hub, namespace, r.asTwin(content), o)
	return r.fromHub(obj), st
}

// update changes a stored object, or only its status.
func (t *tx) update(r *resource, namespace, name, sub string, f transform, o writeOptions) (*object, *rest.Status) {
	if r.hub == nil {
		return t.updateOwn(r, namespace, name, sub, f, o)
	}
	obj, st := t.updateOwn(r.hub, namespace, name, sub, func(current rest.Object) (rest.Object, *rest.Status) {
		content, st := f(r.hub.inTwin(current))
		if st != nil {
			return nil, st
		}
		return r.asTwin(content), nil
	}, o)
	return r.fromHub(obj), st
}

// erase deletes an object, or marks it as being deleted. It returns the object, and whether it is
// gone.
func (t *tx) erase(r *resource, namespace, name string, o deleteOptions) (*object, bool, *rest.Status) {
	if r.hub == nil {
		return t.eraseOwn(r, namespace, name, o)
	}
	obj, gone, st := t.eraseOwn(r.hub, namespace, name, o)
	return r.fromHub(obj), gone, st
}

// fromHub returns an object of the hub in the form of this resource.
func (r *resource) fromHub(obj *object) *object {
	if obj == nil {
		return nil
	}
	if k := keyOf(obj.content); r.hub.objects[k] == obj {
		return r.objects[k]
	}
	return &object{content: r.hub.inTwin(obj.content), version: obj.version}
}
