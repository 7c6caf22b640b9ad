package fakeapi

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// window is how much one direction of a memory connection holds before its
// writer blocks, as the window of TCP does.
const window = 64 << 10

// memAddr is the address of both ends of a memory connection.
type memAddr string

// Network returns the network of the address.
func (memAddr) Network() string { return "tcp" }

// String returns the address in a form that net.SplitHostPort reads.
func (a memAddr) String() string { return string(a) }

// memListener accepts what dial connects to. Nothing of it leaves the process,
// and nothing of it blocks outside channels, conditions and timers: inside
// testing/synctest, a goroutine that waits for it is durably blocked.
type memListener struct {
	accepts chan net.Conn
	done    chan struct{}
	once    sync.Once
}

func newMemListener() *memListener {
	return &memListener{accepts: make(chan net.Conn), done: make(chan struct{})}
}

// Accept waits for the next dial.
func (l *memListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepts:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept, and refuses every later dial.
func (l *memListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr returns the address that a dial may name; any other works as well.
func (*memListener) Addr() net.Addr { return memAddr("127.0.0.1:8080") }

// dial returns the client's end of a new connection.
func (l *memListener) dial(ctx context.Context, network, address string) (net.Conn, error) {
	refuse := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: memAddr(address), Err: err}
	}
	if ctx.Err() != nil {
		return refuse(context.Cause(ctx))
	}
	client, server := memPipe()
	select {
	case l.accepts <- server:
		return client, nil
	case <-l.done:
		return refuse(syscall.ECONNREFUSED)
	case <-ctx.Done():
		return refuse(context.Cause(ctx))
	}
}

// memPipe returns the two ends of a connection.
func memPipe() (client, server *memConn) {
	up, down := newMemHalf(), newMemHalf()
	client = &memConn{in: down, out: up, local: "127.0.0.1:40000", remote: "127.0.0.1:8080"}
	server = &memConn{in: up, out: down, local: "127.0.0.1:8080", remote: "127.0.0.1:40000"}
	return client, server
}

// memConn is one end of a connection: it reads one half and writes the other.
type memConn struct {
	in, out       *memHalf
	local, remote memAddr
}

// Read reads what the other end has written.
func (c *memConn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	return n, c.wrap("read", err)
}

// Write blocks while the window is full.
func (c *memConn) Write(p []byte) (int, error) {
	n, err := c.out.write(p)
	return n, c.wrap("write", err)
}

// Close ends both directions: the other end reads what is on its way, then
// io.EOF, and can write no more.
func (c *memConn) Close() error {
	c.out.finish(io.EOF, net.ErrClosed)
	c.in.finish(net.ErrClosed, syscall.EPIPE)
	return nil
}

// CloseWrite ends the direction that this end writes, and no other.
func (c *memConn) CloseWrite() error {
	c.out.finish(io.EOF, syscall.EPIPE)
	return nil
}

// LocalAddr returns the address of this end.
func (c *memConn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the other end.
func (c *memConn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines.
func (c *memConn) SetDeadline(t time.Time) error {
	c.in.reads.set(c.in, t)
	c.out.writes.set(c.out, t)
	return nil
}

// SetReadDeadline ends blocked and later reads at t.
func (c *memConn) SetReadDeadline(t time.Time) error {
	c.in.reads.set(c.in, t)
	return nil
}

// SetWriteDeadline ends blocked and later writes at t.
func (c *memConn) SetWriteDeadline(t time.Time) error {
	c.out.writes.set(c.out, t)
	return nil
}

// wrap makes an error what package net makes of it.
func (c *memConn) wrap(op string, err error) error {
	if err == nil || err == io.EOF { //nolint:errorlint // a value of our own, never wrapped
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}

// reset ends both directions as a reset of TCP does: the other end reads what
// was already on its way, then gets ECONNRESET.
func (c *memConn) reset() {
	c.out.finish(syscall.ECONNRESET, net.ErrClosed)
	c.in.finish(net.ErrClosed, syscall.ECONNRESET)
}

// memHalf is one direction of a connection.
type memHalf struct {
	mu            sync.Mutex
	wake          *sync.Cond
	data          []byte
	readErr       error // what a reader gets once data is empty
	writeErr      error // what a writer gets
	reads, writes deadline
}

func newMemHalf() *memHalf {
	h := &memHalf{}
	h.wake = sync.NewCond(&h.mu)
	return h
}

func (h *memHalf) read(p []byte) (int, error) {
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

func (h *memHalf) write(p []byte) (int, error) {
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

// finish ends the half; what ended it first stands, but for a reader or writer
// that has closed its own end.
func (h *memHalf) finish(readErr, writeErr error) {
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

// deadline wakes a half when its time comes. Its fields are guarded by the
// half's mutex.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d *deadline) set(h *memHalf, t time.Time) {
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
