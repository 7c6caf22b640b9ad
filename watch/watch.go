package watch

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// Events watches the objects that the handle selects. It sends every change and every failure on
// one channel until ctx ends or the limit of retries is reached, or, with Options.Once, until the
// server ends the first cycle.
//
// It starts with a list (Added for each object, then Synced), streamed if the server can do that,
// or in pages, unless it resumes from Options.ResourceVersion, and continues with the changes in
// the server's order. It guarantees:
//
//   - No event is lost, and none is sent twice. When the server ends a cycle, the watch resumes at
//     once after the last event. When the server no longer knows that version (410), the watch
//     lists again and sends the difference from what it has sent before: Added, Modified, Deleted
//     (with Event.Inferred), nothing for unchanged objects, and then Synced.
//   - Every failure is reported. Each failed attempt is one WatchFailed with the cause and the
//     delay, and the watch waits for exactly that long. The delay doubles while attempts fail,
//     starts over after a new event or a cycle that ended well, and is never shorter than the
//     server asked for, up to five minutes. Once the watch is back, Recovered says so.
//   - No answers make it ask in a hot loop: it sends at most 60 requests in any minute, the first
//     ten of which may follow each other at once. Pages of a list that bring new objects do not
//     count, nor does what discovery takes beyond two requests on servers without its aggregated
//     form.
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
	streams := o.PageSize == 0
	o, err := o.checked()
	if err != nil {
		return refused[T](e.Kind().Kind, o.Source, &optionError{err})
	}
	w := &watcher{
		endpoint: e,
		options:  o,
		filters:  o.Keep,
		known:    newKnown(maps.Clone(o.Known)),
		page:     pageSize{most: o.PageSize},
		streams:  streams,
		replay:   o.ResourceVersion != "" && o.ResourceVersion != listFromCache && o.Known == nil,
	}
	w.known.partial = w.replay
	if o.ResourceVersion != listFromCache {
		w.version, w.seen = o.ResourceVersion, o.ResourceVersion
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

	version string    // the next cycle starts after it; "" means that a list is due
	seen    string    // the newest version so far: only a newer one is progress
	known   *known    // what the reader has received, to find the difference after a relist
	replay  bool      // the next list is sent in full, whatever is known
	listed  time.Time // when the last list was complete; zero before the first one
	page    pageSize
	streams bool // the server is asked for lists as streams
	paged   bool // but not for the next one: the last stream broke off
	hollow  int  // cycles in a row that ended early without progress
	pace    pace
	away    outage
}

// An attempt lists if a list is due, and then watches until the cycle ends. If it returns nil, the
// cycle ended well and the next attempt follows at once. An error is reported as WatchFailed, and
// the next attempt waits.
//
//	version ""  --list: the difference, Synced-->  version of the list
//	            --the same as a stream--------->   version of its end; the cycle goes on
//	            --the server cannot stream it-->   a list, at once
//	            --the stream breaks off-------->   a list, with a delay
//	version v   --cycle: events, bookmarks----->   version of the newest one
//	            --end of the body-------------->   resume at v, at once; with Once, the watch is over
//	            --early end without progress--->   resume at v; the second in a row: "", with a delay
//	            --410 Gone--------------------->   "", within a second; with Once, the watch is over
//	            --410 within 10 s of a list---->   "", with a delay
//	            --404, 400, 422, a storage error,
//	              an object without a version,
//	              a frame or a version too large>  "", with a delay
//	            --any other failure------------>   resume at v, with a delay
//
// Progress is a version newer than every version before (see newer): an event, filtered or not, or
// a bookmark. Repeated and older ones are not, and neither are ERROR events, refusals and what a
// list brings. Progress lets the delays start over. An end without it is early within
// Options.MinDuration of the request, and fails the attempt; within a tenth of the timeout, it does
// so if the cycle before ended early as well.
//
// Whatever the server answers, each request is one that pace allows. If it does not, the attempt
// fails and reports the delay.
func (w *watcher) attempt(ctx context.Context, a *stream.Attempt[item]) error {
	end := w.try(ctx, a)
	if errors.Is(end.err, rest.ErrNotFound) { // another version may serve the name now
		w.resolved = false
	}
	need := 1
	if w.version == "" {
		need = 2 // a list, and the watch after it
	}
	wait := w.pace.wait(need)
	switch {
	case wait == 0:
		return end.err
	case end.err != nil:
		return paced(end.err, wait)
	case end.timely:
		return pause(ctx, wait) // of a second or so: the options ask for many cycles
	default:
		return paced(ErrPace, wait)
	}
}

func (w *watcher) try(ctx context.Context, a *stream.Attempt[item]) ending {
	if err := w.resolve(ctx); err != nil {
		return ending{err: err}
	}
	for {
		if w.version == "" && !w.canStream() {
			if err := w.list(ctx, a); err != nil {
				return ending{err: err}
			}
		}
		end := w.cycle(ctx, a)
		w.judge(&end)
		if w.over(a, &end) {
			return end
		}
		switch {
		case errors.Is(end.err, rest.ErrNoStreaming):
			if err := w.tell(ctx, a, end.err); err != nil {
				return ending{err: err}
			}
		case end.err == nil && end.early: // the delays do not start over
		case end.listing || !errors.Is(end.err, rest.ErrExpired):
			return end
		case time.Since(w.listed) < relistAfter:
			end.err = w.spread(end.err)
			return end
		default:
			if err := pause(ctx, rand.N(maxSpread)); err != nil {
				return ending{err: err}
			}
		}
	}
}

const (
	relistAfter = 10 * time.Second // a list that follows another one sooner is reported and waits
	maxSpread   = time.Second      // a list after 410 waits for a random part of it: others lost the version, too
)

// spread makes the first delay after 410 longer, by up to maxSpread, unless the caller wants exact
// delays.
func (w *watcher) spread(err error) error {
	if w.options.Backoff.Jitter == -1 {
		return err
	}
	return paced(err, rand.N(2*maxSpread))
}

// resolve looks up the kind of the endpoint.
func (w *watcher) resolve(ctx context.Context) error {
	if w.resolved {
		return nil
	}
	if w.endpoint.Discovered() {
		for range 2 { // the requests of aggregated discovery
			if err := w.pace.take(); err != nil {
				return err
			}
		}
	}
	e, err := stream.Await(w.endpoint.Resolve(ctx))
	if err != nil {
		return err
	}
	w.endpoint, w.resolved = e, true
	return nil
}

// judge decides whether a list follows the end of a cycle, and whether an end of the body was an
// early one.
func (w *watcher) judge(end *ending) {
	if errors.Is(end.err, ErrPace) {
		return // there was no cycle
	}
	hollow := w.hollow
	if w.hollow = 0; end.err == nil && end.early {
		if w.hollow = hollow + 1; w.hollow >= 2 || end.short {
			end.err = ErrShort
		}
		if w.hollow >= 2 { // some servers do this when the version has expired: a list finds out
			w.version, w.hollow = "", 0
		}
	}
	if mustList(end.err) {
		w.version = ""
	}
}

// mustList reports whether an error means that the version, or the resource itself, may be gone, or
// that what follows the version cannot be read.
func mustList(err error) bool {
	for _, target := range []error{
		ErrNoVersion, rest.ErrTooLarge, rest.ErrExpired, rest.ErrNotFound, rest.ErrBadRequest, rest.ErrInvalid,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	refused, ok := errors.AsType[*rest.StatusError](err)
	return ok && (tooLarge(refused) || refused.Status.Reason == rest.ReasonStorageReadError)
}

// failed reports a failed attempt.
func (w *watcher) failed(r stream.Retrying) item {
	for p, ok := r.Err.(*pacedError); ok; p, ok = r.Err.(*pacedError) { //nolint:errorlint // only the outermost ones are ours
		r.Err = p.error
	}
	w.away.failed()
	return item{typ: WatchFailed, err: attemptFailed(w.endpoint.Kind().Kind, r, w.refusal(r.Err))}
}

// tooLarge reports whether the server has not reached the requested version yet. Servers say so in
// the type of a cause, or in words only, anywhere in a message.
func tooLarge(refused *rest.StatusError) bool {
	const words = "too large resource version"
	says := func(message string) bool { return strings.Contains(strings.ToLower(message), words) }
	if says(refused.Status.Message) {
		return true
	}
	return refused.Status.Details != nil && slices.ContainsFunc(refused.Status.Details.Causes, func(c rest.StatusCause) bool {
		return c.Type == "ResourceVersionTooLarge" || says(c.Message)
	})
}

// refused returns the channel of a watch that cannot begin.
func refused[T any](kind, source string, err error) <-chan Event[T] {
	events := make(chan Event[T], 1) // buffered, so that sending needs no goroutine
	events <- Event[T]{Type: WatchFailed, Source: source, Err: newAttemptError(kind, "cannot begin", err)}
	close(events)
	return events
}
