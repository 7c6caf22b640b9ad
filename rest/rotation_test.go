package rest_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// secured is an https server in memory whose certificate changes. It answers with a pod that is
// named after the client certificate.
type secured struct {
	mu     sync.Mutex
	config *tls.Config
	opened int
	closed int
	server *http.Server
}

func (s *secured) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := "nobody"
	if len(r.TLS.PeerCertificates) > 0 {
		name = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	if r.URL.Path == "/hang" {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	_, _ = io.WriteString(w, told(name, "1"))
}

// certify gives the server a certificate that a has signed.
func (s *secured) certify(t *testing.T, a *authority) {
	t.Helper()
	cert, key := a.sign(t, &x509.Certificate{DNSNames: []string{"localhost"}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12}
}

// counts returns how many connections were opened, and closed.
func (s *secured) counts() [2]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return [2]int{s.opened, s.closed}
}

func (s *secured) state(_ net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.opened++
	case http.StateClosed:
		s.closed++
	default:
	}
}

// start serves on l.
func (s *secured) start(l net.Listener) {
	s.server = &http.Server{Handler: s, ConnState: s.state, ErrorLog: log.New(io.Discard, "", 0)}
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.config, nil
	}}
	go func() { _ = s.server.Serve(tls.NewListener(l, config)) }()
}

// who returns the client's name as the server sees it.
func who(t *testing.T, c *rest.Client) string {
	t.Helper()
	p, err := one(t, rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web"))
	if err != nil {
		return err.Error()
	}
	return p.Spec.NodeName
}

// A changed authority or client certificate is noticed within a minute: new requests use new
// connections, and the old ones end.
func TestFilesRotate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		caFile, certFile, keyFile := filepath.Join(dir, "ca"), filepath.Join(dir, "cert"), filepath.Join(dir, "key")
		renew := func(a *authority, name string) {
			cert, key := a.client(t, name)
			write(t, caFile, string(a.pem))
			write(t, certFile, string(cert))
			write(t, keyFile, string(key))
		}
		first, second, third := newAuthority(t), newAuthority(t), newAuthority(t)
		renew(first, "one")
		m, s := newMemory(), &secured{}
		s.certify(t, first)
		s.start(m)
		c, err := rest.New(kubeconfig.Config{Server: "https://localhost", TLS: kubeconfig.TLS{CAFile: caFile, CertFile: certFile, KeyFile: keyFile}}, rest.Options{Dial: m.dial})
		if err != nil {
			t.Fatal(err)
		}
		expect := func(name string, opened, closed int) {
			t.Helper()
			got := who(t, c)
			synctest.Wait()
			if got != name || s.counts() != [2]int{opened, closed} {
				t.Errorf("came as %s over %v connections, want %s, %d and %d", got, s.counts(), name, opened, closed)
			}
		}
		expect("one", 1, 0)
		// The files change, and the server's certificate with them.
		renew(second, "two")
		s.certify(t, second)
		expect("one", 1, 0) // the connection is still used
		time.Sleep(50 * time.Second)
		expect("two", 2, 1)
		// A truncated authority, or half of a pair, changes nothing.
		write(t, caFile, "-----BEGIN")
		write(t, keyFile, "")
		time.Sleep(50 * time.Second)
		expect("two", 2, 1)
		// A running request keeps its connection.
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://localhost/hang", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		hanging, err := c.RoundTripper().RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		renew(third, "three")
		s.certify(t, third)
		time.Sleep(50 * time.Second)
		expect("three", 3, 1)
		_ = hanging.Body.Close()
		synctest.Wait()
		if want := [2]int{3, 2}; s.counts() != want {
			t.Errorf("connections are %v, want %v", s.counts(), want)
		}
		c.CloseIdle()
		_ = s.server.Close()
	})
}

// If the server presents a certificate of another authority, the client reads its authority again
// at once.
func TestAuthorityIsLookedFor(t *testing.T) {
	caFile := filepath.Join(t.TempDir(), "ca")
	first, second := newAuthority(t), newAuthority(t)
	write(t, caFile, string(first.pem))
	s, address := listening(t, first)
	c, err := rest.New(kubeconfig.Config{Server: "https://" + address, TLS: kubeconfig.TLS{CAFile: caFile, ServerName: "localhost"}}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	before := who(t, c)
	c.CloseIdle()
	s.certify(t, second)
	if text := who(t, c); !strings.Contains(text, "x509: ") {
		t.Errorf("the server is trusted: %s", text)
	}
	write(t, caFile, string(second.pem))
	if d := cmp.Diff([]string{"nobody", "nobody"}, []string{before, who(t, c)}); d != "" {
		t.Error(d)
	}
}

// listening starts a server on this machine.
func listening(t *testing.T, a *authority) (*secured, string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &secured{}
	s.certify(t, a)
	s.start(l)
	t.Cleanup(func() { _ = s.server.Close() })
	return s, l.Addr().String()
}

// A plugin may print a client certificate. Another certificate ends the connections with the first
// one at once, even if they are in use.
func TestPluginCertificate(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	_, address := listening(t, a)
	answer := func(name, expires string) string {
		cert, key := a.client(t, name)
		raw, err := json.Marshal(map[string]string{"clientCertificateData": string(cert), "clientKeyData": string(key), "expirationTimestamp": expires})
		if err != nil {
			t.Fatal(err)
		}
		return answerV1(string(raw))
	}
	p := newProgram(t, answer("one", "%soon"))
	c, err := rest.New(kubeconfig.Config{
		Server: "https://" + address, Exec: p.exec(), TLS: kubeconfig.TLS{CAData: a.pem, ServerName: "localhost"},
	}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	first, second := who(t, c), who(t, c)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.Server()+"/hang", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	hanging, err := c.RoundTripper().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer hanging.Body.Close()
	p.says(answer("two", "2001-01-01T00:00:00Z"))
	<-time.After(2100 * time.Millisecond)
	if d := cmp.Diff([]string{"one", "one", "two"}, []string{first, second, who(t, c)}); d != "" {
		t.Error(d)
	}
	if _, err := io.ReadAll(hanging.Body); err == nil || errors.Is(err, t.Context().Err()) {
		t.Errorf("the old connection ended with %v", err)
	}
	if n, _ := p.runs(); n != 2 {
		t.Errorf("the plugin ran %d times", n)
	}
}
