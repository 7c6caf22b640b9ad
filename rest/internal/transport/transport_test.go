package transport_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest/internal/transport"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

const secret = "s3cr3t"

// A request gets the client's headers unless it has its own. The caller's request is not changed.
func TestRequestsAreCompleted(t *testing.T) {
	var seen []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = append(seen, fmt.Sprint(r.Header.Get("Authorization"), ",", r.UserAgent(), ",", r.Header.Get("Impersonate-User")))
	}))
	defer s.Close()
	rt, err := transport.New(
		&kubeconfig.Config{Server: s.URL, Token: "t", Impersonate: kubeconfig.Impersonate{User: "jane"}},
		transport.Options{UserAgent: "test"},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer rt.CloseIdle()
	for _, h := range []http.Header{nil, {"Authorization": {"own"}, "User-Agent": {"me"}, "Impersonate-User": {"joe"}}} {
		r := request(t, s.URL)
		r.Header = h.Clone()
		resp, err := rt.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if d := cmp.Diff(h, r.Header); d != "" {
			t.Error(d)
		}
	}
	if d := cmp.Diff([]string{"Bearer t,test,jane", "own,me,joe"}, seen); d != "" {
		t.Error(d)
	}
}

// request returns a request to this address.
func request(t *testing.T, address string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// closing records that it was closed.
type closing struct {
	io.Reader

	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// Credentials go to the client's own server only, by its own scheme.
func TestOtherServersAreRefused(t *testing.T) {
	own := roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("sent") })
	rt, err := transport.New(&kubeconfig.Config{Server: "https://here:1", Token: secret}, transport.Options{Transport: own})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"https://HERE:1":   "sent",
		"https://here:2":   "another host",
		"https://there:1":  "another host",
		"http://here:1":    "another host",
		"https://here:1.a": "another host",
	} {
		body := &closing{Reader: strings.NewReader("x")}
		r := request(t, "https://replaced")
		r.URL.Scheme, r.URL.Host, _ = strings.Cut(address, "://")
		r.Body = body
		_, err := rt.RoundTrip(r) //nolint:bodyclose // there is no response
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", address, err, want)
		}
		if want != "sent" && !body.closed {
			t.Errorf("%s: the body was not closed", address)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A printed transport names its server, and shows no secret.
func TestTransportPrintsNoSecret(t *testing.T) {
	rt, err := transport.New(&kubeconfig.Config{Server: "https://here:1", Token: secret}, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if got := fmt.Sprintf(verb, rt); got != "rest.RoundTripper{server: https://here:1}" {
			t.Errorf("%s is %s", verb, got)
		}
	}
	if got := rt.Server().String() + " " + rt.Credentials(); got != "https://here:1 token" {
		t.Errorf("got %s", got)
	}
}

// Credentials over plain http stay on this machine, also with a transport that may have its own.
func TestPlainHTTP(t *testing.T) {
	own := roundTripper(nil)
	for name, test := range map[string]struct {
		cfg     kubeconfig.Config
		o       transport.Options
		refused bool
	}{
		"nothing to hide": {kubeconfig.Config{Server: "http://10.0.0.1"}, transport.Options{}, false},
		"token":           {kubeconfig.Config{Server: "http://10.0.0.1", Token: secret}, transport.Options{}, true},
		"password":        {kubeconfig.Config{Server: "http://10.0.0.1", Username: "a", Password: secret}, transport.Options{}, true},
		"allowed":         {kubeconfig.Config{Server: "http://10.0.0.1", Token: secret}, transport.Options{CredentialsOverHTTP: true}, false},
		"this machine":    {kubeconfig.Config{Server: "http://[::1]:8080", Token: secret}, transport.Options{}, false},
		"remote proxy":    {kubeconfig.Config{Server: "http://LOCALHOST", Token: secret, ProxyURL: "http://10.0.0.1:1"}, transport.Options{}, true},
		"local proxy":     {kubeconfig.Config{Server: "http://127.0.0.1", Token: secret, ProxyURL: "http://localhost:1"}, transport.Options{}, false},
		"own transport":   {kubeconfig.Config{Server: "http://10.0.0.1"}, transport.Options{Transport: own}, true},
		"own, allowed":    {kubeconfig.Config{Server: "http://10.0.0.1"}, transport.Options{Transport: own, CredentialsOverHTTP: true}, false},
	} {
		_, err := transport.New(&test.cfg, test.o)
		if refused := err != nil && strings.Contains(err.Error(), "plain http"); refused != test.refused || err != nil && !refused {
			t.Errorf("%s: got %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error shows the secret: %v", name, err)
		}
	}
}
