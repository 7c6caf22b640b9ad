package watch

import (
	"context"
	"errors"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

var (
	// ErrNever means that a condition can no longer come true. The reason follows in the chain.
	ErrNever = errors.New("it can no longer come true")
	// ErrEnded means that a channel of events was closed before a condition came true. If the watch
	// was failing, the last failure follows in the chain.
	ErrEnded = errors.New("the watch ended first")
)

// An UntilError says why [Until] has stopped waiting. It matches [ErrNever] and the reason of the
// condition, [ErrEnded], or the error and the cause of the context. If the watch was failing at the
// end, it matches what its last failure matches as well: [ErrGaveUp], rest.ErrForbidden.
type UntilError struct {
	// Err is the cause.
	Err error
	// Last is the last thing that was seen, on one line: what the condition missed, or the last
	// failure of the watch. It is empty if there was nothing.
	Last string

	failure error
}

// Error returns one line of at most 4 KiB with the cause and the last thing that was seen.
func (e *UntilError) Error() string {
	text := "wait: " + e.Err.Error()
	if e.Last != "" {
		text += "; last seen: " + e.Last
	}
	return rest.OneLine(text)
}

// Unwrap returns the cause, and the last failure of the watch if it was failing.
func (e *UntilError) Unwrap() []error {
	if e.failure == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.failure}
}

// Until answers with the first event that meets the condition. It reads events until then, and not
// beyond: the caller may read on afterwards, or end the context of the watch.
//
//	ctx, cancel := context.WithTimeout(ctx, time.Minute)
//	defer cancel() // ends the watch
//	events := watch.Events(ctx, pods, watch.Options{Name: "web"})
//	ev, err := stream.Await(watch.Until(ctx, events, watch.PodReady))
//
// The answer is an [*UntilError] as soon as the condition can no longer come true, when events is
// closed before that, and when ctx ends. Failures of the watch do not end the wait while it is
// retrying.
//
// Conditions judge one event at a time. The ready-made ones are about one object, so select it with
// Options.Name, or with [Keep] and [Names] from a channel of many. If an object is deleted while
// they wait, they can no longer come true, be the deletion seen or inferred by a relist: an object
// that is created again under the same name, with another UID, is another object. [Patient] waits
// for that one, too. Without Deleted events, which a filter may drop, it is judged like the first.
func Until[T any](ctx context.Context, events <-chan Event[T], condition Condition[T]) <-chan stream.Result[Event[T]] {
	switch {
	case ctx == nil:
		panic("watch: Until of a nil context")
	case events == nil:
		panic("watch: Until of a nil channel")
	case condition == nil:
		panic("watch: Until of a nil condition")
	}
	return stream.Go(ctx, func(ctx context.Context) (Event[T], error) {
		var last lastSeen
		for {
			ev, ok := stream.Recv(ctx, events)
			switch {
			case !ok && ctx.Err() != nil:
				return Event[T]{}, last.explain(context.Cause(ctx))
			case !ok:
				return Event[T]{}, last.explain(ErrEnded)
			}
			answer := condition(ev)
			if answer.Met {
				return ev, nil
			}
			note(&last, ev, answer)
			if answer.Never != nil {
				return Event[T]{}, last.never(answer.Never)
			}
		}
	})
}

// lastSeen is what an error of Until says besides its cause.
type lastSeen struct {
	text    string
	failure error // while the watch is failing
}

// note records an event that did not meet the condition.
func note[T any](l *lastSeen, ev Event[T], answer Answer) {
	switch {
	case ev.Err != nil:
		l.text, l.failure = ev.String(), ev.Err
		return
	case ev.Type == Bookmark:
		return // it says nothing
	case ev.Type == Recovered && l.failure == nil:
		return
	}
	l.failure = nil
	switch {
	case answer.Missing != "" && ev.Key.Name != "":
		l.text = rest.OneLine(ev.Key.String() + ": " + answer.Missing)
	case answer.Missing != "":
		l.text = rest.OneLine(answer.Missing)
	case ev.Type == Synced && l.text != "":
		// The objects before it say more.
	default:
		l.text = ev.String()
	}
}

// explain returns the error of a wait that has ended for this cause.
func (l *lastSeen) explain(cause error) error {
	return &UntilError{Err: cause, Last: l.text, failure: l.failure}
}

// never returns the error of a wait for what cannot come true: the reason is what was seen last.
func (l *lastSeen) never(reason error) error {
	return &UntilError{Err: &neverError{reason}}
}

// neverError is the reason why a condition can no longer come true.
type neverError struct{ reason error }

func (e *neverError) Error() string   { return ErrNever.Error() + ": " + e.reason.Error() }
func (e *neverError) Unwrap() []error { return []error{ErrNever, e.reason} }
