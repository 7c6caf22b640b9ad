package fakeapi

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// store is all that is stored. Its mutex is taken by read and write, and nowhere else: what their
// functions call runs with the mutex held.
type store struct {
	options Options
	done    <-chan struct{} // closed when the server ends

	// resources and order are fixed once the server runs.
	resources map[string]*resource // by group, version and plural
	order     []*resource

	mu       sync.Mutex
	version  uint64
	raised   chan struct{} // closed when the version is raised
	random   *rand.Rand
	collects bool // writes collect garbage
	filling  bool // nobody has seen a version yet
}

// firstVersion is the resource version of the first object: not 1, which no client of a real server
// ever sees.
const firstVersion = 1000

func newStore(o Options, done <-chan struct{}) *store {
	return &store{
		options: o, done: done, resources: make(map[string]*resource), version: firstVersion, raised: make(chan struct{}),
		random: rand.New(rand.NewPCG(o.Seed, 0)), //nolint:gosec // not for secrets
	}
}

// read calls f with the mutex held. f may register watches, but changes nothing that is stored.
func (s *store) read(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// tx is one write: the only way to change what is stored. It must not be used after the function
// that it was given to.
type tx struct {
	*store
	changed []*resource
}

// write runs f with the mutex held, and lets it change what is stored. What the changes leave to be
// collected is collected before anybody else sees them. Then the watches that are full get time to
// be read.
//
// What f has done before it refuses stays done.
func (s *store) write(f func(t *tx) *rest.Status) *rest.Status {
	t := &tx{store: s}
	st, room := t.run(f)
	if room != nil {
		s.settle(t.changed, room)
	}
	return st
}

// run is the part of a write that holds the mutex. room is not nil if a watch is full.
func (t *tx) run(f func(t *tx) *rest.Status) (st *rest.Status, room <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	st = f(t)
	if t.collects && len(t.changed) > 0 {
		t.collect()
	}
	return st, crowded(t.changed, false)
}

// dispatchBudget is how long a write waits for full watches before they are cut.
const dispatchBudget = 50 * time.Millisecond

// settle waits until the watches that are full have been read, and cuts those that are not read in
// time.
func (s *store) settle(changed []*resource, room <-chan struct{}) {
	timer := time.NewTimer(dispatchBudget)
	defer timer.Stop()
	spent := false
	for room != nil {
		select {
		case <-room:
		case <-timer.C:
			spent = true
		case <-s.done:
			return
		}
		s.read(func() { room = crowded(changed, spent) })
	}
}

// serves adds a resource before the server runs.
func (s *store) serves(r *resource) {
	r.oldest = s.version
	s.resources[resourceKey(r.kind.Group, r.kind.Version, r.kind.Plural)] = r
	s.order = append(s.order, r)
}

// find returns a resource by group and plural, whatever its version, or nil.
func (s *store) find(group, plural string) *resource {
	for _, r := range s.order {
		if r.kind.Group == group && r.kind.Plural == plural {
			return r
		}
	}
	return nil
}

// object returns a stored object.
func (s *store) object(r *resource, namespace, name string) (obj *object, ok bool) {
	s.read(func() { obj, ok = r.objects[key(namespace, name)] })
	return obj, ok
}
