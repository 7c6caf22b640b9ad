package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxDrain is how much of an answer is read so that its connection can serve the next request, and
// drainTime how long that may take.
const (
	maxDrain  = 2 << 10
	drainTime = 5 * time.Second
)

// RoundTrip implements [http.RoundTripper]. It adds the credentials and the headers of every
// request, and refuses requests to other servers than the client's.
//
// A request that the server does not authenticate is sent once more if that may help: with
// credentials that have been renewed in the meantime, or that can be renewed. The first one had no
// effect.
//
// Neither the request of an answer nor a trace of the caller shows the credentials.
//
// A request with the header Upgrade goes over HTTP/1.1. If the server agrees, the body of its
// answer is the connection: an [io.ReadWriteCloser] that ends with the context of the request.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL == nil || !strings.EqualFold(r.URL.Scheme, t.server.Scheme) || !strings.EqualFold(r.URL.Host, t.server.Host) {
		closeBody(r)
		return nil, fmt.Errorf("rest: a request to another host than %s would carry the credentials there", t.server.Host)
	}
	ctx := r.Context()
	p := t.connections.passage(ctx, t.server)
	resp, err := t.authorized(t.completed(p.context(discreet(ctx)), r), p)
	if err != nil {
		p.finish()
		return nil, t.HideIn(err)
	}
	p.follow(resp)
	if asked := r.Header.Get("Accept-Encoding"); asked == "" {
		decode(resp)
	}
	resp.Request = r // as the caller sent it: without the credentials
	hold(ctx, r, resp, p.cut)
	return resp, nil
}

// completed returns a copy of r with the headers of every request, except for the credentials.
func (t *Transport) completed(ctx context.Context, r *http.Request) *http.Request {
	own := r.Clone(ctx) // a RoundTripper leaves the request alone
	if own.Header == nil {
		own.Header = http.Header{}
	}
	if own.Header.Get("User-Agent") == "" {
		own.Header.Set("User-Agent", t.userAgent)
	}
	if own.Header.Get("Accept-Encoding") == "" && (t.connections.options.Transport != nil || watches(r)) {
		// A compressor holds events back. Transports of the caller's may ask for one by themselves.
		own.Header.Set("Accept-Encoding", "identity")
	}
	if own.Header.Get("Impersonate-User") == "" {
		maps.Copy(own.Header, t.auth.as)
	}
	return own
}

// authorized sends r with the client's credentials, unless it brings its own.
func (t *Transport) authorized(r *http.Request, p *passage) (*http.Response, error) {
	if r.Header.Get("Authorization") != "" {
		resp, _, err := t.send(r, nil, p)
		return resp, err
	}
	value, err := t.auth.get(r.Context())
	if err != nil {
		closeBody(r)
		return nil, err
	}
	resp, g, err := t.send(r, value, p)
	again, err := t.again(r, value, g, resp, err)
	if again == nil {
		if err != nil {
			return nil, err
		}
		return resp, nil
	}
	if r.GetBody != nil {
		if r.Body, err = r.GetBody(); err != nil {
			return nil, fmt.Errorf("rest: rewinding the body to send it again: %w", err)
		}
	}
	resp, _, err = t.send(r, again, p)
	return resp, err
}

// send sends a request with this credential.
func (t *Transport) send(r *http.Request, value *credential, p *passage) (*http.Response, *generation, error) {
	if value != nil && value.cert != nil && t.connections.options.Transport != nil {
		closeBody(r)
		return nil, nil, errors.New("rest: the credential plugin printed a client certificate, which option Transport cannot present")
	}
	switch {
	case value == nil: // the request has its own
	case value.header != "":
		r.Header.Set("Authorization", value.header)
	default:
		r.Header.Del("Authorization") // of the first try
	}
	t.carried.note(r.Header)
	g := t.connections.use(r.Context(), value)
	defer t.connections.done(g)
	p.begin()
	resp, err := Send(g.roundTripper(r), r)
	p.end()
	return resp, g, p.explain(r.Context(), err)
}

// again decides whether a second try may help, and with which credential; nil if not. If so, it
// closes the answer, and also if it returns an error, which is then the result.
func (t *Transport) again(r *http.Request, value *credential, g *generation, resp *http.Response, err error) (*credential, error) {
	ctx := r.Context()
	repeatable := r.Body == nil || r.Body == http.NoBody || r.GetBody != nil
	if err != nil {
		// The server may have got a certificate from another authority.
		_, verify := errors.AsType[*tls.CertificateVerificationError](err)
		if g != nil && verify && repeatable && t.connections.renewed(ctx, g) {
			return value, nil
		}
		return nil, err
	}
	if resp.StatusCode != http.StatusUnauthorized {
		return nil, nil
	}
	if !repeatable {
		t.auth.refuse(value)
		return nil, nil
	}
	renewed, err := t.auth.renew(ctx, value)
	switch {
	case err != nil:
		_ = resp.Body.Close()
		return nil, err
	case renewed == nil:
		if !t.connections.renewed(ctx, g) {
			return nil, nil
		}
		renewed = value
	}
	late := time.AfterFunc(drainTime, func() { _ = resp.Body.Close() })
	_, _ = io.CopyN(io.Discard, resp.Body, maxDrain)
	late.Stop()
	_ = resp.Body.Close()
	return renewed, nil
}

// watches reports whether a request asks for a stream of events.
func watches(r *http.Request) bool {
	if !strings.Contains(r.URL.RawQuery, "watch=") {
		return false
	}
	on, err := strconv.ParseBool(r.URL.Query().Get("watch"))
	return on && err == nil
}

// closeBody closes the body of a request that is not sent.
func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}
