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

// Events watches the objects that the handle selects. It sends every change and every failure on
// one channel until ctx ends or the limit of retries is reached.
//
// It starts with a list (Added for each object, then Synced), unless it resumes from
// Options.ResourceVersion, and continues with the changes in the server's order. It guarantees:
//
//   - No event is lost, and none is sent twice. When the server ends a cycle, the watch resumes at
//     once after the last event. When the server no longer knows that version (410), the watch
//     lists again and sends the difference from what it has sent before: Added, Modified, Deleted
//     (with Event.Inferred), nothing for unchanged objects, and then Synced.
//   - Every failure is reported. Each failed attempt is one WatchFailed with the cause and the
//     delay, and the watch waits for exactly that long. The delay doubles while attempts fail,
//     starts over after an event or a cycle that ended well, and is never shorter than the server
//     asked for, up to five minutes.
//   - A connection that dies silently is noticed: by HTTP/2 pings, and by a deadline shortly after
//     the server should have ended the cycle.
//   - A slow reader slows down the watch, which holds at most two events. The server may then cut
//     it off, and it resumes.
//   - When ctx ends, the channel is closed as soon as the request has ended. Nobody has to read
//     what is left.
//
// If the options, a filter or the handle cannot be used, Events sends no request: it reports the
// reason in one WatchFailed and closes the channel.
func Events[T any](ctx context.Context, r rest.Resource[T], o Options) <-chan Event[T] {
	if ctx == nil {
		panic("watch: nil context")
	}
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

// listFromCache is the resource version that lets the server list from its cache, however old that
// is.
const listFromCache = "0"

// watcher is the state of a watch. It belongs to the goroutine that stream.Retry runs. A second
// goroutine, started by decode, turns the items into events of T.
type watcher struct {
	endpoint rest.Endpoint
	resolved bool // the kind of the endpoint has been looked up
	options  Options
	filters  filters

	version string // the next cycle starts after it; "" means that a list is due
	known   *known // what the reader has received, to find the difference after a relist
	replay  bool   // the next list is sent in full, whatever is known
	listed  bool   // a list has been completed
	hollow  int    // consecutive cycles that ended at once, at this version, without an event
}

// An attempt lists if a list is due, and then watches until the cycle ends. If it returns nil, the
// cycle ended well and the next attempt follows at once. An error is reported as WatchFailed, and
// the next attempt waits.
//
//	version ""  --list: the difference, Synced-->  version of the list
//	version v   --cycle: events, bookmarks----->   version of the last one
//	            --end of the body-------------->   resume at v, at once
//	            --410 Gone--------------------->   "", at once; with a delay if nothing came after a list
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
		e, err := stream.Await(w.endpoint.Resolve(ctx))
		if err != nil {
			return err
		}
		w.endpoint, w.resolved = e, true
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
				return end.err // the server refuses the version that it has just returned
			}
		case errors.Is(end.err, ErrNoVersion), errors.Is(end.err, rest.ErrTooLarge), tooLarge(end.err):
			w.version = "" // a list has no frames, and asks for no version
			return end.err
		case errors.Is(end.err, ErrShort):
			// Some servers do this when the version has expired. A list finds out.
			if w.hollow++; w.hollow >= 2 {
				w.version, w.hollow = "", 0
			}
			return end.err
		default:
			return end.err
		}
	}
}

// failed reports a failed attempt.
func (w *watcher) failed(r stream.Retrying) item {
	return item{typ: WatchFailed, err: attemptFailed(w.endpoint.Kind().Kind, r)}
}

// tooLarge reports whether err says that the server has not reached the requested version yet.
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

// tooLargeMessage is the beginning of the message of the Status, or of a cause, from servers that
// do not set the type of the cause.
const tooLargeMessage = "Too large resource version"

// refused returns the channel of a watch that cannot begin.
func refused[T any](kind, source string, err error) <-chan Event[T] {
	events := make(chan Event[T], 1) // buffered, so that sending needs no goroutine
	events <- Event[T]{Type: WatchFailed, Source: source, Err: newAttemptError(kind, "cannot begin", err)}
	close(events)
	return events
}
