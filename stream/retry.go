package stream

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// ErrStop ends a [Retry] when the error of an attempt wraps it.
var ErrStop = errors.New("stream: stop retrying")

// Retrying tells that an attempt has failed and what comes next.
type Retrying struct {
	Attempt int           // failures in a row, this one included: 1 is the first
	Delay   time.Duration // what is waited before the next attempt, exactly; 0 if it gave up
	GaveUp  bool          // there is no next attempt: this is the last value
	Retries int           // retries so far since the first of these failures: Attempt less one
	Err     error         // what the attempt returned
}

// Attempt is what an attempt of [Retry] delivers to.
//
// It is valid until the attempt has returned and panics after that. Until then its methods may be
// called by several goroutines.
type Attempt[T any] struct {
	send func(T) bool
	ok   atomic.Bool
	over atomic.Bool
}

// Send delivers v as [Send] does: false means that the context is done.
func (a *Attempt[T]) Send(v T) bool {
	a.alive()
	return a.send(v)
}

// OK tells that something got through: if this attempt fails nevertheless, its failure counts as
// the first.
func (a *Attempt[T]) OK() {
	a.alive()
	if !a.ok.Load() { // it may be called for every value, and a load is cheaper
		a.ok.Store(true)
	}
}

func (a *Attempt[T]) alive() { require(!a.over.Load(), "Attempt used after the attempt returned") }

// Retry runs attempt again and again, and sends what the attempts send.
//
// An attempt that returns nil has ended well: the next one starts at once, and failures are counted
// from zero again. An attempt that returns an error has failed. Retry sends report of the failure,
// and when that has been received it waits for the delay that was announced. Once there are more
// failures in a row than b.MaxRetries, the report says that it gave up, and the stream ends. With a
// nil report nothing is sent for a failure.
//
// The delay is that of b, unless the error has, somewhere in its chain, a method RetryAfter()
// time.Duration which asks for a longer one. That is the only way past b.Max. It is never
// shortened, but [MaxRetryAfter] is the most it gets.
//
// The stream ends without a report when ctx is done, and when the error wraps [ErrStop]. Attempts
// run in one goroutine, one after the other, and are expected to return soon after ctx is done. A
// panic is not caught.
//
// Retry panics if b does not pass [Backoff.Check].
func Retry[T any](
	ctx context.Context, b Backoff, attempt func(ctx context.Context, a *Attempt[T]) error, report func(Retrying) T,
) <-chan T {
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

// pause waits: false means that ctx is done.
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
