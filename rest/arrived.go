package rest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"

	"github.com/tideway-go/tideway/rest/internal/transport"
)

// ErrOutcomeUnknown means that a write failed, but may have been carried out: its request went out,
// or may have, and no answer says what became of it. Read the object before you write again.
//
// A failed write that does not match it has changed nothing: it was refused, or never reached the
// server. Only a [Resource.DeleteAll] may have deleted some objects.
var ErrOutcomeUnknown = errors.New("the write may have been carried out")

// outcomeError is the error of such a write.
type outcomeError struct{ err error }

// Error says so, unless a server's refusal says what happened there.
func (e *outcomeError) Error() string {
	if _, ok := errors.AsType[*StatusError](e.err); ok {
		return e.err.Error()
	}
	return e.err.Error() + " (the write may have been carried out)"
}

// Is matches ErrOutcomeUnknown.
func (e *outcomeError) Is(target error) bool { return target == ErrOutcomeUnknown }

func (e *outcomeError) Unwrap() error { return e.err }

// journey follows a request to the server.
type journey struct {
	changes bool // the request may change something
	own     bool // the client makes the connections itself
	success bool // the status of the answer, whatever follows

	mu      sync.Mutex
	looking bool     // for a connection
	on      net.Conn // the one that was found
	before  int64    // what had been written to it
	answers bool     // an answer has begun to arrive
	earlier bool     // it may have been carried out when it was sent before
}

// follow returns the context with which a request has to be sent.
func (e *Endpoint) follow(ctx context.Context, method string) (context.Context, *journey) {
	j := &journey{changes: e.changes(method), own: e.client.ownConnections}
	if !j.changes {
		return ctx, j
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:              func(string) { j.found(nil) },
		GotConn:              func(info httptrace.GotConnInfo) { j.found(info.Conn) },
		GotFirstResponseByte: j.answered,
	}), j
}

// answered notes that an answer begins.
func (j *journey) answered() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.answers = true
}

// found notes the connection, nil while the request has none. If it had one before, it is sent
// again: after a refusal, or by somebody who takes the silence for one.
func (j *journey) found(c net.Conn) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.on != nil {
		j.earlier = j.earlier || !j.answers && j.wrote()
	}
	j.looking, j.on, j.answers = true, c, false
	if c != nil {
		j.before = transport.Written(c)
	}
}

// wrote reports whether something may have been written to the connection. The caller holds mu.
func (j *journey) wrote() bool {
	now := transport.Written(j.on)
	return now < 0 || now != j.before
}

// changes reports whether a request may change something.
func (e *Endpoint) changes(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	return !e.options().DryRun
}

// failed marks the error of a write that may have been carried out.
func (j *journey) failed(ctx context.Context, err error) error {
	if err == nil || !j.changes || !j.arrived(ctx, err) {
		return err
	}
	return &outcomeError{err}
}

// arrived reports whether the request may have been carried out although it failed.
func (j *journey) arrived(ctx context.Context, err error) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	refused, isRefused := errors.AsType[*StatusError](err)
	switch {
	case j.earlier:
		return true
	case isRefused:
		return undecided(refused)
	case j.success:
		return true
	case !j.looking:
		return !j.own && !neverSent(err)
	case j.on == nil:
		return false
	case ctx.Err() != nil:
		return true // the transport may still be writing
	}
	return j.wrote()
}

// undecided reports whether a refused request may have been carried out: the server, or a proxy
// before it, failed or lost patience. One that says when to come again has done nothing.
func undecided(refused *StatusError) bool {
	switch code := refused.Status.Code; code {
	case http.StatusNotImplemented:
		return false
	case http.StatusServiceUnavailable:
		_, again := refused.comeAgain()
		return !again
	default:
		return code >= http.StatusInternalServerError
	}
}

// neverSent reports whether the error of somebody else's transport is that of a request that was
// not sent.
func neverSent(err error) bool {
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return true
	}
	for _, found := range []bool{
		errors.As(err, new(*net.DNSError)), errors.As(err, new(*tls.CertificateVerificationError)),
		errors.As(err, new(tls.RecordHeaderError)), errors.As(err, new(x509.UnknownAuthorityError)),
		errors.As(err, new(x509.HostnameError)), errors.As(err, new(x509.CertificateInvalidError)),
	} {
		if found {
			return true
		}
	}
	return false
}
