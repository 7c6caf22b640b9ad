package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"net/url"
	"sync"
)

// Clock measures how long a server takes. It is made for the context of a request, with
// [WithClock]; it runs while the request is with the server, and not while a connection or a
// credential is waited for. With a transport of the caller's, it runs as long as that one has the
// request.
type Clock interface {
	Resume()
	Pause()
}

type clockKey struct{}

// WithClock returns a context whose requests tell c where they are.
func WithClock(ctx context.Context, c Clock) context.Context {
	return context.WithValue(ctx, clockKey{}, c)
}

// passage is the way of a request to the server.
type passage struct {
	trace  httptrace.ClientTrace
	server *url.URL
	clock  Clock // nil: nobody measures
	own    bool  // the connections are ours

	cancel    context.CancelCauseFunc
	mu        sync.Mutex
	wire      net.Conn // under all TLS; nil while the request has no connection
	encrypted bool     // the handshake has begun
	sought    int      // how often a connection was looked for
	found     int      // how often there was one
}

// net/http looks for another connection, at once and without end, as long as a server turns each
// one away before it is used. It sends a request again up to seven times.
const (
	mostSought = 32
	mostFound  = 8
)

// errTurnedAway is the error of a request that has tried too many connections.
var errTurnedAway = errors.New("the server has turned away one connection after the other")

// passage returns the passage of a request.
func (c *connections) passage(ctx context.Context, server *url.URL) *passage {
	p := &passage{server: server, own: c.options.Transport == nil}
	p.clock, _ = ctx.Value(clockKey{}).(Clock)
	p.trace.GotConn = p.got
	if !p.own {
		return p
	}
	p.trace.GetConn = p.seek
	if server.Scheme == "https" {
		p.trace.TLSHandshakeStart = p.encrypt
	}
	return p
}

// context returns the context in which the request is sent. It lasts until finish.
func (p *passage) context(ctx context.Context) context.Context {
	ctx, p.cancel = context.WithCancelCause(ctx)
	return httptrace.WithClientTrace(ctx, &p.trace)
}

// finish is called when the answer has been read, or there is none.
func (p *passage) finish() {
	p.mu.Lock()
	p.leave()
	p.mu.Unlock()
	p.cancel(nil)
}

// leave notes that the request does not use its connection any more. The caller holds mu.
func (p *passage) leave() {
	if own, ok := p.wire.(*conn); ok {
		own.users.Add(-1)
	}
	p.wire = nil
}

// begin is called before the request is given to a transport.
func (p *passage) begin() {
	p.mu.Lock()
	p.leave()
	p.encrypted, p.sought, p.found = false, 0, 0
	p.mu.Unlock()
	if p.clock != nil && !p.own {
		p.clock.Resume()
	}
}

// end is called after the transport has answered.
func (p *passage) end() {
	if p.clock != nil {
		p.clock.Pause()
	}
}

// seek is called whenever net/http looks for a connection; it may send a request again.
func (p *passage) seek(string) {
	if p.clock != nil {
		p.clock.Pause()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave()
	p.encrypted = false
	if p.sought++; p.sought > mostSought || p.found >= mostFound {
		p.cancel(errTurnedAway)
	}
}

// encrypt is called when a handshake begins.
func (p *passage) encrypt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.encrypted = true
}

// got is called when there is a connection.
func (p *passage) got(i httptrace.GotConnInfo) {
	wire := bottom(i.Conn)
	p.mu.Lock()
	p.leave()
	p.wire = wire
	p.found++
	if own, ok := wire.(*conn); ok {
		own.users.Add(1)
		own.ready()
	}
	p.mu.Unlock()
	if p.clock != nil && p.own {
		p.clock.Resume()
	}
}

// cut closes the connection at once. A TLS goodbye would wait for a server that does not read.
func (p *passage) cut() {
	p.mu.Lock()
	wire := p.wire
	p.mu.Unlock()
	if wire != nil {
		_ = wire.Close()
	}
}

// explain says what failed if the request did not get a connection.
func (p *passage) explain(ctx context.Context, err error) error {
	if err == nil || !p.own {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	cause := context.Cause(ctx)
	turnedAway := errors.Is(cause, errTurnedAway)
	if p.wire != nil && !turnedAway {
		return err
	}
	if cause != nil {
		err = cause
	}
	return &connectError{host: p.server.Host, handshake: p.encrypted && !turnedAway, ended: cause != nil, err: err}
}

// connectError is the error of a request that did not get a connection.
type connectError struct {
	host      string
	handshake bool
	ended     bool // err is the cause of the end of the context
	err       error
}

// Error says what was tried, with whom, and why it failed.
func (e *connectError) Error() string {
	what, host := "connecting to ", e.host
	if _, verify := errors.AsType[*tls.CertificateVerificationError](e.err); e.handshake || verify {
		what = "TLS handshake with "
	}
	cause := e.err
	if op, ok := e.err.(*net.OpError); ok { //nolint:errorlint // a wrapped one is part of another text
		switch {
		case op.Op == "proxyconnect":
			host, cause = "the proxy for "+host, op.Err
		case op.Op == "dial" && op.Addr != nil && op.Addr.String() == host:
			cause = op.Err
		}
	}
	return what + host + ": " + e.reason(cause)
}

// Unwrap returns the cause. A limit of net/http is not the end of the caller's context.
func (e *connectError) Unwrap() error {
	if !e.ended && e.err == context.DeadlineExceeded { //nolint:errorlint // as in reason
		return nil
	}
	return e.err
}

// reason is the text of the cause. Limits of net/http do not say what they are about.
func (e *connectError) reason(cause error) string {
	switch text := cause.Error(); {
	case e.ended:
		return text
	case text == "net/http: TLS handshake timeout":
		return fmt.Sprintf("no answer within %v", handshakeTimeout)
	case cause == context.DeadlineExceeded: //nolint:errorlint // the bare one is of the limit that net/http has
		return "the proxy has not answered within a minute"
	default:
		return text
	}
}
