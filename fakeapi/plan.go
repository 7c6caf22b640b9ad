package fakeapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// armed is a fault that waits for its requests. It is guarded by the server's
// mutex.
type armed struct {
	Fault
	left int // -1 is always
}

// plan is all that goes wrong with one request.
type plan struct {
	compact     bool
	delay       time.Duration
	refuse      *refusal
	stop        *stop
	goAway      bool
	split       int
	pause       time.Duration
	slow        time.Duration
	hold        int
	separator   string
	between     bool
	noBookmarks bool
	noMarker    bool
	texts       []insert
}

// insert is a text, or a pause, after so many events.
type insert struct {
	events int
	raw    []byte
	pause  time.Duration
}

// Inject makes things go wrong with the requests to come. Faults are asked in
// the order in which they were injected. To one request, any number of faults
// may happen that only change how it is answered, but only the first of those
// that end it: what is refused three times, then cut, is refused by the first
// three requests and cut by the fourth.
//
// A fault on a resource that is not served would never happen: Inject panics.
func (s *Server) Inject(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		s.mustServe(f.match.resource)
		left := f.times
		if left == 0 {
			left = 1
		}
		s.faults = append(s.faults, &armed{Fault: f, left: left})
	}
}

// mustServe panics if no resource has the name, as faults give it. The caller
// holds the mutex.
func (s *Server) mustServe(name string) {
	if name == "" || name == "*" {
		return
	}
	for _, r := range s.resources {
		if r.kind.Resource() == name {
			return
		}
	}
	panic(fmt.Sprintf("fakeapi: no resource is called %q: want a plural and its group, such as pods or deployments.apps", name))
}

// ClearFaults forgets the faults that have not happened yet.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// PendingFaults returns how many faults wait for a request yet, not counting
// those that happen always.
func (s *Server) PendingFaults() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, f := range s.faults {
		if f.left > 0 {
			n++
		}
	}
	return n
}

// plan finds what goes wrong with a request.
func (s *Server) plan(r *http.Request, q *query) *plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &plan{}
	for _, f := range s.faults {
		if f.left == 0 || !f.match.matches(r, q) || f.ends() && p.ends() {
			continue
		}
		if f.skip > 0 {
			f.skip--
			continue
		}
		if f.left > 0 {
			f.left--
		}
		f.happen(p, q)
	}
	return p
}

// ends tells that the fault, or the plan, ends a request.
func (f *armed) ends() bool { return f.stops }
func (p *plan) ends() bool  { return p.refuse != nil || p.stop != nil }

// happen adds the fault to a plan.
func (f *Fault) happen(p *plan, q *query) {
	switch {
	case f.draw != nil:
		f.draw(p, q)
	case f.apply != nil:
		f.apply(p)
	case f.refuse != nil:
		p.refuse = f.refuse
	case f.stops:
		st := f.stop
		if st.events < 0 && st.bytes < 0 && st.after == 0 {
			st.events = 0
		}
		p.stop = &st
	default:
		p.texts = append(p.texts, insert{events: max(f.stop.events, 0), raw: f.stop.raw, pause: f.stop.pause})
	}
}

// matches tells whether a request is chosen.
func (m *matcher) matches(r *http.Request, q *query) bool {
	resource := q.plural
	if q.group != "" {
		resource += "." + q.group
	}
	chosen := func(want string, have ...string) bool {
		return want == "" || want == "*" || slices.Contains(have, want)
	}
	return chosen(m.verb, q.verb) && chosen(m.resource, resource, q.plural) &&
		chosen(m.namespace, q.namespace) && chosen(m.name, q.name) &&
		strings.Contains(r.UserAgent(), m.agent) && (m.when == nil || m.when(r))
}
