package transport

import (
	"context"
	"crypto/tls"
	"slices"
	"sync"
	"time"

	"github.com/tideway-go/tideway/rest/internal/pace"
)

// connections makes the connections of one client. When the certificate authority or the client
// certificate changes, a new generation begins, and the connections of the old one end.
type connections struct {
	options *Options
	proxy   proxyFunc
	files   *sources
	pace    pace.Pace // of the readings of files that failures lead to

	mu      sync.Mutex // never held while a file is read
	trust   *trust
	looked  time.Time // when the files were last read
	current *generation
	retired []*generation // those that still have connections
}

func newConnections(t *trust, o *Options, proxy proxyFunc) *connections {
	c := &connections{options: o, proxy: proxy, files: t.sources, trust: t, looked: time.Now()}
	c.pace.Burst, c.pace.Every = fileBurst, fileEvery
	c.current = c.generation(nil)
	return c
}

// generation makes a generation without connections. The caller holds mu, or is alone.
func (c *connections) generation(cert *tls.Certificate) *generation {
	g := &generation{born: time.Now(), version: c.trust.version, cert: cert, conns: map[*conn]struct{}{}}
	if c.options.Transport != nil {
		g.transport = c.options.Transport // it alone decides about connections
		return g
	}
	config := c.trust.config()
	switch {
	case cert != nil:
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil }
	case c.trust.pair != nil:
		config.GetClientCertificate = c.certificate
	}
	dial := g.dial(c.options.Dial)
	g.transport = newHTTP(config, dial, c.proxy, c.options)
	if !c.options.HTTP1 {
		http1 := *c.options
		http1.HTTP1 = true
		g.upgrading = newHTTP(config.Clone(), dial, c.proxy, &http1)
	}
	return g
}

// certificate returns the certificate that is in the files now, for servers that ask for one.
func (c *connections) certificate(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
	_ = c.files.lookPair(info.Context().Done(), fileGrace)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trust.adopt()
	return c.trust.pair, nil
}

// use returns the generation for a request, which must call done when it has its answer. A nil
// credential changes nothing.
func (c *connections) use(ctx context.Context, value *credential) *generation {
	if c.due() {
		_ = c.files.look(ctx.Done(), fileGrace)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trust.adopt()
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

// retire ends the connections of a generation: at once if a plugin has printed another certificate,
// otherwise each as it becomes idle. The caller holds mu.
func (c *connections) retire(g *generation, atOnce bool) {
	c.retired = slices.DeleteFunc(append(c.retired, g), func(r *generation) bool { return !r.alive() })
	if atOnce {
		g.close()
	}
	g.closeIdle()
}

// due reports whether it is time to read the files, for one caller.
func (c *connections) due() bool {
	if !c.files.fromFiles() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) < fileLife {
		return false
	}
	c.looked = time.Now()
	return true
}

// renewed reads the files again, unless failures have just had them read too often, and reports
// whether they differ from those of g.
func (c *connections) renewed(ctx context.Context, g *generation) bool {
	if c.files.fromFiles() && c.pace.Take() {
		_ = c.files.look(ctx.Done(), fileGrace)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trust.adopt()
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

// closeIdle closes the connections that no request uses, even if net/http waits for something
// there: a handshake, a write that the server does not read, or its word that it is still alive.
func (c *connections) closeIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.current
	old.closeIdle()
	for _, g := range c.retired {
		g.closeIdle()
		cut(g.abandoned())
	}
	if left := old.abandoned(); len(left) > 0 {
		c.current = c.generation(old.cert) // the next request must not get one of them
		c.retire(old, false)
		cut(left)
	}
}

// cut closes connections at once.
func cut(all []*conn) {
	for _, one := range all {
		_ = one.Close()
	}
}

// done is called when a request has its answer. A late one does not leave an idle connection to a
// generation that has ended.
func (c *connections) done(g *generation) {
	g.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	if g != c.current {
		g.closeIdle()
	}
}
