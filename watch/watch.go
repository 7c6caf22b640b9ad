package watch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// Events watches what the handle names and tells every change, and every failure, on one channel, until ctx ends or the
// limit of retries is reached.
//
// It starts with a list (Added for each object, then Synced; not with Options.ResourceVersion) and goes on with the
// changes, in the server's order. What is guaranteed:
//
//   - Nothing is lost and nothing is told twice. A cycle that the server ends is resumed at once after the last event. When
//     the server no longer knows that version (410), the watch lists again and tells the difference to what it told
//     before: Added, Modified, Deleted (with Event.Inferred) and nothing for what did not change; then Synced.
//   - No failure is silent. Each failed attempt is one WatchFailed with the cause and the delay, which is exactly the one
//     that is waited. The delay doubles while attempts fail, starts over after an event or a cycle that ended well, and
//     is never shorter than the server asked for.
//   - A connection that died without a word is noticed: by HTTP/2 pings, and by a deadline a little after the moment at
//     which the server should have ended the cycle.
//   - A slow reader slows the watch, which holds two events at most; the server may cut it then, and it resumes.
//   - When ctx ends, the channel is closed as soon as the request is off; nobody has to read what is left.
//
// Options, filters or a handle that cannot be used give one WatchFailed that says why, no request, and a closed channel.
func Events[T any](ctx context.Context, r rest.Resource[T], o Options) <-chan Event[T] {
	e := r.Endpoint()
	if err := e.Err(); err != nil {
		return refused[T](e.Kind().Kind, o.Source, err)
	}
	o, err := o.checked()
	if err != nil {
		return refused[T](e.Kind().Kind, o.Source, &optionError{err})
	}
	w := &watcher{
		endpoint: e,
		options:  o,
		filters:  o.Keep,
		known:    newKnown(maps.Clone(o.Known)),
		replay:   o.ResourceVersion != "" && o.ResourceVersion != listFromCache && o.Known == nil,
	}
	if o.ResourceVersion != listFromCache {
		w.version = o.ResourceVersion
	}
	return decode[T](ctx, stream.Retry(ctx, o.Backoff, w.attempt, w.failed), o)
}

// listFromCache is the resource version at which the server lists from its cache, however old.
const listFromCache = "0"

// watcher is the state of a watch. It belongs to the one goroutine that stream.Retry runs; a second one, decode, turns the
// items into events of T.
type watcher struct {
	endpoint rest.Endpoint
	resolved bool // endpoint has the kind that the server serves under its name
	options  Options
	filters  filters

	version string // the next cycle starts after it; "" means that a list is due
	known   *known // what the reader was told, to find the difference when a list is due again
	replay  bool   // the next list is told whole, whatever is known
	listed  bool   // a list was told before
	hollow  int    // cycles in a row that ended at once, at this version, with no event
}

// An attempt lists when that is due, and watches until the cycle ends. nil is a good end: the next attempt follows at once.
// An error is told as WatchFailed, and the next attempt waits.
//
//	version ""  --list: the difference, Synced-->  version of the list
//	version v   --cycle: events, bookmarks----->   version of the last one
//	            --end of the body-------------->   resume at v, at once
//	            --410 Gone--------------------->   "", at once; but after a list that brought nothing else, with a delay
//	            --an object without a version,
//	              a frame or a version too large,
//	              two hollow cycles------------>   "", with a delay
//	            --any other failure------------>   resume at v, with a delay
func (w *watcher) attempt(ctx context.Context, a *stream.Attempt[item]) (err error) {
	defer func() {
		if errors.Is(err, rest.ErrNotFound) { // another version may serve the name now
			w.resolved = false
		}
	}()
	if !w.resolved {
		if w.endpoint, err = stream.Await(w.endpoint.Resolve(ctx)); err != nil {
			return err
		}
		w.resolved = true
	}
	for fresh := false; ; {
		if w.version == "" {
			if err := w.list(ctx, a); err != nil {
				return err
			}
			fresh = true
		}
		end := w.cycle(ctx, a)
		if end.moved {
			w.hollow = 0
		}
		switch {
		case end.err == nil:
			w.hollow = 0
			return nil
		case errors.Is(end.err, rest.ErrExpired):
			w.version = ""
			if fresh && !end.moved {
				return end.err // the server refuses the version that it has just given
			}
		case errors.Is(end.err, ErrNoVersion), errors.Is(end.err, rest.ErrTooLarge), tooLarge(end.err):
			w.version = "" // a list has no frames, and no version to be behind of
			return end.err
		case errors.Is(end.err, ErrShort):
			// Some servers answer an expired version so. A list tells.
			if w.hollow++; w.hollow >= 2 {
				w.version, w.hollow = "", 0
			}
			return end.err
		default:
			return end.err
		}
	}
}

// failed tells a failed attempt.
func (w *watcher) failed(r stream.Retrying) item {
	return item{typ: WatchFailed, err: attemptFailed(w.endpoint.Kind().Kind, r)}
}

// tooLarge reports whether the server is behind the version that it was asked for.
func tooLarge(err error) bool {
	refused, ok := errors.AsType[*rest.StatusError](err)
	if !ok {
		return false
	}
	if strings.HasPrefix(refused.Status.Message, tooLargeMessage) {
		return true
	}
	if refused.Status.Details == nil {
		return false
	}
	return slices.ContainsFunc(refused.Status.Details.Causes, func(c rest.StatusCause) bool {
		return c.Type == "ResourceVersionTooLarge" || strings.HasPrefix(c.Message, tooLargeMessage)
	})
}

// tooLargeMessage is how servers that know no cause of that type begin its message, or that of the Status.
const tooLargeMessage = "Too large resource version"

// refused is the channel of a watch that cannot begin.
func refused[T any](kind, source string, err error) <-chan Event[T] {
	events := make(chan Event[T], 1) // buffered, so that the one event needs no goroutine
	events <- Event[T]{Type: WatchFailed, Source: source, Err: newAttemptError(kind, "cannot begin", err)}
	close(events)
	return events
}
