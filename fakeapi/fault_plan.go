package fakeapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// armed is a fault that waits for its requests.
type armed struct {
	Fault
	left int // -1 is always
}

// faultList is the faults that wait for their requests.
type faultList struct {
	mu     sync.Mutex
	faults []*armed
}

// plan is everything that goes wrong with one request.
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

// Inject makes things go wrong with the requests to come. Faults are tried in the order in which
// they were injected. Any number of faults that only change how a request is answered can happen to
// it, but only the first of those that end it: given a refusal three times and then a cut, the
// first three requests are refused and the fourth is cut.
//
// Inject panics if a fault names a resource that is not served: it would never happen.
func (s *Server) Inject(faults ...Fault) {
	for _, f := range faults {
		s.mustServe(f.match.resource)
	}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	for _, f := range faults {
		left := f.times
		if left == 0 {
			left = 1
		}
		s.faults.faults = append(s.faults.faults, &armed{Fault: f, left: left})
	}
}

// mustServe panics if no resource has the name, as faults write it.
func (s *Server) mustServe(name string) {
	if name == "" || name == "*" {
		return
	}
	for _, r := range s.store.order {
		if r.kind.Resource() == name {
			return
		}
	}
	panic(fmt.Sprintf("fakeapi: no resource is called %q: want a plural and its group, such as pods or deployments.apps", name))
}

// ClearFaults forgets the faults that have yet to happen.
func (s *Server) ClearFaults() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.faults = nil
}

// PendingFaults returns how many faults still wait for a request, not counting those that always
// happen.
func (s *Server) PendingFaults() int {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	n := 0
	for _, f := range s.faults.faults {
		if f.left > 0 {
			n++
		}
	}
	return n
}

// plan finds what goes wrong with a request.
func (l *faultList) plan(r *http.Request, q *query) *plan {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &plan{}
	for _, f := range l.faults {
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

// ends reports whether the fault, or the plan, ends a request.
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

// matches reports whether a request is chosen.
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
