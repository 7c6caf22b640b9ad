package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/tideway-go/tideway/internal/line"
)

// maxDrain is how much of an answer is read so that its connection can serve the next request.
const maxDrain = 2 << 10

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
	sent, cut := discreet(ctx), func() {}
	if upgrades(r) {
		sent, cut = traced(sent)
	}
	resp, err := t.authorized(t.completed(sent, r))
	if err != nil {
		return nil, line.Error(err)
	}
	resp.Request = r // as the caller sent it: without the credentials
	hold(ctx, resp, cut)
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
	if own.Header.Get("Impersonate-User") == "" {
		maps.Copy(own.Header, t.auth.as)
	}
	return own
}

// authorized sends r with the client's credentials, unless it brings its own.
func (t *Transport) authorized(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Authorization") != "" {
		resp, _, err := t.send(r, nil)
		return resp, err
	}
	value, err := t.auth.get(r.Context())
	if err != nil {
		closeBody(r)
		return nil, err
	}
	resp, g, err := t.send(r, value)
	again, ok := t.again(r, value, g, resp, err)
	if !ok {
		return resp, err
	}
	if r.GetBody != nil {
		if r.Body, err = r.GetBody(); err != nil {
			return nil, fmt.Errorf("rest: rewinding the body to send it again: %w", err)
		}
	}
	resp, _, err = t.send(r, again)
	return resp, err
}

// send sends a request with this credential.
func (t *Transport) send(r *http.Request, value *credential) (*http.Response, *generation, error) {
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
	g := t.connections.use(value)
	defer t.connections.done(g)
	resp, err := g.roundTripper(r).RoundTrip(r)
	return resp, g, err
}

// again decides whether a second try may help, and with which credential. If so, it closes the
// answer.
func (t *Transport) again(r *http.Request, value *credential, g *generation, resp *http.Response, err error) (*credential, bool) {
	repeatable := r.Body == nil || r.Body == http.NoBody || r.GetBody != nil
	if err != nil {
		if g == nil {
			return nil, false
		}
		// The server may have got a certificate from another authority.
		_, verify := errors.AsType[*tls.CertificateVerificationError](err)
		return value, verify && repeatable && t.connections.renewed(g)
	}
	if resp.StatusCode != http.StatusUnauthorized {
		return nil, false
	}
	if !repeatable {
		t.auth.refused(value)
		return nil, false
	}
	renewed := t.auth.renew(r.Context(), value)
	if renewed == nil {
		if !t.connections.renewed(g) {
			return nil, false
		}
		renewed = value
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxDrain)
	_ = resp.Body.Close()
	return renewed, true
}

// closeBody closes the body of a request that is not sent.
func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}
