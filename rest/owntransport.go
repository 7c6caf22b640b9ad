package rest

import (
	"errors"
	"net/http"
	"reflect"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// checkTransport tells what would have no effect beside a transport of the
// caller's.
func (o *Options) checkTransport(cfg *kubeconfig.Config) error {
	switch {
	case o.Transport == nil:
		return nil
	case o.Dial != nil, o.PingInterval != 0, o.PingTimeout != 0, o.HTTP1, o.UnencryptedHTTP2:
		return errors.New("option Transport decides about connections: Dial, PingInterval, PingTimeout, HTTP1 and UnencryptedHTTP2 are not for it")
	case !reflect.ValueOf(cfg.TLS).IsZero(), cfg.ProxyURL != "":
		return errors.New("option Transport decides about TLS and proxies: the configuration has some of its own")
	}
	return nil
}

// transportFor returns the connections of the client: by the transport of the
// caller, or by our own.
func transportFor(cfg *kubeconfig.Config, o *Options) (*connections, error) {
	t, err := newTrust(&cfg.TLS)
	if err != nil {
		return nil, err
	}
	proxy, err := proxyFor(cfg, o)
	if err != nil {
		return nil, err
	}
	return newConnections(t, o, proxy), nil
}

// closeIdle closes the connections of a transport that no request uses.
func closeIdle(t http.RoundTripper) {
	if c, ok := t.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// credentialsOf tells what kind of credentials the requests carry.
func credentialsOf(cfg *kubeconfig.Config, o *Options) string {
	kind := cfg.Credentials()
	if kind == "none" && o.Transport != nil {
		return "transport"
	}
	return kind
}
