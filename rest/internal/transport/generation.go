package transport

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
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

// conn is a connection that its generation knows of.
type conn struct {
	net.Conn
	of      *generation
	written atomic.Int64 // writes, but for those that wrote nothing
}

// Write implements [net.Conn].
func (c *conn) Write(p []byte) (int, error) {
	c.written.Add(1) // before it happens: what is under way may arrive
	n, err := c.Conn.Write(p)
	if n == 0 && err != nil {
		c.written.Add(-1)
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
	c.of.mu.Lock()
	delete(c.of.conns, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// dial returns a function that dials, and keeps track of the connections.
func (g *generation) dial(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		g.begin()
		defer g.end()
		raw, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		own := &conn{Conn: raw, of: g}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.conns[own] = struct{}{}
		return own, nil
	}
}

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
	g.mu.Lock()
	open := make([]*conn, 0, len(g.conns))
	for c := range g.conns {
		open = append(open, c)
	}
	g.mu.Unlock()
	for _, c := range open {
		_ = c.Close()
	}
}
