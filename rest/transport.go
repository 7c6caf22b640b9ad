package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

const (
	defaultPingInterval = 30 * time.Second
	defaultPingTimeout  = 15 * time.Second
	dialTimeout         = 30 * time.Second
	keepAlive           = 30 * time.Second
	handshakeTimeout    = 10 * time.Second
	idleTimeout         = 90 * time.Second
	maxIdlePerHost      = 32
)

// newTransport makes a transport with these settings.
func newTransport(config *tls.Config, dial dialFunc, proxy proxyFunc, o *Options) *http.Transport {
	t := &http.Transport{
		Proxy:               proxy,
		DialContext:         dial,
		TLSClientConfig:     config,
		TLSHandshakeTimeout: handshakeTimeout,
		MaxIdleConnsPerHost: maxIdlePerHost,
		IdleConnTimeout:     idleTimeout,
		ForceAttemptHTTP2:   !o.HTTP1,
		// A compressed stream is delivered when the server's compressor sees
		// fit, so that none is asked for.
		DisableCompression: true,
		Protocols:          new(http.Protocols),
		HTTP2: &http.HTTP2Config{
			SendPingTimeout: o.PingInterval,
			PingTimeout:     o.PingTimeout,
		},
	}
	switch {
	case o.HTTP1:
		t.Protocols.SetHTTP1(true)
	case o.UnencryptedHTTP2:
		t.Protocols.SetHTTP2(true)
		t.Protocols.SetUnencryptedHTTP2(true)
	default:
		t.Protocols.SetHTTP1(true)
		t.Protocols.SetHTTP2(true)
	}
	return t
}

// proxyFunc chooses the proxy of a request; nil for none.
type proxyFunc = func(*http.Request) (*url.URL, error)

// proxyFor chooses the proxy: the configured one comes before the environment,
// and connections that the caller dials himself know no environment.
func proxyFor(cfg *kubeconfig.Config, o *Options) (proxyFunc, error) {
	if cfg.ProxyURL == "" {
		if o.Dial != nil && o.ownDial {
			return nil, nil
		}
		return http.ProxyFromEnvironment, nil
	}
	u, err := url.Parse(cfg.ProxyURL)
	if err != nil || u.Host == "" {
		return nil, errors.New("the proxy's address is not of the form http://host:port") // it may hold a password
	}
	switch u.Scheme {
	case "http", "https", "socks5":
		return http.ProxyURL(u), nil
	}
	return nil, fmt.Errorf("the proxy's scheme %q is none of http, https, socks5", u.Scheme)
}

// dialer is the default of Options.Dial.
func dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}
	return d.DialContext
}
