package rest_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// sentTwice is a write that is sent a second time.
type sentTwice struct {
	first  http.HandlerFunc // answers the first write
	second http.HandlerFunc // answers the second one; nil: there is no second connection
	wrap   func(http.RoundTripper) http.RoundTripper
	header http.Header
	token  bool // in a file, which changes before the second write
	http1  bool // only there
	maybe  bool
}

// A write that somebody sent again may have been carried out the first time, whatever becomes of
// the second time, unless the first one was refused.
func TestOutcomeOfAWriteThatIsSentAgain(t *testing.T) {
	breaks := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	refuses := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close") // the second write needs another connection
			w.WriteHeader(code)
		}
	}
	twice := func(next http.RoundTripper) http.RoundTripper {
		return tripperFunc(func(r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r.Clone(r.Context()))
			if err == nil || r.Method == http.MethodGet {
				return resp, err
			}
			again := r.Clone(r.Context())
			if again.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
			return next.RoundTrip(again)
		})
	}
	key := http.Header{"Idempotency-Key": {"1"}} // net/http repeats such a request
	for name, test := range map[string]sentTwice{
		"by Wrap, without a connection":     {first: breaks, wrap: twice, maybe: true},
		"by Wrap, and refused":              {first: breaks, second: refuses(http.StatusConflict), wrap: twice, maybe: true},
		"by net/http, without a connection": {first: breaks, header: key, http1: true, maybe: true},
		"by net/http, and refused":          {first: breaks, second: refuses(http.StatusConflict), header: key, http1: true, maybe: true},
		"after a 401, without a connection": {first: refuses(http.StatusUnauthorized), token: true},
		"after a 401, and refused":          {first: refuses(http.StatusUnauthorized), second: refuses(http.StatusForbidden), token: true},
		"after a 401, and broken":           {first: refuses(http.StatusUnauthorized), second: breaks, token: true, maybe: true},
	} {
		for _, http1 := range []bool{true, false} {
			if test.http1 && !http1 {
				continue
			}
			if err := test.write(t, http1); err == nil || errors.Is(err, rest.ErrOutcomeUnknown) != test.maybe {
				t.Errorf("%s (HTTP/1.1: %v): %v, want one that may have been carried out: %v", name, http1, err, test.maybe)
			}
		}
	}
}

// write returns the error of the write.
func (s sentTwice) write(t *testing.T, http1 bool) error {
	t.Helper()
	token := filepath.Join(t.TempDir(), "token")
	write(t, token, "first")
	var writes atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch {
		case r.Method == http.MethodGet:
			_, _ = io.WriteString(w, "{}")
		case writes.Add(1) == 1:
			write(t, token, "second")
			s.first(w, r)
		default:
			s.second(w, r)
		}
	}))
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	cfg := kubeconfig.Config{Server: server.URL, TLS: kubeconfig.TLS{Insecure: true}}
	if s.token {
		cfg.TokenFile = token
	}
	c, err := rest.New(cfg, rest.Options{HTTP1: http1, Wrap: s.wrap, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if writes.Load() > 0 && s.second == nil {
			return nil, errBroken
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	if _, err := stream.Await(c.Do(t.Context(), rest.Request{Path: "/version"})); err != nil { // keeps a connection
		t.Fatal(err)
	}
	return errOf(c.Do(t.Context(), rest.Request{Method: http.MethodPost, Path: "/x", Body: []byte("{}"), Header: s.header}))
}

// A server that resets a stream with PROTOCOL_ERROR may have passed the write on before.
func TestOutcomeOfAWriteThatIsSentAgainAfterAProtocolError(t *testing.T) {
	err := framed(t, &wire{}, h2Frame(h2Reset, 0, 1, 0, 0, 0, 1))
	if err != nil {
		t.Fatal(err) // the second one succeeds
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_ = l.Close()
		reset, leave := h2Frame(h2Reset, 0, 1, 0, 0, 0, 1), h2Frame(h2GoAway, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0)
		serveFrames(conn, &wire{}, [][]byte{append(leave, reset...), nil})
	}()
	err = createWeb(t.Context(), podsOf(t, kubeconfig.Config{Server: "http://" + l.Addr().String()}, rest.Options{UnencryptedHTTP2: true}))
	<-served
	if !errors.Is(err, rest.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "connecting to") {
		t.Error(err)
	}
}

// A Status of failure says what a refusal of the same code says, even if it comes with success.
func TestOutcomeOfAFailureThatComesWithSuccess(t *testing.T) {
	for code, maybe := range map[int]bool{http.StatusForbidden: false, http.StatusInternalServerError: true, http.StatusGatewayTimeout: true} {
		refused := refuse(code, "", "")
		refused.code = http.StatusOK
		c, _ := scripted(t, refused)
		if err := createWeb(t.Context(), rest.For[rest.Object](c, "Pod").In("default")); err == nil || errors.Is(err, rest.ErrOutcomeUnknown) != maybe {
			t.Errorf("%d: %v, want one that may have been carried out: %v", code, err, maybe)
		}
	}
}
