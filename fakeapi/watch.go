package fakeapi

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// dispatchBudget is how long a write waits for the watches that are full,
// before they are cut.
const dispatchBudget = 50 * time.Millisecond

// frame is one event of a watch that is not encoded yet.
type frame struct {
	kind string // "ADDED"
	obj  *object
	raw  []byte // instead of obj: an ERROR

	bookmark bool
	marker   bool // the bookmark that ends the initial events
}

// watcher is one open watch. Its mutable fields are guarded by the server's
// mutex.
type watcher struct {
	res     *resource
	sel     selection
	after   uint64 // only what happened after it is of interest
	limit   int
	pending []frame
	cut     bool
	wake    chan struct{}
	room    chan struct{} // closed when pending has been taken
}

// offer queues what a change means to this watch. The caller holds the mutex.
func (w *watcher) offer(c *change) {
	if w.cut || c.version <= w.after {
		return
	}
	f, ok := w.event(c)
	if !ok {
		return
	}
	w.pending = append(w.pending, f)
	w.signal()
}

func (w *watcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// event returns what a change means to this watch, if anything: what leaves a
// selection is DELETED, with its last content that was selected and the version
// of the change.
func (w *watcher) event(c *change) (frame, bool) {
	had, has := w.sel.matches(w.res, c.prev), w.sel.matches(w.res, c.obj)
	switch {
	case has && !had:
		return frame{kind: "ADDED", obj: c.obj}, true
	case has:
		return frame{kind: "MODIFIED", obj: c.obj}, true
	case had:
		if c.last == nil {
			c.last = stamp(c.prev.content, c.version)
		}
		return frame{kind: "DELETED", obj: c.last}, true
	}
	return frame{}, false
}

// settle gives the watches that are full time to be read, and cuts those that
// are not. A write calls it once it has let go of the mutex.
func (s *Server) settle(r *resource) {
	var timer *time.Timer
	spent := false
	for {
		s.mu.Lock()
		var room chan struct{}
		for _, r := range s.touched(r) {
			if c := r.crowded(spent); c != nil {
				room = c
			}
		}
		s.mu.Unlock()
		if room == nil {
			return
		}
		if timer == nil {
			timer = time.NewTimer(dispatchBudget)
			defer timer.Stop()
		}
		select {
		case <-room:
		case <-timer.C:
			spent = true
		case <-s.done:
			return
		}
	}
}

// touched returns the resources that a write to one may have changed.
func (s *Server) touched(r *resource) []*resource {
	if s.collecting {
		return s.order
	}
	return []*resource{r}
}

// crowded returns a channel that is closed when a watch that is full has been
// read, or cuts all watches that are full. The caller holds the mutex.
func (r *resource) crowded(cut bool) chan struct{} {
	var room chan struct{}
	for w := range r.watches {
		if w.cut || len(w.pending) < w.limit {
			continue
		}
		if cut {
			w.cut = true
			w.signal()
			continue
		}
		if w.room == nil {
			w.room = make(chan struct{})
		}
		room = w.room
	}
	return room
}

// take empties the queue of a watch. The version is that of a bookmark behind
// what was taken.
func (s *Server) take(w *watcher) (frames []frame, version uint64, cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frames, w.pending = w.pending, nil
	if w.room != nil {
		close(w.room)
		w.room = nil
	}
	return frames, s.version, w.cut
}

// open registers a watch and returns what it begins with. A Status is what to
// answer instead, as the first event.
func (s *Server) open(r *resource, sel selection, o *listOptions) (*watcher, []frame, *rest.Status) {
	asked, err := parseVersion(o.version)
	if err != nil {
		return nil, nil, internal(err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &watcher{res: r, sel: sel, limit: s.options.Queue, after: s.version, wake: make(chan struct{}, 1)}
	var begin []frame
	switch {
	case o.initial != nil && *o.initial:
		for _, k := range r.sortedKeys(r.objects, sel.namespace) {
			if obj := r.objects[k]; sel.matches(r, obj) {
				begin = append(begin, frame{kind: "ADDED", obj: obj})
			}
		}
		if o.bookmarks && !s.options.NoInitialEventsEnd && !s.options.NoWatchList {
			begin = append(begin, frame{kind: "BOOKMARK", obj: r.bookmark(s.version, true), bookmark: true, marker: true})
		}
	case asked == 0: // from now on
	case asked < r.oldest:
		return nil, []frame{{raw: errorEvent(r.tooOld(asked))}}, nil
	default:
		w.after = asked
		for _, c := range r.history {
			if c.version <= asked {
				continue
			}
			if f, ok := w.event(c); ok {
				begin = append(begin, f)
			}
		}
	}
	r.watches[w] = struct{}{}
	return w, begin, nil
}

// tooOld refuses a version that is forgotten. The real server keeps events out
// of its cache, and its store has other words.
func (r *resource) tooOld(asked uint64) *rest.Status {
	if r.kind.Plural == "events" && !r.custom {
		return expired("The resourceVersion for the provided watch is too old.")
	}
	return tooOld(asked, r.oldest)
}

// shut forgets a watch.
func (s *Server) shut(w *watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(w.res.watches, w)
	if w.room != nil {
		close(w.room)
		w.room = nil
	}
}

// serveWatch answers a watch until its time is over, the client goes, or a
// fault ends it.
func (s *Server) serveWatch(rw *response, req *http.Request, r *resource, sel selection, o *listOptions) {
	if _, err := parseVersion(o.version); err != nil {
		writeStatus(rw, internal(err.Error()))
		return
	}
	var late *rest.Status
	if o.initial != nil && *o.initial {
		asked, _ := parseVersion(o.version)
		late = s.waitVersion(req.Context(), asked)
	}
	st := newStream(s, rw)
	defer st.close()
	if st.begin(); st.ended {
		return
	}
	if rw.view.list { // the real server finds out when it encodes the first event
		return
	}
	if late != nil {
		st.send(r, frame{raw: errorEvent(late)})
		st.flush()
		return
	}
	w, begin, refusal := s.open(r, sel, o)
	if refusal != nil {
		st.send(r, frame{raw: errorEvent(refusal)})
		st.flush()
		return
	}
	if w == nil {
		st.sendFrames(r, begin)
		return
	}
	defer s.shut(w)
	if st.sendFrames(r, begin) {
		s.follow(st, w, o, s.timeout(o))
	}
}

// timeout returns how long a watch may take.
func (s *Server) timeout(o *listOptions) time.Duration {
	if o.timeout > 0 {
		return o.timeout
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	const least = 30 * time.Minute
	return least + time.Duration(s.random.Int64N(int64(least)))
}

// follow sends what happens until the watch ends.
func (s *Server) follow(st *stream, w *watcher, o *listOptions, timeout time.Duration) {
	end := time.NewTimer(timeout)
	defer end.Stop()
	next, last := s.bookmarkTimes(o, timeout)
	defer next.Stop()
	defer last.Stop()
	for {
		mark := false
		select {
		case <-w.wake:
		case <-next.C:
			mark = true
			next.Reset(s.options.BookmarkEvery)
		case <-last.C:
			mark = true
		case <-st.due():
			if st.plan.stop.kind == stopEnd {
				st.flush() // what was held back
			}
			st.halt()
			return
		case <-st.over():
			return
		case <-end.C:
			return
		}
		frames, version, cut := s.take(w)
		if mark && version >= w.after && !cut {
			frames = append(frames, frame{kind: "BOOKMARK", obj: w.res.bookmark(version, false), bookmark: true})
		}
		if !st.sendFrames(w.res, frames) || cut {
			return
		}
	}
}

// bookmarkTimes returns the timers of the bookmarks: every so often, and two
// seconds before the end.
func (s *Server) bookmarkTimes(o *listOptions, timeout time.Duration) (next, last *time.Timer) {
	next, last = time.NewTimer(s.options.BookmarkEvery), time.NewTimer(timeout-2*time.Second)
	if !o.bookmarks || s.options.BookmarkEvery < 0 {
		next.Stop()
		last.Stop()
	}
	if timeout <= 2*time.Second {
		last.Stop()
	}
	return next, last
}

// errorEvent is an event that carries a Status.
func errorEvent(st *rest.Status) []byte {
	return enclose(`{"type":"ERROR","object":`, statusBody(st))
}

// bookmark is an object that carries a version, and the annotation that ends
// the initial events if it does.
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

// enclose makes an event of its beginning and its object.
func enclose(head string, raw []byte) []byte {
	return slices.Concat([]byte(head), raw, []byte{'}'})
}
