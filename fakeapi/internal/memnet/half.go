package memnet

import (
	"net"
	"os"
	"sync"
	"time"
)

// window is how much one direction of a connection holds before its writer blocks, as TCP's does.
const window = 64 << 10

// half is one direction of a connection.
type half struct {
	mu            sync.Mutex
	wake          *sync.Cond
	data          []byte
	readErr       error // what a reader gets once data is empty
	writeErr      error // what a writer gets
	reads, writes deadline
}

func newHalf() *half {
	h := &half{}
	h.wake = sync.NewCond(&h.mu)
	return h
}

func (h *half) read(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		switch {
		case h.readErr == net.ErrClosed: //nolint:errorlint // a value of our own, never wrapped
			return 0, h.readErr
		case h.reads.passed():
			return 0, os.ErrDeadlineExceeded
		case len(p) == 0:
			return 0, nil
		case len(h.data) > 0:
			n := copy(p, h.data)
			if h.data = h.data[n:]; len(h.data) == 0 {
				h.data = nil
			}
			h.wake.Broadcast()
			return n, nil
		case h.readErr != nil:
			return 0, h.readErr
		}
		h.wake.Wait()
	}
}

func (h *half) write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	written := 0
	for {
		switch {
		case h.writeErr != nil:
			return written, h.writeErr
		case h.writes.passed():
			return written, os.ErrDeadlineExceeded
		case written == len(p):
			return written, nil
		case len(h.data) < window:
			n := min(window-len(h.data), len(p)-written)
			h.data = append(h.data, p[written:written+n]...)
			written += n
			h.wake.Broadcast()
			continue
		}
		h.wake.Wait()
	}
}

// finish ends the half. The first end counts, except that closing one's own end always does.
func (h *half) finish(readErr, writeErr error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.readErr == nil || readErr == net.ErrClosed { //nolint:errorlint // a value of our own
		h.readErr = readErr
	}
	if h.writeErr == nil || writeErr == net.ErrClosed { //nolint:errorlint // a value of our own
		h.writeErr = writeErr
	}
	if readErr == net.ErrClosed { //nolint:errorlint // a value of our own
		h.data = nil
		h.reads.stop()
	}
	if writeErr == net.ErrClosed { //nolint:errorlint // a value of our own
		h.writes.stop()
	}
	h.wake.Broadcast()
}

// deadline wakes a half when its time comes. The half's mutex guards its fields.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d *deadline) set(h *half, t time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d.stop()
	d.at = t
	if !t.IsZero() {
		d.timer = time.AfterFunc(time.Until(t), func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.wake.Broadcast()
		})
	}
	h.wake.Broadcast()
}

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

func (d *deadline) passed() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }
