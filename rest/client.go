package rest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// Client talks to one API server. It is safe for concurrent use, and keeps
// connections between requests; no goroutine of its own outlives a request but
// those of idle connections, which [Client.CloseIdle] ends.
type Client struct {
	server      *url.URL
	namespace   string
	context     string
	credentials string
	transport   *connections // under tripper
	tripper     *roundTripper
	front       http.RoundTripper // tripper, or what Options.Wrap made of it
	defaults    CallOptions
	kinds       []Served    // the caller's: only their identity is known
	discoverer  *discoverer // nil: discovery is off
}

// Options change how a [Client] connects. The zero value is the default.
type Options struct {
	// UserAgent is sent with every request. Default: "tideway/<version>".
	UserAgent string

	// Dial makes the connections. Default: a [net.Dialer] with 30 seconds for
	// a connection and a keep-alive of 30 seconds. With a Dial of your own the
	// proxies of the environment are not asked.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// PingInterval is how long an HTTP/2 connection may be silent before the
	// server is asked whether it lives. Default: 30 seconds; -1: never.
	PingInterval time.Duration

	// PingTimeout is how long the answer may take before the connection is
	// given up. Default: 15 seconds.
	PingTimeout time.Duration

	// HTTP1 switches HTTP/2 off.
	HTTP1 bool

	// UnencryptedHTTP2 speaks HTTP/2 to an http:// server, which must
	// understand it. An https:// server is not concerned.
	UnencryptedHTTP2 bool

	// CredentialsOverHTTP lets credentials go to an http:// server that is not
	// on this machine, where anybody on the way can read them.
	CredentialsOverHTTP bool

	// Kinds are descriptors of custom resources, or of any others, by which
	// [For] and [Client.Resolve] find them; they are asked before the built-in
	// table. Incomplete ones and duplicates are refused. Default: none.
	Kinds []Kind

	// Discovery lets names that are neither among Kinds nor in the built-in
	// table be looked up on the server, the first time that one is used: custom
	// resources, plurals, short names. See [Client.Discover]. Default: such
	// names are unknown, and nothing is ever asked.
	Discovery bool

	// Wrap puts something around the client's transport, through which every
	// request goes, retries and watches included: tracing, metrics. It sees
	// requests before the credentials are added, and answers as they came.
	// Default: nothing.
	Wrap func(http.RoundTripper) http.RoundTripper

	// Defaults are what every handle of the client begins with;
	// [Resource.With] changes them for one.
	Defaults CallOptions

	// Transport makes the round trips, instead of connections that the client
	// makes itself: for credentials and connections that only another library
	// knows. Whom to trust, proxies, pings and the way to dial are then its own
	// matter, and a configuration or an option that says something of them is
	// an error of [New]. A token or a password of the configuration is sent.
	//
	// It must not cut a request after some time, since a watch is a request
	// that lasts. [Client.CloseIdle] calls its CloseIdleConnections where it
	// has that method.
	Transport http.RoundTripper

	// AllowExec is asked before each run of a credential plugin, with the path
	// of the program as PATH has resolved it; its error refuses. Default: what
	// the configuration names may run.
	AllowExec func(path string) error

	ownDial bool // Dial is the caller's
}

// withDefaults returns a copy with the defaults filled in.
func (o Options) withDefaults() Options {
	if o.UserAgent == "" {
		o.UserAgent = userAgent()
	}
	o.ownDial = o.Dial != nil
	if o.Dial == nil {
		o.Dial = dialer()
	}
	o.PingInterval = defaultDuration(o.PingInterval, defaultPingInterval)
	o.PingTimeout = defaultDuration(o.PingTimeout, defaultPingTimeout)
	return o
}

// check refuses what cannot be used.
func (o *Options) check() error {
	if !printable(o.UserAgent) {
		return errors.New("the user agent has characters that no header can carry")
	}
	if err := o.Defaults.check(); err != nil {
		return err
	}
	return checkKinds(o.Kinds)
}

// defaultDuration fills in d where v is zero; what is negative means none.
func defaultDuration(v, d time.Duration) time.Duration {
	if v == 0 {
		return d
	}
	return max(v, 0)
}

// New makes a client for the server and the credentials of cfg. It sends
// nothing.
//
// Configurations that contradict themselves, files that cannot be read, and
// credentials that would go over plain http to another machine are errors; none
// of them shows a secret.
func New(cfg kubeconfig.Config, o Options) (*Client, error) {
	err := o.checkTransport(&cfg)
	var c *Client
	if err == nil {
		c, err = newClient(&cfg, o.withDefaults())
	}
	if err != nil {
		return nil, fmt.Errorf("rest: new client: %w", err)
	}
	return c, nil
}

func newClient(cfg *kubeconfig.Config, o Options) (*Client, error) {
	server, err := cfg.URL()
	if err != nil {
		return nil, err
	}
	auth, err := newAuthorization(cfg, &o)
	if err != nil {
		return nil, err
	}
	if server.Scheme == "http" {
		if (auth.any() || o.Transport != nil) && !o.CredentialsOverHTTP && (!loopback(server.Hostname()) || remoteProxy(cfg.ProxyURL)) {
			return nil, fmt.Errorf("credentials are not sent over plain http to %s", server.Host)
		}
	} else {
		o.UnencryptedHTTP2 = false
	}
	namespace := cfg.Namespace
	if namespace == "" {
		namespace = kubeconfig.DefaultNamespace
	}
	if err := checkSegment(namespace); err != nil {
		return nil, fmt.Errorf("namespace %w", err)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	transport, err := transportFor(cfg, &o)
	if err != nil {
		return nil, err
	}
	tripper := &roundTripper{next: transport, server: server, auth: auth, userAgent: o.UserAgent}
	front, err := wrapped(tripper, o.Wrap)
	if err != nil {
		return nil, err
	}
	c := &Client{
		server:      server,
		namespace:   namespace,
		context:     cfg.Context,
		credentials: credentialsOf(cfg, &o),
		transport:   transport,
		tripper:     tripper,
		front:       front,
		defaults:    o.Defaults,
		kinds:       identities(o.Kinds),
	}
	if o.Discovery {
		c.discoverer = &discoverer{client: c}
	}
	return c, nil
}

// wrapped returns the transport that requests go through.
func wrapped(t http.RoundTripper, wrap func(http.RoundTripper) http.RoundTripper) (http.RoundTripper, error) {
	if wrap == nil {
		return t, nil
	}
	if t = wrap(t); t == nil {
		return nil, errors.New("the Wrap of the options returns nil")
	}
	return t, nil
}

// CloseIdle closes the connections that no request uses. Call it when the
// client is not needed any more; it may be used again all the same.
func (c *Client) CloseIdle() { c.transport.closeIdle() }

// Renew makes the requests that follow use connections that are made after
// then, and returns at once. What is under way goes on, and the connections of
// before are closed as they become idle.
//
// Call it with the time at which a request began that got no answer: HTTP/2
// would send the next one over the same connection, however dead. Where that was
// done already nothing happens, so that many may notice the same. A
// [Options].Transport makes its connections itself: only idle ones are closed.
func (c *Client) Renew(then time.Time) { c.transport.renew(then) }

// RoundTripper returns the transport of the client: requests through it carry
// the credentials, and go to the client's server only. It follows no redirect.
// What [Options] wrap around it is there.
func (c *Client) RoundTripper() http.RoundTripper { return c.front }

// Server returns the address of the API server.
func (c *Client) Server() string { return c.server.String() }

// Namespace returns the namespace of the configuration, "default" when it
// names none.
func (c *Client) Namespace() string { return c.namespace }

// Context returns the name of the kubeconfig context, "" when there was none.
func (c *Client) Context() string { return c.context }

// Credentials tells what kind of credentials the requests carry, as
// [kubeconfig.Config.Credentials] does; "transport" where [Options].Transport is
// set and the configuration has none.
func (c *Client) Credentials() string { return c.credentials }

// String describes the client without any secret.
func (c *Client) String() string {
	return fmt.Sprintf("rest.Client{server: %s, context: %q, namespace: %q, credentials: %s}",
		c.server, c.context, c.namespace, c.credentials)
}

// remoteProxy tells whether a configured proxy is on another machine: it would
// get the credentials of plain http in the clear.
func remoteProxy(address string) bool {
	if address == "" {
		return false
	}
	u, err := url.Parse(address)
	return err != nil || !loopback(u.Hostname())
}

// loopback tells whether a host is this machine.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// userAgent names the library and, where the build tells it, its version.
func userAgent() string {
	const module = "github.com/tideway-go/tideway"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "tideway"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && m.Version != "" && m.Version != "(devel)" {
			return "tideway/" + m.Version
		}
	}
	return "tideway/devel"
}
