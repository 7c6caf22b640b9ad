package rest

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/rest/internal/pace"
	"github.com/tideway-go/tideway/rest/internal/transport"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// Client talks to one API server. It is safe for concurrent use and keeps connections between
// requests. Apart from idle connections, which [Client.CloseIdle] ends, nothing outlives a request.
type Client struct {
	server     *url.URL
	namespace  string
	context    string
	transport  *transport.Transport
	front      http.RoundTripper // transport, or what Options.Wrap made of it
	defaults   CallOptions
	kinds      []Served    // the caller's; only their identity is known
	discoverer *discoverer // nil: discovery is off
	lists      *lists

	ownConnections bool // no transport of the caller comes between
}

// New makes a client for the server and the credentials of cfg. It sends nothing. Contradictory
// configurations, unreadable files, and credentials that would go over plain http to another
// machine are errors.
func New(cfg kubeconfig.Config, o Options) (*Client, error) {
	c, err := newClient(&cfg, &o)
	if err != nil {
		return nil, line.Errorf("rest: new client: %w", err)
	}
	return c, nil
}

func newClient(cfg *kubeconfig.Config, o *Options) (*Client, error) {
	t, err := transport.New(cfg, transport.Options{
		UserAgent:           o.UserAgent,
		Dial:                o.Dial,
		PingInterval:        o.PingInterval,
		PingTimeout:         o.PingTimeout,
		HTTP1:               o.HTTP1,
		UnencryptedHTTP2:    o.UnencryptedHTTP2,
		CredentialsOverHTTP: o.CredentialsOverHTTP,
		Transport:           o.Transport,
		AllowExec:           o.AllowExec,
	})
	if err != nil {
		return nil, err
	}
	namespace := cfg.Namespace
	if namespace == "" {
		namespace = kubeconfig.DefaultNamespace
	}
	if err := checkSegment(namespace); err != nil {
		return nil, fmt.Errorf("namespace %w", err)
	}
	if err := o.check(); err != nil {
		return nil, invalid(err)
	}
	front, err := wrapped(t, o.Wrap)
	if err != nil {
		return nil, err
	}
	c := &Client{
		server:    t.Server(),
		namespace: namespace,
		context:   cfg.Context,
		transport: t,
		front:     front,
		defaults:  o.Defaults,
		kinds:     identities(o.Kinds),
		lists:     new(lists),

		ownConnections: o.Transport == nil && o.Wrap == nil,
	}
	if o.Discovery {
		c.discoverer = &discoverer{ask: c.discover, again: pace.Pace{Burst: 10, Every: time.Second}}
	}
	return c, nil
}

// wrapped returns the transport that requests go through.
func wrapped(t http.RoundTripper, wrap func(http.RoundTripper) http.RoundTripper) (http.RoundTripper, error) {
	if wrap == nil {
		return t, nil
	}
	if t = wrap(t); t == nil {
		return nil, errors.New("Options.Wrap returned nil")
	}
	return t, nil
}

// CloseIdle closes idle connections. Call it when the client is no longer needed; it can still be
// used afterwards.
func (c *Client) CloseIdle() { c.transport.CloseIdle() }

// RoundTripper returns the transport of the client, wrapped by [Options].Wrap. Its requests carry
// the credentials and go to the client's server only.
func (c *Client) RoundTripper() http.RoundTripper { return c.front }

// Server returns the address of the API server.
func (c *Client) Server() string { return c.server.String() }

// Namespace returns the namespace of the configuration, or "default".
func (c *Client) Namespace() string { return c.namespace }

// Context returns the name of the kubeconfig context, "" if there is none.
func (c *Client) Context() string { return c.context }

// Credentials describes the kind of credentials, as [kubeconfig.Config.Credentials] does. It is
// "transport" if the configuration has none and [Options].Transport is set.
func (c *Client) Credentials() string { return c.transport.Credentials() }

// String describes the client without any secret.
func (c *Client) String() string {
	return fmt.Sprintf("rest.Client{server: %s, context: %q, namespace: %q, credentials: %s}",
		c.server, c.context, c.namespace, c.Credentials())
}
