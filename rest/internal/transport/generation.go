package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// generation is a set of connections with the same trust and the same certificate.
type generation struct {
	transport http.RoundTripper
	upgrading *http.Transport // HTTP/1.1 for requests that ask for another protocol; nil: transport
	born      time.Time
	version   int              // of trust
	cert      *tls.Certificate // that a plugin printed

	mu    sync.Mutex
	busy  int // requests and dials that are under way
	conns map[*conn]struct{}
}

// conn is a connection that its generation knows of. It has to be ready for requests in time, with
// all that proxies and TLS need for it.
type conn struct {
	net.Conn
	of      *generation
	late    *time.Timer
	slow    atomic.Bool  // it was closed because it was not ready in time
	written atomic.Int64 // writes, but for those that wrote nothing
	users   atomic.Int64 // requests whose answers have not been read
}

// errSetup is the error of a connection that was not ready in time.
var errSetup = fmt.Errorf("it was not ready for a request within %v", setupTimeout)

// Read reads from the connection.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil && c.slow.Load() {
		err = errSetup
	}
	return n, err
}

// Write writes to the connection.
func (c *conn) Write(p []byte) (int, error) {
	c.written.Add(1) // before it happens: what is under way may arrive
	n, err := c.Conn.Write(p)
	if n == 0 && err != nil {
		c.written.Add(-1)
	}
	if err != nil && c.slow.Load() {
		err = errSetup
	}
	return n, err
}

// Written says how much has been written to a connection of a client, in no unit: while it stays
// the same, nothing has gone out. It returns -1 for a connection that is not known.
func Written(c net.Conn) int64 {
	for {
		switch under := c.(type) {
		case *conn:
			return under.written.Load()
		case interface{ NetConn() net.Conn }:
			c = under.NetConn()
		default:
			return -1
		}
	}
}

// Close closes the connection.
func (c *conn) Close() error {
	c.late.Stop()
	c.of.mu.Lock()
	delete(c.of.conns, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// ready is called when the first request gets the connection.
func (c *conn) ready() { c.late.Stop() }

// dial returns a function that dials, and keeps track of the connections.
func (g *generation) dial(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		g.begin()
		defer g.end()
		raw, err := within(ctx, dial, network, address)
		if err != nil {
			return nil, err
		}
		own := &conn{Conn: raw, of: g}
		own.late = time.AfterFunc(setupTimeout, func() {
			own.slow.Store(true)
			_ = raw.Close()
		})
		g.mu.Lock()
		defer g.mu.Unlock()
		g.conns[own] = struct{}{}
		return own, nil
	}
}

// within dials, and gives up after dialTimeout even if dial does not listen to its context. A
// connection that comes later is closed.
func within(ctx context.Context, dial dialFunc, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, dialTimeout, errDial)
	defer cancel()
	type dialed struct {
		conn net.Conn
		err  error
	}
	out := make(chan dialed)
	go func() {
		conn, err := dial(ctx, network, address)
		if err == nil && conn == nil {
			err = errors.New("Options.Dial returned neither a connection nor an error")
		}
		select {
		case out <- dialed{conn, err}:
		case <-ctx.Done():
			if err == nil {
				_ = conn.Close()
			}
		}
	}()
	select {
	case d := <-out:
		if d.err != nil && errors.Is(context.Cause(ctx), errDial) {
			d.err = errDial
		}
		return d.conn, d.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// errDial is the error of a connection that could not be made in time.
var errDial = fmt.Errorf("no connection within %v", dialTimeout)

// roundTripper returns the transport that a request goes through.
func (g *generation) roundTripper(r *http.Request) http.RoundTripper {
	if g.upgrading != nil && upgrades(r) {
		return g.upgrading
	}
	return g.transport
}

// closeIdle closes the connections that no request uses.
func (g *generation) closeIdle() {
	closeIdle(g.transport)
	if g.upgrading != nil {
		g.upgrading.CloseIdleConnections()
	}
}

func (g *generation) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy++
}

func (g *generation) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy--
}

// alive reports whether there are connections to close, or may be soon.
func (g *generation) alive() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.busy > 0 || len(g.conns) > 0
}

// close closes every connection.
func (g *generation) close() {
	for _, c := range g.all() {
		_ = c.Close()
	}
}

// all returns the connections.
func (g *generation) all() []*conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Keys(g.conns))
}

// abandoned returns the connections that no request uses, and none is about to.
func (g *generation) abandoned() []*conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy > 0 {
		return nil
	}
	var all []*conn
	for c := range g.conns {
		if c.users.Load() == 0 {
			all = append(all, c)
		}
	}
	return all
}
