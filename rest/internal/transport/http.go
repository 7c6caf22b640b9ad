package transport

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

const (
	dialTimeout      = 30 * time.Second
	keepAlive        = 30 * time.Second
	handshakeTimeout = 10 * time.Second
	setupTimeout     = 75 * time.Second // for proxies and handshakes: the sum of their own limits, and a bit
	idleTimeout      = 90 * time.Second
	maxIdlePerHost   = 32

	maxHeader    = 1 << 20          // of an answer, with all that comes before it
	writeTimeout = 15 * time.Second // for HTTP/2, in which a blocked write holds up all others

	// receiveBuffer is how much of an answer that nobody reads an HTTP/2 connection takes from the
	// server. With what reading it needs besides, an unread watch holds less than 512 KiB.
	receiveBuffer = 384 << 10
)

// dialFunc makes a connection.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// newHTTP returns a transport of net/http with these settings.
func newHTTP(config *tls.Config, dial dialFunc, proxy proxyFunc, o *Options) *http.Transport {
	t := &http.Transport{
		Proxy:               proxy,
		DialContext:         dial,
		TLSClientConfig:     config,
		TLSHandshakeTimeout: handshakeTimeout,
		MaxIdleConnsPerHost: maxIdlePerHost,
		IdleConnTimeout:     idleTimeout,
		ForceAttemptHTTP2:   !o.HTTP1,

		MaxResponseHeaderBytes: maxHeader,
		// A compressor on the server could hold events back, so compression is off.
		DisableCompression: true,
		Protocols:          new(http.Protocols),
		HTTP2: &http.HTTP2Config{
			SendPingTimeout: o.PingInterval,
			PingTimeout:     o.PingTimeout,

			WriteByteTimeout: writeTimeout,
			// That of a connection stays at 1 GiB: unread watches do not keep others from reading.
			MaxReceiveBufferPerStream: receiveBuffer,
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

// dialer returns the default of Options.Dial.
func dialer() dialFunc {
	d := &net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}
	return d.DialContext
}

// closeIdle closes the connections of a transport that no request uses, if it has a method for it.
func closeIdle(t http.RoundTripper) {
	if c, ok := t.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
