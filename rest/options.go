package rest

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Options change how a [Client] connects. The zero value is the default.
type Options struct {
	// UserAgent is sent with every request. Default: "tideway/<version>".
	UserAgent string

	// Dial makes the connections. Default: a [net.Dialer] with 30 seconds for a connection and a
	// keep-alive of 30 seconds. With a Dial of your own, the proxies of the environment are not used.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// PingInterval is how long an HTTP/2 connection may be silent before the server is asked whether it
	// is still alive. Default: 30 seconds; -1: never.
	PingInterval time.Duration

	// PingTimeout is how long the answer may take before the connection is given up. Default: 15
	// seconds.
	PingTimeout time.Duration

	// HTTP1 switches HTTP/2 off.
	HTTP1 bool

	// UnencryptedHTTP2 speaks HTTP/2 to an http:// server, which must understand it. It does not affect
	// an https:// server.
	UnencryptedHTTP2 bool

	// CredentialsOverHTTP lets credentials go to an http:// server on another machine, where anybody on
	// the way can read them.
	CredentialsOverHTTP bool

	// Kinds are descriptors of custom resources, or of any others, by which [For] and [Client.Resolve]
	// find them before they look at the built-in table. Incomplete ones and duplicates are refused.
	// Default: none.
	Kinds []Kind

	// Discovery looks names up on the server that are neither among Kinds nor in the built-in table, the
	// first time one is used: custom resources, plurals, short names. See [Client.Discover]. Default:
	// such names are unknown, and the server is never asked.
	Discovery bool

	// Wrap puts something around the client's transport, such as tracing or metrics. Every request goes
	// through it, retries and watches included. It sees requests before the credentials are added, and
	// answers as they came. Default: nothing.
	Wrap func(http.RoundTripper) http.RoundTripper

	// Defaults are the options that every handle of the client begins with; [Resource.With] changes them
	// for one.
	Defaults CallOptions

	// Transport makes the round trips, instead of the client's own connections: for credentials and
	// connections that only another library knows. Trust, proxies, pings and dialing are then its own
	// business, and [New] refuses a configuration or an option about them. A token or a password of the
	// configuration is sent.
	//
	// It must not cut a request after some time, since a watch is a request that lasts.
	// [Client.CloseIdle] calls its CloseIdleConnections if it has that method.
	Transport http.RoundTripper

	// AllowExec is asked before each run of a credential plugin, with the path of the program as PATH
	// resolved it; its error refuses the run. Default: what the configuration names may run.
	AllowExec func(path string) error
}

// check refuses what cannot be used.
func (o *Options) check() error {
	if err := o.Defaults.check(); err != nil {
		return err
	}
	return checkKinds(o.Kinds)
}
