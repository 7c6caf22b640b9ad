package fakeapi

import (
	"maps"
	"slices"
	"strconv"

	"github.com/tideway-go/tideway/rest"
)

// change is one entry in the history of a resource.
type change struct {
	version   uint64
	key       string
	namespace string
	obj, prev *object // obj is nil for a deletion, prev for a creation
	last      *object // prev at the version of the change, once a watch has needed it
}

// next raises the version of the store.
func (t *tx) next() uint64 {
	t.version++
	close(t.raised)
	t.raised = make(chan struct{})
	return t.version
}

// record stores a change, in the form of each resource that shows the object.
func (t *tx) record(r *resource, c *change) {
	if r.twin != nil {
		t.keep(r.twin, r.twinOf(c))
	}
	t.keep(r, c)
}

// keep stores a change, passes it to the watches, and trims the history.
func (t *tx) keep(r *resource, c *change) {
	if !slices.Contains(t.changed, r) {
		t.changed = append(t.changed, r)
	}
	if c.obj != nil {
		r.objects[c.key] = c.obj
	} else {
		delete(r.objects, c.key)
	}
	r.history = append(r.history, c)
	if n := len(r.history) - t.options.History; n > 0 {
		r.oldest = r.history[n-1].version
		r.history = append([]*change(nil), r.history[n:]...)
	}
	for w := range r.watches {
		w.offer(c)
	}
}

// insert stores a new object. A version that the test has set becomes the newest, unless others are
// newer already.
func (t *tx) insert(r *resource, content rest.Object, given string) *object {
	version, err := strconv.ParseUint(given, 10, 64)
	if err == nil && version > t.version {
		t.version = version - 1
	}
	at := t.next()
	o := stamp(content, at)
	if err == nil {
		o = stamp(content, version)
	}
	t.record(r, &change{version: at, key: keyOf(content), namespace: content.Namespace(), obj: o})
	return o
}

// replace stores another version of an object.
func (t *tx) replace(r *resource, old *object, content rest.Object) *object {
	o := stamp(content, t.next())
	t.record(r, &change{version: o.version, key: keyOf(content), namespace: content.Namespace(), obj: o, prev: old})
	return o
}

// remove deletes an object, and returns its last state at the version of the deletion.
func (t *tx) remove(r *resource, old *object) *object {
	v := t.next()
	t.record(r, &change{version: v, key: keyOf(old.content), namespace: old.content.Namespace(), prev: old})
	return stamp(old.content, v)
}

// forget drops the history of a resource.
func (r *resource) forget(version uint64) {
	r.history, r.oldest = nil, version
}

// Expire forgets all history, as a compaction does: every resource version handed out so far is too
// old for a watch and for the next page of a list, which get 410 Expired. Open streams go on.
func (s *Server) Expire() {
	s.store.write(func(t *tx) *rest.Status {
		v := t.next()
		for _, r := range t.order {
			r.forget(v)
		}
		return nil
	})
}

// at returns the objects as they were at a version. ok is false if the history does not go back
// that far.
func (r *resource) at(version uint64) (objects map[string]*object, ok bool) {
	if version < r.oldest {
		return nil, false
	}
	objects = maps.Clone(r.objects)
	for i := len(r.history) - 1; i >= 0 && r.history[i].version > version; i-- {
		if c := r.history[i]; c.prev != nil {
			objects[c.key] = c.prev
		} else {
			delete(objects, c.key)
		}
	}
	return objects, true
}
