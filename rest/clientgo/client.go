package clientgo

import (
	"errors"
	"fmt"
	"net/http"

	clientgorest "k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// New makes a client for the server of cfg, with the transport that client-go builds for it. It
// sends nothing, and leaves cfg alone.
//
// What cfg says of the address, TLS, proxies, dialing, compression, credentials, impersonation and
// wrappers counts. Its Timeout, QPS, Burst, RateLimiter and WarningHandler do not: a context bounds
// a request, and the server decides how many it takes. APIPath, GroupVersion and ContentType are
// those of single requests here. A configuration of client-go has no namespace: that of the client
// is "default".
//
// The UserAgent of o wins over that of cfg; the options that make connections must be left alone,
// since client-go makes them. As with [rest.New], credentials go over plain http to this machine
// only, unless o says otherwise.
func New(cfg *clientgorest.Config, o rest.Options) (*rest.Client, error) {
	c, err := newClient(cfg, o)
	if err != nil {
		return nil, fmt.Errorf("clientgo: %w", err)
	}
	return c, nil
}

func newClient(cfg *clientgorest.Config, o rest.Options) (*rest.Client, error) {
	switch {
	case cfg == nil:
		return nil, errors.New("the configuration is nil")
	case o.Transport != nil:
		return nil, errors.New("the transport comes from the configuration: option Transport is not for it")
	}
	server, _, err := clientgorest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, err
	}
	t := &roundTripper{}
	own := clientgorest.CopyConfig(cfg)
	// The first wrapper gets what makes the connections, the others may hide it.
	own.WrapTransport = transport.Wrappers(t.seize, cfg.WrapTransport)
	if t.RoundTripper, err = clientgorest.TransportFor(own); err != nil {
		return nil, err
	}
	o.Transport = t
	if o.UserAgent == "" {
		o.UserAgent = cfg.UserAgent
	}
	if !mayHaveCredentials(cfg) {
		o.CredentialsOverHTTP = true
	}
	return rest.New(kubeconfig.Config{Server: server.String()}, o)
}

// mayHaveCredentials tells whether requests can carry some in a header.
func mayHaveCredentials(cfg *clientgorest.Config) bool {
	return cfg.BearerToken != "" || cfg.BearerTokenFile != "" || cfg.Username != "" || cfg.Password != "" ||
		cfg.AuthProvider != nil || cfg.ExecProvider != nil || cfg.WrapTransport != nil || cfg.Transport != nil
}

// roundTripper is what client-go builds, and what is at the bottom of it.
type roundTripper struct {
	http.RoundTripper

	base http.RoundTripper
}

// CloseIdleConnections closes those of the base, however it is wrapped.
func (t *roundTripper) CloseIdleConnections() {
	for rt := t.base; rt != nil; {
		if c, ok := rt.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
			return
		}
		w, ok := rt.(interface{ WrappedRoundTripper() http.RoundTripper })
		if !ok {
			return
		}
		rt = w.WrappedRoundTripper()
	}
}

// seize is a wrapper that wraps nothing, and keeps what it was given.
func (t *roundTripper) seize(rt http.RoundTripper) http.RoundTripper {
	t.base = rt
	return rt
}
