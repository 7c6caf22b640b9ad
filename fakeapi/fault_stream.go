package fakeapi

import (
	"net/http"
	"sync"
	"time"
)

// stream writes the events of a watch.
type stream struct {
	*response
	open   *streams
	buf    []byte
	held   int // events in buf
	events int // events that were sent
	timer  *time.Timer
}

// streams counts the streams that are open.
type streams struct {
	mu        sync.Mutex
	now, most int
}

// start begins a stream.
func (s *streams) start(w *response) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now++
	s.most = max(s.most, s.now)
	w.streaming = true
	return &stream{response: w, open: s}
}

// end forgets a stream.
func (s *streams) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now--
}

// count returns how many streams are open, and how many have been at the same time, at most.
func (s *streams) count() (now, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, s.most
}

// close sends what was held back, and forgets the stream.
func (st *stream) close() {
	if !st.ended && len(st.buf) > 0 {
		st.flush()
	}
	if st.timer != nil {
		st.timer.Stop()
	}
	st.open.end()
}

// begin sends the headers.
func (st *stream) begin() {
	st.Header().Set("Content-Type", "application/json")
	st.WriteHeader(http.StatusOK)
	st.response.flush()
	if p := st.plan.stop; p != nil {
		if p.after > 0 {
			st.timer = time.NewTimer(p.after)
		}
		if p.bytes == 0 || p.events == 0 {
			st.insertTexts()
			st.flush()
			st.halt()
			return
		}
	}
	st.insertTexts()
	st.flush()
}

// due delivers when a fault ends the stream; nil never does.
func (st *stream) due() <-chan time.Time {
	if st.timer == nil {
		return nil
	}
	return st.timer.C
}

// sendFrames sends events and flushes. It reports whether to go on.
func (st *stream) sendFrames(r *resource, frames []frame) bool {
	for _, f := range frames {
		if st.ended {
			return false
		}
		if st.leavesOut(f) {
			continue
		}
		st.send(r, f)
	}
	switch {
	case st.plan.hold == 0, st.held >= st.plan.hold:
		st.flush()
	case st.held > 0:
		st.plan.happened(held)
	}
	select {
	case <-st.done:
		return false
	default:
		return !st.ended
	}
}

// leavesOut reports whether the plan leaves out an event.
func (st *stream) leavesOut(f frame) bool {
	var why effect
	if f.bookmark && st.plan.noBookmarks {
		why |= unmarked
	}
	if f.marker && st.plan.noMarker {
		why |= unended
	}
	st.plan.happened(why)
	return why != 0
}

// send queues one event. The plan may end the stream after it.
func (st *stream) send(r *resource, f frame) {
	if st.plan.slow > 0 {
		st.plan.happened(slowed)
		st.flush()
		if !st.wait(st.plan.slow) {
			st.ended = true
			return
		}
	}
	if st.plan.between && st.events > 0 {
		st.buf = append(st.buf, st.plan.separator...)
	}
	st.buf = f.appendTo(st.buf, r, st.view)
	if !st.plan.between {
		st.buf = append(st.buf, '\n')
	}
	st.plan.happened(separated)
	st.held++
	st.events++
	st.insertTexts()
	if p := st.plan.stop; p != nil && p.events == st.events {
		st.flush()
		st.halt()
	}
}

// insertTexts queues the texts whose turn it is.
func (st *stream) insertTexts() {
	for _, t := range st.plan.texts {
		if t.events != st.events {
			continue
		}
		st.plan.list.settle(t.claim, true)
		st.buf = append(st.buf, t.raw...)
		if t.pause > 0 {
			st.flush()
			if !st.wait(t.pause) {
				st.ended = true
			}
		}
	}
}

// maxKeptBuffer is how large a buffer is kept for the next events.
const maxKeptBuffer = 64 << 10

// flush sends what is queued.
func (st *stream) flush() {
	if len(st.buf) > 0 {
		_, err := st.Write(st.buf)
		st.buf, st.held = st.buf[:0], 0
		if cap(st.buf) > maxKeptBuffer {
			st.buf = nil
		}
		if err != nil {
			st.ended = true
			return
		}
	}
	if !st.ended {
		st.response.flush()
	}
}
