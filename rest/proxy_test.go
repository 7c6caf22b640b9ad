package rest_test

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// proxy records what it is asked for, and connects every host to target.
type proxy struct {
	target string
	mu     sync.Mutex
	asked  []string
}

// ServeHTTP is a proxy over HTTP: plain requests, and CONNECT.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	auth, _ := strings.CutPrefix(r.Header.Get("Proxy-Authorization"), "Basic ")
	user, _ := base64.StdEncoding.DecodeString(auth)
	p.note(strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.Host, user)))
	to, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", p.target)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	from, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = to.Close()
		return
	}
	if r.Method == http.MethodConnect {
		_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
	} else {
		if r.Header.Get("Upgrade") == "" {
			r.Header.Set("Connection", "close")
		}
		_ = r.Write(to)
	}
	pipe(from, buffered.Reader, to)
}

func (p *proxy) note(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, s)
}

func (p *proxy) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// socks serves SOCKS5 connections with a user and a password.
func (p *proxy) socks(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go p.socksConn(c)
	}
}

func (p *proxy) socksConn(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	next := func(n int) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(r, b)
		return b
	}
	next(int(next(2)[1]))
	_, _ = c.Write([]byte{5, 2})
	user := string(next(int(next(2)[1])))
	password := string(next(int(next(1)[0])))
	_, _ = c.Write([]byte{1, 0})
	head := next(4)
	var host string
	switch head[3] {
	case 1:
		host = net.IP(next(net.IPv4len)).String()
	case 3:
		host = string(next(int(next(1)[0])))
	default:
		return
	}
	p.note(fmt.Sprintf("%s:%d %s:%s", host, binary.BigEndian.Uint16(next(2)), user, password))
	to, err := net.Dial("tcp", p.target) //nolint:noctx // a test server on this machine
	if err != nil {
		return
	}
	_, _ = c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	pipe(c, r, to)
}

// pipe joins two connections until one ends.
func pipe(from net.Conn, buffered io.Reader, to net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(to, buffered)
		_ = to.Close()
		_ = from.Close()
	}()
	_, _ = io.Copy(from, to)
	_ = to.Close()
	_ = from.Close()
	<-done
}

// upgrade opens a websocket through the client, and returns the answer of echo.
func upgrade(t *testing.T, c *rest.Client) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.Server()+"/socket", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	resp, err := c.RoundTripper().RoundTrip(r)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return fmt.Sprint(resp.StatusCode, " ", string(text))
}

// echo answers with the client's name and token, over plain requests and upgrades.
func echo(w http.ResponseWriter, r *http.Request) {
	who := "nobody"
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		who = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	who += "," + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if r.Header.Get("Upgrade") == "" {
		_, _ = io.WriteString(w, told(who, "1"))
		return
	}
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"+who)
	_ = c.Close()
}

// echoServer is a TLS server that asks for a client certificate.
func echoServer(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	s.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12}
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// Requests and websockets use the same proxy: that of the kubeconfig, if it has one.
func TestProxies(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1") // nobody is there
	a := newAuthority(t)
	cert, key := a.client(t, "jane")
	s := echoServer(t)
	p := &proxy{target: s.Listener.Addr().String()}
	overHTTP, overTLS := httptest.NewServer(p), httptest.NewTLSServer(p)
	defer overHTTP.Close()
	defer overTLS.Close()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go p.socks(l)
	for name, test := range map[string]struct{ url, want string }{
		"http":   {strings.Replace(overHTTP.URL, "//", "//me:"+secret+"@", 1), "CONNECT cluster.invalid:443 me:" + secret},
		"https":  {strings.Replace(overTLS.URL, "//", "//me:"+secret+"@", 1), "CONNECT cluster.invalid:443 me:" + secret},
		"socks5": {"socks5://me:" + secret + "@" + l.Addr().String(), "cluster.invalid:443 me:" + secret},
	} {
		t.Run(name, func(t *testing.T) {
			p.asked = nil
			c, err := rest.New(kubeconfig.Config{
				Server: "https://cluster.invalid", ProxyURL: test.url, Token: "t",
				TLS: kubeconfig.TLS{Insecure: true, CertData: cert, KeyData: kubeconfig.Secret(key)},
			}, rest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseIdle()
			got := []string{who(t, c), upgrade(t, c)}
			if d := cmp.Diff([]string{"jane,t", "101 jane,t"}, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff([]string{test.want, test.want}, p.seen()); d != "" {
				t.Error(d)
			}
		})
	}
	// The refusal of a proxy is reported without its password.
	p.target = "127.0.0.1:1"
	c, err := rest.New(kubeconfig.Config{Server: "https://cluster.invalid", ProxyURL: strings.Replace(overHTTP.URL, "//", "//me:"+secret+"@", 1)}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := who(t, c); strings.Contains(got, secret) || !strings.Contains(got, "Bad Gateway") {
		t.Errorf("got %s", got)
	}
}

// envProxy is set if the test binary runs as a user's program with the proxies of the environment,
// which Go reads once in a process.
const envProxy = "TIDEWAY_TEST_SERVER"

func runEnvProxy(server string) int {
	c, err := rest.New(kubeconfig.Config{Server: server, TLS: kubeconfig.TLS{Insecure: true}}, rest.Options{})
	if err != nil {
		return 1
	}
	r, err := http.NewRequest(http.MethodGet, server, http.NoBody) //nolint:noctx // a program of its own
	if err != nil {
		return 1
	}
	resp, err := c.RoundTripper().RoundTrip(r)
	if err != nil {
		_, _ = fmt.Println(err)
		return 1
	}
	defer resp.Body.Close()
	_, _ = io.Copy(os.Stdout, resp.Body)
	return 0
}

func TestProxiesOfTheEnvironment(t *testing.T) {
	s := echoServer(t)
	plain := httptest.NewServer(http.HandlerFunc(echo))
	defer plain.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		server string
		env    []string
		want   string // the request to the proxy
	}{
		{"https://cluster.invalid", []string{"HTTPS_PROXY=PROXY", "HTTP_PROXY=http://127.0.0.1:1"}, "CONNECT cluster.invalid:443"},
		{"http://cluster.invalid", []string{"HTTP_PROXY=PROXY", "HTTPS_PROXY=http://127.0.0.1:1"}, "GET cluster.invalid"},
		{s.URL, []string{"HTTPS_PROXY=http://127.0.0.1:1"}, ""}, // this machine is never behind one
		{"https://localhost.invalid", []string{"HTTPS_PROXY=PROXY", "NO_PROXY=localhost.invalid"}, "none"},
	} {
		p := &proxy{target: s.Listener.Addr().String()}
		if strings.HasPrefix(test.server, "http:") {
			p.target = plain.Listener.Addr().String()
		}
		front := httptest.NewServer(p)
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = []string{envProxy + "=" + test.server}
		for _, e := range test.env {
			cmd.Env = append(cmd.Env, strings.Replace(e, "PROXY=PROXY", "PROXY="+front.URL, 1))
		}
		out, err := cmd.CombinedOutput()
		front.Close()
		if test.want == "none" {
			if err == nil || len(p.seen()) > 0 {
				t.Errorf("%s went through %v: %s", test.server, p.seen(), out)
			}
			continue
		}
		if err != nil || strings.Join(p.seen(), " ") != test.want || !strings.Contains(string(out), "nobody,") {
			t.Errorf("%s: proxy was asked for %q, want %q: %v %s", test.server, p.seen(), test.want, err, out)
		}
	}
}
