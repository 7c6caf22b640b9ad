// Package transport makes the round trips of one client: it sends requests to one API server over
// connections that it keeps, and adds the credentials of a configuration.
package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// Transport is the [http.RoundTripper] of one client. It is safe for concurrent use. Apart from
// idle connections, which CloseIdle closes, nothing outlives a request.
type Transport struct {
	server      *url.URL
	connections *connections
	auth        *authorization
	userAgent   string
	credentials string // what kind they are
	carried     *carried
}

// New makes the transport for the server and the credentials of cfg. It sends nothing.
//
// It refuses configurations that contradict themselves, files that cannot be read, and credentials
// that would go over plain http to another machine. No error shows a secret.
func New(cfg *kubeconfig.Config, o Options) (*Transport, error) {
	if err := o.check(cfg); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	server, err := cfg.URL()
	if err != nil {
		return nil, err
	}
	files := newSources(&cfg.TLS)
	auth, err := newAuthorization(cfg, &o, files)
	if err != nil {
		return nil, err
	}
	if server.Scheme != "http" {
		o.UnencryptedHTTP2 = false
	} else if err := checkPlain(server, cfg.ProxyURL, auth, &o); err != nil {
		return nil, err
	}
	trust, err := newTrust(&cfg.TLS, files)
	if err != nil {
		return nil, err
	}
	proxy, err := proxyFor(cfg, &o)
	if err != nil {
		return nil, err
	}
	return &Transport{
		server:      server,
		connections: newConnections(trust, &o, proxy),
		auth:        auth,
		userAgent:   o.UserAgent,
		credentials: credentialsOf(cfg, &o),
		carried:     newCarried(cfg.ProxyURL),
	}, nil
}

// Server returns the address of the API server. It must not be changed.
func (t *Transport) Server() *url.URL { return t.server }

// Credentials says what kind of credentials the requests carry, as [kubeconfig.Config.Credentials]
// does; "transport" if the configuration has none and the caller's transport may have some.
func (t *Transport) Credentials() string { return t.credentials }

// CloseIdle closes the connections that no request uses. The transport can still be used
// afterwards.
func (t *Transport) CloseIdle() { t.connections.closeIdle() }

// Renew makes later requests use connections that are made after then. Requests under way go on;
// their connections are closed as they become idle. If that has happened since then, Renew does
// nothing, so that many callers may notice the same failure.
func (t *Transport) Renew(then time.Time) { t.connections.renew(then) }

// Format describes the transport without any secret, whatever the verb.
func (t *Transport) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "rest.RoundTripper{server: %s}", t.server)
}

var _ http.RoundTripper = (*Transport)(nil)
