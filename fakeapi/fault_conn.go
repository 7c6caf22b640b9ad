package fakeapi

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"

	"github.com/tideway-go/tideway/fakeapi/internal/memnet"
)

// conn is a server's end of a connection, which faults can break.
type conn struct {
	net.Conn
	open   *connections
	frozen atomic.Bool
}

// connections are the connections that are open.
type connections struct {
	mu  sync.Mutex
	all map[*conn]struct{}
}

// Close closes the connection, and forgets it.
func (c *conn) Close() error {
	c.open.mu.Lock()
	delete(c.open.all, c)
	c.open.mu.Unlock()
	return c.Conn.Close()
}

// Read reads, and drops everything that arrives once the connection is frozen. Even then it notices
// that the client has closed its end, so that nothing is held for a client that gave up.
func (c *conn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.frozen.Load() {
			return n, err
		}
	}
}

// Write writes. Once the connection is frozen, it only pretends to.
func (c *conn) Write(p []byte) (int, error) {
	if c.frozen.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// reset breaks the connection: the client gets ECONNRESET.
func (c *conn) reset() {
	switch inner := c.Conn.(type) {
	case *memnet.Conn:
		inner.Reset()
	case *net.TCPConn:
		_ = inner.SetLinger(0)
		_ = inner.Close()
	default:
		_ = inner.Close()
	}
}

// faultListener wraps what it accepts, so that it can be broken.
type faultListener struct {
	net.Listener
	open *connections
}

// Accept accepts the next connection.
func (l faultListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	out := &conn{Conn: c, open: l.open}
	l.open.mu.Lock()
	defer l.open.mu.Unlock()
	l.open.all[out] = struct{}{}
	return out, nil
}

// connKey finds the connection in the context of a request.
type connKey struct{}

// withConn is the http.Server's ConnContext.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, connKey{}, c)
}

// connOf returns the connection of a request.
func connOf(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}
