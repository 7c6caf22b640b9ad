package fakeapi

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// effect is something that can go wrong with a request. A request can have several.
type effect uint

const (
	stopped effect = 1 << iota // the answer is another one, or ends before its time
	delayed
	split
	slowed
	held
	separated
	inserted
	wentAway
	unmarked
	unended
	compacted
)

// repeated are the effects that a request can have from several faults.
const repeated = delayed | inserted

// armed is a fault that waits for its requests.
type armed struct {
	Fault
	left  int // -1 is always
	taken int // by requests to which it has yet to happen
}

// claim is a fault that a request has taken. If the request ends before the fault has happened to
// it, the fault is given back, and waits for another request.
type claim struct {
	fault   *armed
	effects effect
	settled bool
}

// faultList is the faults that wait for their requests.
type faultList struct {
	mu     sync.Mutex
	faults []*armed
}

// plan is everything that goes wrong with one request.
type plan struct {
	list        *faultList
	claims      []*claim
	effects     effect
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
	claim  *claim
	events int
	raw    []byte
	pause  time.Duration
}

// Inject makes things go wrong with the requests to come. Faults are tried in the order in which
// they were injected. Faults of different kinds can happen to the same request, and any number of
// delays, texts and pauses, but only the first of those that end it: given a refusal three times
// and then a cut, the first three requests are refused and the fourth is cut. A fault that a
// request has taken and that did not happen to it, because the request ended before, waits for the
// next one.
//
// Inject panics if a fault can never happen: its resource is not served or does not have the verb,
// the answer to such a request has no events, or an argument makes it do nothing. Then it injects
// none of the faults.
func (s *Server) Inject(faults ...Fault) {
	faults = slices.Clone(faults) // they are completed
	for i := range faults {
		if why := s.never(&faults[i]); why != "" {
			panic("fakeapi: this fault can never happen: " + why)
		}
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

// ClearFaults forgets the faults that have yet to happen.
func (s *Server) ClearFaults() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.faults = nil
}

// PendingFaults returns how many faults have yet to happen, not counting those that always happen.
// A fault that has been taken by a request counts until it has happened to it: an end after five
// events does until the fifth.
func (s *Server) PendingFaults() int {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	n := 0
	for _, f := range s.faults.faults {
		if f.left > 0 || f.left == 0 && f.taken > 0 {
			n++
		}
	}
	return n
}

// plan finds what goes wrong with a request.
func (l *faultList) plan(r *http.Request, q *query) *plan {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &plan{list: l}
	for _, f := range l.faults {
		if f.left == 0 || f.watches && q.verb != "watch" || !f.match.matches(r, q) || f.effect&p.effects&^repeated != 0 {
			continue
		}
		if f.skip > 0 {
			f.skip--
			continue
		}
		c := &claim{fault: f, effects: f.effect}
		f.affect(p, q, c)
		if c.effects == 0 { // the dice say that nothing goes wrong
			continue
		}
		p.effects |= c.effects
		p.claims = append(p.claims, c)
		f.taken++
		if f.left > 0 {
			f.left--
		}
	}
	return p
}

// affect adds the fault to a plan.
func (f *Fault) affect(p *plan, q *query, c *claim) {
	switch {
	case f.draw != nil:
		c.effects = f.draw(p, q)
	case f.apply != nil:
		f.apply(p)
	case f.refuse != nil:
		p.refuse = f.refuse
	case f.effect == inserted:
		p.texts = append(p.texts, insert{claim: c, events: max(f.stop.events, 0), raw: f.stop.raw, pause: f.stop.pause})
	default:
		st := f.stop
		if st.events < 0 && st.bytes < 0 && st.after == 0 {
			st.events = 0
		}
		p.stop = &st
	}
}

// happened settles the faults of some effects: they have happened.
func (p *plan) happened(e effect) {
	for _, c := range p.claims {
		if c.effects&e != 0 {
			p.list.settle(c, true)
		}
	}
}

// giveBack settles the faults that have not happened to a request that is over.
func (p *plan) giveBack() {
	for _, c := range p.claims {
		p.list.settle(c, false)
	}
}

// settle ends a claim, once.
func (l *faultList) settle(c *claim, happened bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.settled {
		return
	}
	c.settled = true
	c.fault.taken--
	if !happened && c.fault.left >= 0 {
		c.fault.left++
	}
}

// matches reports whether a request is chosen.
func (m *matcher) matches(r *http.Request, q *query) bool {
	return m.covers(target{verb: q.verb, resource: q.resource(), sub: q.sub, named: q.name != "", namespaced: q.namespace != ""}) &&
		(m.namespace == "" || m.namespace == q.namespace) && (m.name == "" || m.name == q.name) &&
		strings.Contains(r.UserAgent(), m.agent) && (m.when == nil || m.when(r))
}
