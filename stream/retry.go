package stream

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// ErrStop ends a [Retry] when the error of an attempt wraps it.
var ErrStop = errors.New("stream: stop retrying")

// Retrying reports that an attempt has failed, and what comes next.
type Retrying struct {
	Attempt int           // failures in a row, including this one: 1 is the first
	Delay   time.Duration // the exact wait before the next attempt; 0 if it gave up
	GaveUp  bool          // no further attempt follows: this is the last value
	Retries int           // retries since the first of these failures: Attempt minus one
	Err     error         // what the attempt returned
}

// Attempt is the handle through which an attempt of [Retry] delivers values.
//
// It is valid until the attempt returns; its methods panic after that. Until then several
// goroutines may call them.
type Attempt[T any] struct {
	send func(T) bool
	ok   atomic.Bool
	over atomic.Bool
}

// Send delivers v like the function [Send]: false means that the context is done.
func (a *Attempt[T]) Send(v T) bool {
	a.alive()
	return a.send(v)
}

// OK reports that something got through: if this attempt fails, its failure counts as the first.
func (a *Attempt[T]) OK() {
	a.alive()
	if !a.ok.Load() { // OK may be called for every value, and a load is cheaper
		a.ok.Store(true)
	}
}

func (a *Attempt[T]) alive() { require(!a.over.Load(), "Attempt used after the attempt returned") }

// Retry runs attempt again and again, and sends the values that the attempts send.
//
// An attempt that returns nil has ended well: the next one starts at once, and failures are counted
// from zero again. An attempt that returns an error has failed. Retry sends the report of the
// failure and, once that has been received, waits for exactly the delay that it announces. When
// there are more than b.MaxRetries failures in a row, the report says that Retry has given up, and
// the stream ends. If report is nil, nothing is sent for a failure.
//
// The delay comes from b, unless an error in the chain has a method RetryAfter() time.Duration that
// asks for a longer one. Only such a request can exceed b.Max. Jitter does not shorten it, and
// [MaxRetryAfter] is the most that an error can ask for.
//
// The stream ends without a report when ctx is done or when the error wraps [ErrStop]. Attempts run
// in one goroutine, one after the other, and should return soon after ctx is done. Retry does not
// recover from panics.
//
// Retry panics if b does not pass [Backoff.Check].
func Retry[T any](
	ctx context.Context, b Backoff, attempt func(ctx context.Context, a *Attempt[T]) error, report func(Retrying) T,
) <-chan T {
	require(ctx != nil, "nil context")
	require(attempt != nil, "Retry needs a function")
	if err := b.Check(); err != nil {
		panic("stream: " + err.Error())
	}
	limit := b.withDefaults().MaxRetries
	out := make(chan T)
	go func() {
		defer close(out)
		send := func(v T) bool { return Send(ctx, out, v) }
		failures := 0
		for ctx.Err() == nil {
			a := &Attempt[T]{send: send}
			err := attempt(ctx, a)
			a.over.Store(true)
			if err == nil || a.ok.Load() {
				failures = 0
			}
			if err == nil {
				continue
			}
			if errors.Is(err, ErrStop) || ctx.Err() != nil {
				return
			}
			failures++
			r := Retrying{Attempt: failures, Retries: failures - 1, GaveUp: failures > limit, Err: err}
			if !r.GaveUp {
				r.Delay = b.after(failures, err)
			}
			if report != nil && !send(report(r)) {
				return
			}
			if r.GaveUp || !pause(ctx, r.Delay) {
				return
			}
		}
	}()
	return out
}

// pause waits for d: false means that ctx is done.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
