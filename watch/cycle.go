package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// ending describes how a cycle ended.
type ending struct {
	moved bool  // an event arrived, filtered or not, or a bookmark with a new version
	err   error // nil if it ended well
}

// cycle sends one watch request, starting after the current version, and reads it until it ends.
func (w *watcher) cycle(ctx context.Context, a *stream.Attempt[item]) (end ending) {
	started := time.Now()
	frames, err := w.endpoint.Watch(ctx, rest.WatchOptions{
		Name: w.options.Name, LabelSelector: w.options.LabelSelector, FieldSelector: w.options.FieldSelector,
		ResourceVersion: w.version, Timeout: w.options.Timeout,
	})
	if err != nil {
		return ending{err: err}
	}
	defer frames.Close()

	var refusal *rest.StatusError // of the last frame, if that was an ERROR event
	for {
		f, err := frames.Next()
		if err != nil {
			end.err = w.ended(err, refusal, end.moved, time.Since(started))
			return end
		}
		it, was := item{typ: Type(f.Type)}, w.version
		switch it.typ {
		case Added, Modified, Deleted, Bookmark:
			err, refusal = w.take(&it, &f), nil
		case Error:
			if refusal, err = f.Refusal(); err == nil {
				it.err, err = f.Refusal() // a second error, which the reader may change
			}
		default:
			err = fmt.Errorf("%w: type %q", rest.ErrFrame, f.Type)
		}
		switch {
		case err != nil:
			end.err = err
			return end
		case it.typ == Bookmark && w.version == was: // not progress: a server may repeat it forever
		case refusal == nil:
			end.moved = true
			a.OK()
		case errors.Is(refusal, rest.ErrExpired):
			end.err = refusal
			return end
		}
		if !w.send(a, it) {
			end.err = ctx.Err()
			return end
		}
	}
}

// take advances the version, updates what is known, and copies the object unless a filter drops it.
func (w *watcher) take(it *item, f *rest.Frame) error {
	if f.ResourceVersion == "" {
		return fmt.Errorf("%s %s: %w", it.typ, strings.TrimSuffix(f.Key.String(), " "), ErrNoVersion)
	}
	w.version, it.version = f.ResourceVersion, f.ResourceVersion
	if it.typ == Bookmark {
		return nil
	}
	it.key, it.uid = f.Key, f.UID
	switch {
	case !w.filters.matter(it.key):
		return nil
	case it.typ == Deleted:
		w.known.remove(it.key)
	default:
		w.known.put(it)
	}
	if w.filters.keep(it.typ, it.key) {
		it.raw = copied(f.JSON)
	}
	return nil
}

// send delivers the item unless a filter drops it. It returns false when the watch is over.
func (w *watcher) send(a *stream.Attempt[item], it item) bool {
	if it.typ == Bookmark && !w.options.Bookmarks || !w.filters.keep(it.typ, it.key) {
		return true
	}
	return a.Send(it)
}

// ended returns nil if a stream that ended with err ended well, or else the reason why it did not.
func (w *watcher) ended(err error, refusal *rest.StatusError, moved bool, lasted time.Duration) error {
	switch {
	case refusal != nil:
		return &endedOnError{refusal}
	case !errors.Is(err, io.EOF):
		return err
	case !moved && lasted < w.options.MinDuration:
		return ErrShort
	default:
		return nil
	}
}
