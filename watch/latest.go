package watch

import (
	"container/list"
	"context"

	"github.com/tideway-go/tideway/rest"
)

// maxNotes is how many events without an object wait in a [Latest] before it stops receiving.
const maxNotes = 64

// Latest is a stage that decouples a slow reader: of each object only the newest event waits. A
// reader that applies what it gets holds in the end what it would hold if it had read every event.
//
//   - Objects are distinguished by Event.Source and Event.Key. A newer event takes the place of the
//     one that waits, so objects come in the order in which they began to wait.
//   - A change of an object whose Added still waits stays Added, and Listed and Replayed. A Deleted
//     is delivered even if its Added was not. If the name is taken again after it, both the Deleted
//     and the Added are delivered.
//   - A Synced comes after all objects of its list, in a newer state if there is one.
//   - No Synced and no failure is lost, nor any other event without an object, except for a
//     Bookmark: only the newest of each Source waits, and it comes after everything before it.
//   - Memory is bounded by the number of objects: at most two events for each, and 64 events
//     without an object. When those wait, Latest receives nothing until the reader has taken one.
//
// Resume only from the version of a Synced or of a Bookmark: a change can overtake older ones of
// other objects. When in is closed, what waits is delivered before the output is closed.
func Latest[T any](ctx context.Context, in <-chan Event[T]) <-chan Event[T] {
	switch {
	case ctx == nil:
		panic("watch: Latest of a nil context")
	case in == nil:
		panic("watch: Latest of a nil channel")
	}
	out := make(chan Event[T])
	go func() {
		defer close(out)
		w := waiting[T]{objects: map[place]*list.Element{}, bookmarks: map[string]*list.Element{}}
		for ctx.Err() == nil && (in != nil || w.queue.Len() > 0) {
			var to chan<- Event[T] // nil, and so never chosen, while nothing waits
			var first Event[T]
			if w.queue.Len() > 0 {
				to, first = out, w.first()
			}
			from := in
			if w.notes >= maxNotes {
				from = nil
			}
			select {
			case ev, ok := <-from:
				if ok {
					w.put(ev)
				} else {
					in = nil
				}
			case to <- first:
				w.drop()
			case <-ctx.Done():
			}
		}
	}()
	return out
}

// place identifies an object in merged streams.
type place struct {
	source string
	key    rest.Key
}

// waiting are the events that the reader has not taken yet.
type waiting[T any] struct {
	queue     list.List // of *waiter[T]
	objects   map[place]*list.Element
	bookmarks map[string]*list.Element // by source
	notes     int                      // events that are of no object, and no Bookmark
}

// waiter is what waits in one place of the queue.
type waiter[T any] struct {
	gone *Event[T] // the Deleted of an object whose name is taken again
	now  Event[T]
}

// put appends an event, or lets it take the place of one that waits.
func (w *waiting[T]) put(ev Event[T]) {
	switch ev.Type {
	case Added, Modified, Deleted:
		p := place{ev.Source, ev.Key}
		if e, ok := w.objects[p]; ok {
			e.Value.(*waiter[T]).replace(ev)
			return
		}
		w.objects[p] = w.queue.PushBack(&waiter[T]{now: ev})
	case Bookmark:
		if e, ok := w.bookmarks[ev.Source]; ok {
			w.queue.Remove(e)
		}
		w.bookmarks[ev.Source] = w.queue.PushBack(&waiter[T]{now: ev})
	default:
		w.notes++
		w.queue.PushBack(&waiter[T]{now: ev})
	}
}

// replace puts a newer event of the same object in the place of the one that waits.
func (w *waiter[T]) replace(ev Event[T]) {
	was := w.now
	switch {
	case ev.Type == Deleted && w.gone != nil:
		// The reader has not seen the object that took the name.
		w.now, w.gone = *w.gone, nil
		return
	case ev.Type == Deleted:
	case was.Type == Deleted:
		w.gone = &was
	case was.Type == Added:
		ev.Type = Added
		ev.Replayed = ev.Replayed || was.Replayed
	}
	ev.Listed = ev.Listed || was.Listed // it comes before the Synced of that list
	w.now = ev
}

// first returns the event that is delivered next.
func (w *waiting[T]) first() Event[T] {
	if f := w.front(); f.gone != nil {
		return *f.gone
	}
	return w.front().now
}

// front returns the waiter at the front of the queue.
func (w *waiting[T]) front() *waiter[T] { return w.queue.Front().Value.(*waiter[T]) }

// drop removes the event that has been delivered.
func (w *waiting[T]) drop() {
	f := w.front()
	if f.gone != nil {
		f.gone = nil
		return
	}
	w.queue.Remove(w.queue.Front())
	switch f.now.Type {
	case Added, Modified, Deleted:
		delete(w.objects, place{f.now.Source, f.now.Key})
	case Bookmark:
		delete(w.bookmarks, f.now.Source)
	default:
		w.notes--
	}
}
