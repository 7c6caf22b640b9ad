package watch

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// errCutOff means that a stream ended before the list that it began with.
var errCutOff = errors.New("the stream ended before its list was complete")

// canStream reports whether the next list is asked for as the beginning of a watch.
func (w *watcher) canStream() bool { return w.streams && !w.paged && w.endpoint.Streams() }

// tell says, once for each client and resource, that the server cannot stream lists: the client
// remembers it.
func (w *watcher) tell(ctx context.Context, a *stream.Attempt[item], err error) error {
	if w.filters.keep(Error, rest.Key{}) && !a.Send(item{typ: Error, err: err}) {
		return ctx.Err()
	}
	return nil
}

// initial reads the list that a stream begins with. It sends the difference as list does, and moves
// to the version at which the list ends. A stream that breaks off before leaves the version as it
// was, and the next list comes in pages: they arrive one by one.
func (w *watcher) initial(ctx context.Context, a *stream.Attempt[item], frames *rest.Frames, open *lifesign) error {
	w.known.begin()
	w.paged = true
	for {
		f, err := frames.Next()
		open.stop() // before anybody else says that the watch is back
		switch {
		case errors.Is(err, io.EOF):
			return errCutOff
		case err != nil:
			return err
		case Type(f.Type) == Error:
			return w.refusedList(ctx, a, &f)
		case !w.back(a):
			return ctx.Err()
		case f.EndOfInitial && f.Err == nil:
			return w.complete(ctx, a, f.ResourceVersion)
		}
		if err := w.initialFrame(ctx, a, &f); err != nil {
			return err
		}
	}
}

// refusedList sends the ERROR event that a stream brings in place of its list.
func (w *watcher) refusedList(ctx context.Context, a *stream.Attempt[item], f *rest.Frame) error {
	it, refusal, err := w.refusing(f)
	if err != nil {
		return err
	}
	if it.typ != "" && !a.Send(it) {
		return ctx.Err()
	}
	return &endedOnError{refusal}
}

// initialFrame sends the difference that one of the initial events makes. A reader that is slow
// sees changes among them.
func (w *watcher) initialFrame(ctx context.Context, a *stream.Attempt[item], f *rest.Frame) error {
	typ := Type(f.Type)
	switch typ {
	case Added, Modified, Deleted:
	case Bookmark:
		return nil // the position is that of the end
	default:
		return fmt.Errorf("%w: type %q", rest.ErrFrame, f.Type)
	}
	if w.isMisfit(f) {
		if it := w.misfit(typ, f); it.typ != "" && !a.Send(it) {
			return ctx.Err()
		}
		return nil
	}
	if !isVersion(f.ResourceVersion) {
		return fmt.Errorf("%s %s: %w", typ, f.Key, ErrNoVersion)
	}
	it := item{typ: Added, key: f.Key, uid: f.UID, version: f.ResourceVersion, listed: true, replayed: w.replay}
	if !w.filters.matter(it.key) {
		return nil
	}
	// Listed: nobody can resume from its version, since objects of the list are still to come.
	change := item{typ: typ, key: f.Key, uid: f.UID, version: f.ResourceVersion, listed: true}
	if typ == Added {
		change.typ = Modified // of what the list has brought already
	}
	switch again := w.known.listed(f.Key); {
	case typ == Deleted && !again, again && !w.known.news(&change, "", ""):
		return nil // the end of the list finds out what it lacks
	case typ == Deleted:
		w.see(change.version) // should it come again
		w.known.remove(f.Key)
		return w.pass(ctx, a, change, f.JSON)
	case again:
		w.known.put(&change)
		return w.pass(ctx, a, change, f.JSON)
	}
	return w.differs(ctx, a, it, f.JSON)
}
