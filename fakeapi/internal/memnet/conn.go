package memnet

import (
	"io"
	"net"
	"syscall"
	"time"
)

// Pipe returns the two ends of a new connection.
func Pipe() (client, server *Conn) {
	up, down := newHalf(), newHalf()
	client = &Conn{in: down, out: up, local: "127.0.0.1:40000", remote: "127.0.0.1:8080"}
	server = &Conn{in: up, out: down, local: "127.0.0.1:8080", remote: "127.0.0.1:40000"}
	return client, server
}

// Conn is one end of a connection: it reads from one half and writes to the other.
type Conn struct {
	in, out       *half
	local, remote addr
}

// Read reads what the other end wrote.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	return n, c.wrap("read", err)
}

// Write blocks while the window is full.
func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.out.write(p)
	return n, c.wrap("write", err)
}

// Close ends both directions: the other end reads what is on its way, then io.EOF, and can no
// longer write.
func (c *Conn) Close() error {
	c.out.finish(io.EOF, net.ErrClosed)
	c.in.finish(net.ErrClosed, syscall.EPIPE)
	return nil
}

// CloseWrite ends only the direction that this end writes.
func (c *Conn) CloseWrite() error {
	c.out.finish(io.EOF, syscall.EPIPE)
	return nil
}

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the other end.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	c.in.reads.set(c.in, t)
	c.out.writes.set(c.out, t)
	return nil
}

// SetReadDeadline ends blocked and later reads at t.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.in.reads.set(c.in, t)
	return nil
}

// SetWriteDeadline ends blocked and later writes at t.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.out.writes.set(c.out, t)
	return nil
}

// Reset ends both directions as a TCP reset does: the other end reads what was already on its way,
// then gets ECONNRESET.
func (c *Conn) Reset() {
	c.out.finish(syscall.ECONNRESET, net.ErrClosed)
	c.in.finish(net.ErrClosed, syscall.ECONNRESET)
}

// wrap gives an error the type that package net would give it.
func (c *Conn) wrap(op string, err error) error {
	if err == nil || err == io.EOF { //nolint:errorlint // a value of our own, never wrapped
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}
