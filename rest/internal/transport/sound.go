package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// errNoAnswer is a mistake of a round tripper of the caller's.
var errNoAnswer = errors.New("the transport returned neither an answer nor an error")

// Send sends a request over a round tripper that may be the caller's. It fills in what such a one
// may leave out of its answer: the header, the body and the request. Closing the body ends the
// context of the request, so that a read that only minds that one ends as well.
func Send(over http.RoundTripper, r *http.Request) (*http.Response, error) {
	switch over.(type) {
	case *http.Transport, *Transport:
		return over.RoundTrip(r)
	}
	if upgrades(r) { // the body of the answer is a connection
		return sound(r)(over.RoundTrip(r))
	}
	ctx, cancel := context.WithCancel(r.Context())
	resp, err := sound(r)(over.RoundTrip(r.WithContext(ctx)))
	if err != nil || resp.StatusCode == http.StatusSwitchingProtocols {
		cancel()
		return resp, err
	}
	resp.Body = &boundBody{resp.Body, cancel}
	return resp, nil
}

// follow finishes the passage when the answer has been read. An answer that is a connection ends
// with the connection.
func (p *passage) follow(resp *http.Response) {
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
		p.cancel(nil) // it has no say in a connection that net/http has handed over
	case resp.Body == nil, resp.Body == http.NoBody:
		p.finish()
	default:
		resp.Body = &boundBody{resp.Body, p.finish}
	}
}

// boundBody is a body that says when it has been read, or closed.
type boundBody struct {
	io.ReadCloser

	ended func()
}

// Read implements [io.Reader].
func (b *boundBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.ended()
	}
	return n, err
}

// Close implements [io.Closer].
func (b *boundBody) Close() error {
	b.ended()
	return b.ReadCloser.Close()
}

// sound returns a function that completes the answer to r.
func sound(r *http.Request) func(*http.Response, error) (*http.Response, error) {
	return func(resp *http.Response, err error) (*http.Response, error) {
		switch {
		case err != nil:
			return nil, err
		case resp == nil:
			return nil, errNoAnswer
		}
		if resp.Header == nil {
			resp.Header = http.Header{}
		}
		if resp.Body == nil {
			resp.Body = http.NoBody
		}
		if resp.Request == nil {
			resp.Request = r
		}
		return resp, nil
	}
}
