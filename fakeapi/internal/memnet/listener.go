package memnet

import (
	"context"
	"net"
	"sync"
	"syscall"
)

// Listener accepts the connections that [Listener.Dial] makes.
type Listener struct {
	accepts chan net.Conn
	done    chan struct{}
	once    sync.Once
}

// NewListener returns a listener that accepts until it is closed.
func NewListener() *Listener {
	return &Listener{accepts: make(chan net.Conn), done: make(chan struct{})}
}

// Accept waits for the next Dial.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepts:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and refuses every later Dial.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr returns the address that Dial is usually given; any other works as well.
func (*Listener) Addr() net.Addr { return addr("127.0.0.1:8080") }

// Dial returns the client's end of a new connection, once the other end has been accepted.
func (l *Listener) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	refuse := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: addr(address), Err: err}
	}
	if ctx.Err() != nil {
		return refuse(context.Cause(ctx))
	}
	client, server := Pipe()
	select {
	case l.accepts <- server:
		return client, nil
	case <-l.done:
		return refuse(syscall.ECONNREFUSED)
	case <-ctx.Done():
		return refuse(context.Cause(ctx))
	}
}

// addr is the address of both ends of a memory connection.
type addr string

// Network returns the network of the address.
func (addr) Network() string { return "tcp" }

// String returns the address in a form that net.SplitHostPort reads.
func (a addr) String() string { return string(a) }
