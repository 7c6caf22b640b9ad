package fakeapi

import (
	"github.com/tideway-go/tideway/rest"
)

// watcher is one open watch. The mutex of the store guards its mutable fields.
type watcher struct {
	res     *resource
	sel     selection
	after   uint64 // earlier changes are of no interest
	limit   int
	pending []frame
	cut     bool
	wake    chan struct{}
	room    chan struct{} // closed when pending has been taken
}

// offer queues the event that a change is to this watch, if any.
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

// event returns the event that a change is to this watch, if any. An object that leaves the
// selection is DELETED, with the last content that was selected and the version of the change.
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

// crowded returns a channel that is closed when a full watch of one of the resources has been read.
// With cut, it cuts all full watches instead. The caller holds the mutex of the store.
func crowded(resources []*resource, cut bool) <-chan struct{} {
	var room chan struct{}
	for _, r := range resources {
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
	}
	return room
}

// take empties the queue of a watch. A bookmark after what was taken has the version.
func (s *store) take(w *watcher) (frames []frame, version uint64, cut bool) {
	s.read(func() {
		frames, w.pending = w.pending, nil
		w.makeRoom()
		version, cut = s.version, w.cut
	})
	return frames, version, cut
}

// open registers a watch, and returns the events that it begins with. If the version is too old
// there is no watch, and the only event says so.
func (s *store) open(r *resource, sel selection, o *listOptions) (w *watcher, begin []frame) {
	asked, _ := parseVersion(o.version) // it has been parsed before
	s.read(func() {
		w = &watcher{res: r, sel: sel, limit: s.options.Queue, after: s.version, wake: make(chan struct{}, 1)}
		switch {
		case o.initial != nil && *o.initial:
			begin = s.initial(w, o)
		case asked == 0: // from now on
		case asked < r.oldest:
			w, begin = nil, []frame{{raw: errorEvent(r.tooOld(asked))}}
			return
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
	})
	return w, begin
}

// initial returns the objects that a watch begins with, and the bookmark that ends them.
func (s *store) initial(w *watcher, o *listOptions) []frame {
	var begin []frame
	for _, k := range w.res.sortedKeys(w.res.objects, w.sel.namespace) {
		if obj := w.res.objects[k]; w.sel.matches(w.res, obj) {
			begin = append(begin, frame{kind: "ADDED", obj: obj})
		}
	}
	if o.bookmarks && !s.options.NoInitialEventsEnd && !s.options.NoWatchList {
		begin = append(begin, frame{kind: "BOOKMARK", obj: w.res.bookmark(s.version, true), bookmark: true, marker: true})
	}
	return begin
}

// tooOld refuses a version that has been forgotten. kube-apiserver does not cache events, and its
// storage has other words.
func (r *resource) tooOld(asked uint64) *rest.Status {
	if r.kind.Plural == "events" && !r.custom {
		return expired("The resourceVersion for the provided watch is too old.")
	}
	return tooOld(asked, r.oldest)
}

// shut forgets a watch.
func (s *store) shut(w *watcher) {
	s.read(func() {
		delete(w.res.watches, w)
		w.makeRoom()
	})
}

// makeRoom tells the writes that wait for this watch that it has been read.
func (w *watcher) makeRoom() {
	if w.room != nil {
		close(w.room)
		w.room = nil
	}
}
