package fakeapi

import (
	"context"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// serveWatch answers a watch.
func (s *Server) serveWatch(ctx context.Context, r *request, sel selection, o *listOptions) (answer, *rest.Status) {
	asked, err := parseVersion(o.version)
	if err != nil {
		return nil, internal(err.Error())
	}
	a := watchAnswer{s: s, res: r.res, sel: sel, options: o}
	if o.initial != nil && *o.initial {
		a.late = s.store.waitVersion(ctx, asked)
	}
	return a, nil
}

// watchAnswer is the events of a watch, until its time is over, the client goes, or a fault ends
// it.
type watchAnswer struct {
	s       *Server
	res     *resource
	sel     selection
	options *listOptions
	late    *rest.Status // sent instead, if the version has not come in time
}

func (a watchAnswer) write(rw *response) {
	st := a.s.streams.start(rw)
	defer st.close()
	if st.begin(); st.ended || a.options.timeout < 0 { // its time is over
		return
	}
	if rw.view.list { // kube-apiserver finds out when it encodes the first event
		return
	}
	if a.late != nil {
		st.send(a.res, frame{raw: errorEvent(a.late)})
		st.flush()
		return
	}
	w, begin := a.s.store.open(a.res, a.sel, a.options)
	if w == nil {
		st.sendFrames(a.res, begin)
		return
	}
	defer a.s.store.shut(w)
	if st.sendFrames(a.res, begin) {
		a.s.follow(st, w, a.options, a.s.store.timeout(a.options))
	}
}

// timeout returns how long a watch may take.
func (s *store) timeout(o *listOptions) time.Duration {
	if o.timeout > 0 {
		return o.timeout
	}
	const least = 30 * time.Minute
	var more int64
	s.read(func() { more = s.random.Int64N(int64(least)) })
	return least + time.Duration(more)
}

// follow sends events until the watch ends.
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
		case <-st.done:
			return
		case <-end.C:
			return
		}
		frames, version, cut := s.store.take(w)
		if mark && version >= w.after && !cut {
			frames = append(frames, frame{kind: "BOOKMARK", obj: w.res.bookmark(version, false), bookmark: true})
		}
		if !st.sendFrames(w.res, frames) || cut {
			return
		}
	}
}

// bookmarkTimes returns the timers of the bookmarks: every so often, and two seconds before the
// end.
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
