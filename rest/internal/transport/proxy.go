package transport

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// proxyFunc chooses the proxy of a request; nil for none.
type proxyFunc = func(*http.Request) (*url.URL, error)

// proxyFor chooses the proxy: the configured one, or else one of the environment, which does not
// apply to connections that the caller dials.
func proxyFor(cfg *kubeconfig.Config, o *Options) (proxyFunc, error) {
	if cfg.ProxyURL == "" {
		if o.ownDial {
			return nil, nil
		}
		return proxyFromEnvironment, nil
	}
	u, err := url.Parse(cfg.ProxyURL)
	if err != nil || u.Host == "" {
		return nil, errors.New("the proxy's address is not of the form http://host:port") // it may hold a password
	}
	switch u.Scheme {
	case "http", "https", "socks5":
		return http.ProxyURL(u), nil
	}
	return nil, fmt.Errorf("the proxy's scheme %q is not one of http, https, socks5", u.Scheme)
}

// proxyFromEnvironment returns the proxy that the environment names. An error about its address
// does not repeat it, since it may hold a password.
func proxyFromEnvironment(r *http.Request) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(r)
	if err != nil {
		return nil, errors.New("the proxy's address in the environment is not of the form http://host:port")
	}
	return u, nil
}

// checkPlain refuses to send credentials in the clear to another machine, unless the options allow
// it. A transport of the caller's may have credentials of its own.
func checkPlain(server *url.URL, proxy string, auth *authorization, o *Options) error {
	switch {
	case o.CredentialsOverHTTP, !auth.any() && o.Transport == nil:
		return nil
	case loopback(server.Hostname()) && !remoteProxy(proxy):
		return nil
	}
	return fmt.Errorf("credentials are not sent over plain http to %s", server.Host)
}

// remoteProxy reports whether a configured proxy is on another machine: it would see the
// credentials of plain http in the clear.
func remoteProxy(address string) bool {
	if address == "" {
		return false
	}
	u, err := url.Parse(address)
	return err != nil || !loopback(u.Hostname())
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
