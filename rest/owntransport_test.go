package rest_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// ownTransport records the requests and fails.
type ownTransport struct {
	requests []string
	closed   int
}

func (o *ownTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	o.requests = append(o.requests, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization")+" "+r.Header.Get("User-Agent"))
	return nil, errOwn
}

func (o *ownTransport) CloseIdleConnections() { o.closed++ }

var errOwn = errors.New("it has no connection")

func TestOwnTransport(t *testing.T) {
	own := &ownTransport{}
	client, err := rest.New(
		kubeconfig.Config{Server: "https://10.0.0.1/prefix", Token: "secret"},
		rest.Options{Transport: own, UserAgent: "test"},
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = stream.Await(rest.For[rest.Object](client, "Node").Get(t.Context(), "n")); !errors.Is(err, errOwn) {
		t.Errorf("got %v, want the error of the transport", err)
	}
	want := []string{"GET https://10.0.0.1/prefix/api/v1/nodes/n Bearer secret test"}
	if d := cmp.Diff(want, own.requests); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	client.CloseIdle()
	if own.closed != 1 {
		t.Errorf("its connections were closed %d times", own.closed)
	}
	if got := client.Credentials(); got != "token" {
		t.Errorf("the credentials are %q", got)
	}
	// A transport that cannot close connections, and has credentials of its own.
	client, err = rest.New(kubeconfig.Config{Server: "https://10.0.0.1"}, rest.Options{Transport: struct{ http.RoundTripper }{own}})
	if err != nil {
		t.Fatal(err)
	}
	client.CloseIdle()
	if got := client.Credentials(); got != "transport" {
		t.Errorf("the credentials are %q", got)
	}
}

// Options that the caller's transport would ignore are refused before anything is sent.
func TestOwnTransportDecides(t *testing.T) {
	dial := func(context.Context, string, string) (net.Conn, error) { return nil, errOwn }
	for name, c := range map[string]struct {
		config  kubeconfig.Config
		options rest.Options
		want    string
	}{
		"dial":     {options: rest.Options{Dial: dial}, want: "connections"},
		"interval": {options: rest.Options{PingInterval: time.Second}, want: "connections"},
		"timeout":  {options: rest.Options{PingTimeout: time.Second}, want: "connections"},
		"http1":    {options: rest.Options{HTTP1: true}, want: "connections"},
		"h2c":      {options: rest.Options{UnencryptedHTTP2: true}, want: "connections"},
		"tls":      {config: kubeconfig.Config{TLS: kubeconfig.TLS{Insecure: true}}, want: "TLS"},
		"proxy":    {config: kubeconfig.Config{ProxyURL: "http://p:1"}, want: "TLS"},
		"http":     {config: kubeconfig.Config{Server: "http://10.0.0.1"}, want: "plain http"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.config.Server == "" {
				c.config.Server = "https://10.0.0.1"
			}
			c.options.Transport = &ownTransport{}
			if _, err := rest.New(c.config, c.options); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	allowed := rest.Options{Transport: &ownTransport{}, CredentialsOverHTTP: true}
	if _, err := rest.New(kubeconfig.Config{Server: "http://10.0.0.1"}, allowed); err != nil {
		t.Error(err)
	}
}
