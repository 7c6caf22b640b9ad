package rest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Options change how a [Client] connects. The zero value is the default.
type Options struct {
	// UserAgent is sent with every request. Default: "tideway/<version>".
	UserAgent string
	// Dial makes the connections. Default: a [net.Dialer] with a timeout and a keep-alive of 30
	// seconds. With a Dial of your own, the proxies of the environment are not used; it has 30
	// seconds, too.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// PingInterval is how long an HTTP/2 connection may be silent before it is pinged. Default: 30
	// seconds; -1: never.
	PingInterval time.Duration
	// PingTimeout is how long the answer to a ping may take. Default: 15 seconds.
	PingTimeout time.Duration
	// HTTP1 switches HTTP/2 off.
	HTTP1 bool
	// UnencryptedHTTP2 speaks HTTP/2 to an http:// server, which must understand it.
	UnencryptedHTTP2 bool
	// CredentialsOverHTTP lets credentials go to an http:// server on another machine, where
	// anybody on the way can read them.
	CredentialsOverHTTP bool
	// Kinds are descriptors that [For] and [Client.Resolve] prefer to the built-in table, such as
	// those of custom resources. Incomplete ones and duplicates are refused.
	Kinds []Kind
	// Discovery asks the server for names that are neither in Kinds nor in the built-in table, when
	// one is first used: custom resources, plurals, short names. See [Client.Discover]. Default:
	// such names are unknown, and the server is never asked.
	Discovery bool
	// Wrap adds something to the client's transport, such as tracing or metrics. It sees every
	// request, retries and watches included, before the credentials are added, and answers as they
	// came. Default: nothing.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Defaults are the options that every handle begins with; see [Resource.With].
	Defaults CallOptions
	// Transport replaces the client's own connections, for credentials and connections that only
	// another library knows. Trust, proxies, pings and dialing are then its own business, and [New]
	// refuses a configuration or an option about them. Tokens and passwords of the configuration
	// are still sent.
	//
	// It must not cut requests off after some time, since a watch lasts, and is not asked for
	// compressed answers. The limits of a page and of a watch include its connecting.
	// [Client.CloseIdle] calls its CloseIdleConnections method, if it has one. An answer without a
	// body is taken as one with an empty body. Closing a body also ends the context of its request.
	Transport http.RoundTripper
	// AllowExec is called before each run of a credential plugin, with the path that PATH led to;
	// its error refuses the run. Default: whatever the configuration names may run.
	AllowExec func(path string) error
}

// check refuses what cannot be used.
func (o *Options) check() error {
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"PingInterval", o.PingInterval}, {"PingTimeout", o.PingTimeout}} {
		if d.value < -1 {
			return fmt.Errorf("%s is %v: want a positive duration, 0 for the default, or -1 for none", d.name, d.value)
		}
	}
	if err := o.Defaults.check(); err != nil {
		return err
	}
	return checkKinds(o.Kinds)
}
