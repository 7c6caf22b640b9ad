package rest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
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

// newTransport makes the connections of one client. It keeps no goroutine, no
// timer and no channel outside the client.
func newTransport(cfg *kubeconfig.Config, o *Options) (*http.Transport, error) {
	config, err := newTLS(&cfg.TLS)
	if err != nil {
		return nil, err
	}
	proxy, err := proxyFor(cfg, o)
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		Proxy:               proxy,
		DialContext:         o.Dial,
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
	return t, nil
}

// proxyFor chooses the proxy: the configured one comes before the environment,
// and connections that the caller dials himself know no environment.
func proxyFor(cfg *kubeconfig.Config, o *Options) (func(*http.Request) (*url.URL, error), error) {
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

// roundTripper adds what every request carries, and lets requests go to the
// client's own server only.
type roundTripper struct {
	next      http.RoundTripper
	server    *url.URL
	auth      *authorization
	userAgent string
}

// RoundTrip implements [http.RoundTripper].
func (t *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL == nil || !strings.EqualFold(r.URL.Scheme, t.server.Scheme) || !strings.EqualFold(r.URL.Host, t.server.Host) {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, fmt.Errorf("rest: a request to another host than %s would carry the credentials there", t.server.Host)
	}
	own := r.Clone(r.Context()) // a RoundTripper leaves the request alone
	if own.Header.Get("User-Agent") == "" {
		own.Header.Set("User-Agent", t.userAgent)
	}
	header := ""
	if own.Header.Get("Authorization") == "" {
		if header = t.auth.header(); header != "" {
			own.Header.Set("Authorization", header)
		}
	}
	resp, err := t.next.RoundTrip(own)
	if err == nil && resp.StatusCode == http.StatusUnauthorized && header != "" {
		t.auth.refused(header)
	}
	return resp, err
}
