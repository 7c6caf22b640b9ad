package watch

import (
	"context"
	"errors"
	"time"
)

// No sequence of answers makes a watch send more requests than these: in any minute at most 60, of
// which the first ten may follow each other at once. Pages of a list that bring new objects do not
// count.
const (
	paceBurst = 10
	paceEach  = time.Minute / 50 // one more request becomes possible after so long
)

// ErrPace means that the server has ended so many lists and streams in a short time that the watch
// waits before it sends the next request.
var ErrPace = errors.New("too many requests in a short time")

// pace limits the requests of a watch. The zero value has its whole burst left.
type pace struct {
	full time.Time // when the whole burst is available again
}

// take uses one request, and returns ErrPace if there is none left.
func (p *pace) take() error {
	if p.wait(1) > 0 {
		return ErrPace
	}
	now := time.Now()
	if p.full.Before(now) {
		p.full = now
	}
	p.full = p.full.Add(paceEach)
	return nil
}

// wait returns how long it takes until n requests, one after the other, are possible.
func (p *pace) wait(n int) time.Duration {
	return max(0, time.Until(p.full.Add(time.Duration(n-paceBurst)*paceEach)))
}

// pacedError is a failure after which the watch has to wait at least so long.
type pacedError struct {
	error

	wait time.Duration
}

func (e *pacedError) Unwrap() error { return e.error }

// paced makes the attempt that failed with err wait for at least so long.
func paced(err error, wait time.Duration) error {
	if busy, ok := errors.AsType[interface {
		error
		RetryAfter() time.Duration
	}](err); ok {
		wait = max(wait, busy.RetryAfter())
	}
	return &pacedError{err, wait}
}

// pause waits for d, or returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// RetryAfter is what stream.Retry asks for.
func (e *pacedError) RetryAfter() time.Duration { return e.wait }
