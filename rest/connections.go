package rest

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// dialFunc makes a connection.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// connections makes the connections of one client. When the certificate
// authority or the client certificate changes, a new generation of them begins,
// and those of the old one end.
type connections struct {
	options *Options
	proxy   proxyFunc

	mu      sync.Mutex
	trust   *trust
	looked  time.Time // at the files
	current *generation
	retired []*generation // those that still have connections
}

// generation is the connections that were made alike.
type generation struct {
	transport http.RoundTripper
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
	of *generation
}

// Close closes the connection.
func (c *conn) Close() error {
	c.of.mu.Lock()
	delete(c.of.conns, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

func newConnections(t *trust, o *Options, proxy proxyFunc) *connections {
	c := &connections{options: o, proxy: proxy, trust: t, looked: time.Now()}
	c.current = c.generation(nil)
	return c
}

// generation makes an empty one. The caller holds mu, or is alone.
func (c *connections) generation(cert *tls.Certificate) *generation {
	g := &generation{born: time.Now(), version: c.trust.version, cert: cert, conns: map[*conn]struct{}{}}
	if c.options.Transport != nil {
		g.transport = c.options.Transport // which decides alone
		return g
	}
	config := c.trust.config()
	switch {
	case cert != nil:
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil }
	case c.trust.pair != nil:
		config.GetClientCertificate = c.certificate
	}
	g.transport = newTransport(config, g.dial(c.options.Dial), c.proxy, c.options)
	return g
}

// dial returns a function that notes the connections that dial makes.
func (g *generation) dial(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		g.begin()
		defer g.end()
		raw, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		own := &conn{raw, g}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.conns[own] = struct{}{}
		return own, nil
	}
}

// certificate answers the request of a server for a certificate: as it is now
// in the files.
func (c *connections) certificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trust.lookPair()
	return c.trust.pair, nil
}

// use returns the generation for a request, which must call its end. A nil
// credential changes nothing.
func (c *connections) use(value *credential) *generation {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trust.fromFiles() && time.Since(c.looked) >= fileLife {
		c.look()
	}
	cert := c.current.cert
	if value != nil {
		cert = value.cert
	}
	if old := c.current; old.version != c.trust.version || !sameCert(old.cert, cert) {
		c.current = c.generation(cert)
		c.retire(old, !sameCert(old.cert, cert))
	}
	c.current.begin()
	return c.current
}

// retire ends the connections of a generation: at once where a plugin has
// printed another certificate, else as each becomes idle. The caller holds mu.
func (c *connections) retire(g *generation, atOnce bool) {
	c.retired = slices.DeleteFunc(append(c.retired, g), func(r *generation) bool { return !r.alive() })
	if atOnce {
		g.close()
	}
	closeIdle(g.transport)
}

// renewed looks at the files, and tells whether they replace what g was made
// of.
func (c *connections) renewed(g *generation) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trust.fromFiles() {
		c.look()
	}
	return g.version != c.trust.version
}

// renew begins a generation unless the current one is younger than then.
func (c *connections) renew(then time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.current; !old.born.After(then) {
		c.current = c.generation(old.cert)
		c.retire(old, false)
	}
}

// look reads the files. The caller holds mu.
func (c *connections) look() {
	c.trust.look()
	c.looked = time.Now()
}

// closeIdle closes what no request uses.
func (c *connections) closeIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	closeIdle(c.current.transport)
	for _, g := range c.retired {
		closeIdle(g.transport)
	}
}

// done tells that a request has got its answer. One that was late does not
// leave an idle connection to a generation that has ended.
func (c *connections) done(g *generation) {
	g.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	if g != c.current {
		closeIdle(g.transport)
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

// alive tells whether there is something to close, or may be.
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
