package rest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/tideway-go/tideway/rest/internal/transport"
)

// ErrOverdue means that the server kept a stream open past its own timeout. Usually the connection
// is half open, and nothing arrives at all.
var ErrOverdue = errors.New("the server did not end the answer in time")

// openUntil sends a request whose answer must end within patience, and returns its body. patience 0
// is no limit but the context. The time begins when the request is on its connection: a connection
// and a credential have limits and errors of their own.
func (e *Endpoint) openUntil(ctx context.Context, q *request, patience time.Duration) (*timedBody, error) {
	return e.openMarked(ctx, q, patience, 0)
}

// openMarked is openUntil for an answer that must, within the second time, arrive at a mark: see
// timedBody.marked.
func (e *Endpoint) openMarked(ctx context.Context, q *request, patience, mark time.Duration) (*timedBody, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	b := &timedBody{cancel: cancel, cause: func(err error) error { return causeOf(ctx, err) }}
	if patience > 0 {
		asked := time.Now()
		b.clock.start(patience, func() {
			e.client.transport.Renew(asked) // HTTP/2 would send the next request over the same connection
			cancel(ErrOverdue)
		})
		if mark > 0 {
			b.mark.start(mark, func() { cancel(errNoMark) })
		}
		ctx = transport.WithClock(ctx, b)
	}
	r, err := e.build(ctx, q)
	if err != nil {
		b.close()
		return nil, err
	}
	resp, err := e.open(q.op, q.about(), r) //nolint:bodyclose // timedBody.close does
	b.Pause()
	if err != nil {
		b.close()
		return nil, err
	}
	b.header, b.body = resp.Header, resp.Body
	return b, nil
}

// timedBody is the body of an answer that must end in time. The clock runs while it is read; what
// the reader does in between is not the server's delay.
type timedBody struct {
	header http.Header
	body   io.ReadCloser
	cancel context.CancelCauseFunc
	cause  func(error) error // the reason why the request was given up, else the error itself
	clock  clock             // of the whole answer
	mark   clock             // of its first part; zero if that is not limited
}

// Read implements [io.Reader].
func (b *timedBody) Read(p []byte) (int, error) {
	b.Resume()
	defer b.Pause()
	return b.body.Read(p)
}

// Resume implements [transport.Clock].
func (b *timedBody) Resume() {
	b.clock.Resume()
	b.mark.Resume()
}

// Pause implements [transport.Clock].
func (b *timedBody) Pause() {
	b.clock.Pause()
	b.mark.Pause()
}

func (b *timedBody) close() {
	b.mark.stop()
	b.clock.stop()
	if b.body != nil {
		_ = b.body.Close()
	}
	b.cancel(nil)
}

// clock measures a time that can be paused, and says when it is over. The zero clock never does.
// Pausing does not touch the timer: one that fires too early is set again.
type clock struct {
	mu    sync.Mutex
	timer *time.Timer
	left  time.Duration
	since time.Time // zero while the clock is paused
	fired bool      // while it was paused
}

// Pause implements [transport.Clock].
func (c *clock) Pause() {
	if c.timer == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.since.IsZero() {
		c.left -= time.Since(c.since)
		c.since = time.Time{}
	}
}

// Resume implements [transport.Clock].
func (c *clock) Resume() {
	if c.timer == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() {
		c.since = time.Now()
	}
	if c.fired {
		c.fired = false
		c.timer.Reset(max(c.left, 0))
	}
}

// start sets the clock, which is paused, and calls over after so long.
func (c *clock) start(left time.Duration, over func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = left
	c.timer = time.AfterFunc(left, func() {
		if c.isOver() {
			over()
		}
	})
}

// isOver reports whether the time is over; if not, it sets the timer to what is left.
func (c *clock) isOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() {
		c.fired = true
		return false
	}
	left := c.left - time.Since(c.since)
	if left > 0 {
		c.timer.Reset(left)
	}
	return left <= 0
}

// extend lets the clock run for so long from now at least. It is called while the clock is paused.
func (c *clock) extend(least time.Duration) {
	if c.timer == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = max(c.left, least)
}

func (c *clock) stop() {
	if c.timer != nil {
		c.timer.Stop()
	}
}
