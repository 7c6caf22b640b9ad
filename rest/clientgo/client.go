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

// New makes a client for the server of cfg, with the transport that client-go builds for it.
//
// It sends nothing and does not change cfg.
//
// The client uses what cfg says about the address, TLS, proxies, dialing, compression, credentials,
// impersonation and wrappers. It ignores Timeout, QPS, Burst, RateLimiter and WarningHandler:
// requests are bounded by their contexts, and the server decides how many it accepts. APIPath,
// GroupVersion and ContentType depend on the individual request. A client-go configuration has no
// namespace, so the client's namespace is "default".
//
// The UserAgent of o takes precedence over that of cfg. Options that make connections must not be
// set, because client-go makes them. As with [rest.New], credentials are sent over plain http only
// to this machine, unless o says otherwise.
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
		return nil, errors.New("the transport comes from the configuration: option Transport must not be set")
	}
	server, _, err := clientgorest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, err
	}
	t := &roundTripper{}
	own := clientgorest.CopyConfig(cfg)
	// The first wrapper receives what makes the connections; later ones may hide it.
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

// mayHaveCredentials reports whether requests may carry credentials in a header.
func mayHaveCredentials(cfg *clientgorest.Config) bool {
	return cfg.BearerToken != "" || cfg.BearerTokenFile != "" || cfg.Username != "" || cfg.Password != "" ||
		cfg.AuthProvider != nil || cfg.ExecProvider != nil || cfg.WrapTransport != nil || cfg.Transport != nil
}

// roundTripper is the round tripper that client-go builds, together with the one at its base.
type roundTripper struct {
	http.RoundTripper

	base http.RoundTripper
}

// CloseIdleConnections closes the idle connections of the base, however it is wrapped.
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

// seize is a wrapper that wraps nothing; it remembers the round tripper that it receives.
func (t *roundTripper) seize(rt http.RoundTripper) http.RoundTripper {
	t.base = rt
	return rt
}
