package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

const secret = "hunter2"

func TestNewRefuses(t *testing.T) {
	const server = "https://localhost"
	for name, test := range map[string]struct {
		cfg  kubeconfig.Config
		want string
	}{
		"no server":           {kubeconfig.Config{}, "the server's address is empty"},
		"no scheme":           {kubeconfig.Config{Server: "localhost:6443"}, `the server's address "localhost:6443" is not of the form https://host:port`},
		"no host":             {kubeconfig.Config{Server: "https://"}, `the server's address "https:" is not of the form https://host:port`},
		"user in the address": {kubeconfig.Config{Server: "https://me:" + secret + "@localhost"}, `the server's address contains a user: use Username and Password`},
		"no address":          {kubeconfig.Config{Server: "https://" + secret + ":x"}, `the server's address is not a valid URL: invalid port "..." after host`},
		"plain http":          {kubeconfig.Config{Server: "http://10.0.0.1", Token: secret}, "credentials are not sent over plain http to 10.0.0.1"},
		"plain http, basic":   {kubeconfig.Config{Server: "http://example.com", Username: "me", Password: secret}, "credentials are not sent over plain http to example.com"},
		"two kinds":           {kubeconfig.Config{Server: server, Token: secret, Username: "me"}, "both a token and a username are given"},
		"token in two lines":  {kubeconfig.Config{Server: server, Token: secret + "\n" + secret}, "the token has characters that no header can carry"},
		"no token file":       {kubeconfig.Config{Server: server, TokenFile: "/nowhere/token"}, "token file: open /nowhere/token: no such file or directory"},
		"proxy":               {kubeconfig.Config{Server: server, ProxyURL: "me:" + secret}, "the proxy's address is not of the form http://host:port"},
		"proxy scheme":        {kubeconfig.Config{Server: server, ProxyURL: "ftp://me:" + secret + "@x"}, `the proxy's scheme "ftp" is not one of http, https, socks5`},
		"CA":                  {kubeconfig.Config{Server: server, TLS: kubeconfig.TLS{CAData: []byte(secret)}}, "the certificate authority holds no certificate in PEM"},
		"CA file":             {kubeconfig.Config{Server: server, TLS: kubeconfig.TLS{CAFile: "/nowhere/ca"}}, "certificate authority: open /nowhere/ca: no such file or directory"},
		"insecure with CA":    {kubeconfig.Config{Server: server, TLS: kubeconfig.TLS{CAData: []byte("x"), Insecure: true}}, "a certificate authority is given, but verification is switched off"},
		"key alone":           {kubeconfig.Config{Server: server, TLS: kubeconfig.TLS{KeyData: secret}}, "a client key is given without a certificate"},
		"certificate alone":   {kubeconfig.Config{Server: server, TLS: kubeconfig.TLS{CertData: []byte("x")}}, "a client certificate is given without a key"},
		"no pair":             {kubeconfig.Config{Server: server, TLS: kubeconfig.TLS{CertData: []byte("x"), KeyData: secret}}, "client certificate: tls: failed to find any PEM data in certificate input"},
		"namespace":           {kubeconfig.Config{Server: server, Namespace: "a/b"}, `namespace "a/b" contains '/' or '%'`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rest.New(test.cfg, rest.Options{})
			if got, want := errText(err), "rest: new client: "+test.want; got != want {
				t.Errorf("error is\n\t%s, want\n\t%s", got, want)
			}
			if strings.Contains(errText(err), secret) {
				t.Error("the error shows the secret")
			}
		})
	}
	if _, err := rest.New(kubeconfig.Config{Server: server}, rest.Options{UserAgent: "a\nb"}); err == nil {
		t.Error("a user agent in two lines is let through")
	}
	for _, server := range []string{"http://localhost:8080", "http://127.0.0.2", "http://[::1]:80/prefix"} {
		if _, err := rest.New(kubeconfig.Config{Server: server, Token: secret}, rest.Options{}); err != nil {
			t.Errorf("%s: %v", server, err)
		}
	}
	if _, err := rest.New(kubeconfig.Config{Server: "http://10.0.0.1", Token: secret}, rest.Options{CredentialsOverHTTP: true}); err != nil {
		t.Error(err)
	}
}

func TestClientDescribesItself(t *testing.T) {
	cfg := kubeconfig.Config{Server: "https://example.com:6443/k8s/?a=b#c", Context: "prod", Token: secret}
	c, err := rest.New(cfg, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{c.Server(), c.Context(), c.Namespace(), c.Credentials()}
	if d := cmp.Diff([]string{"https://example.com:6443/k8s", "prod", "default", "token"}, got); d != "" {
		t.Error(d)
	}
	r := rest.For[Pod](c, "Pod").In("default")
	for _, v := range []any{c, *c, cfg, &cfg, r, r.Endpoint()} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			if text := fmt.Sprintf(verb, v); strings.Contains(text, secret) {
				t.Errorf("%s of %T shows the secret: %s", verb, v, text)
			}
		}
	}
}

// headers records the headers of requests and answers with a pod.
type headers struct{ seen []http.Header }

func (h *headers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.seen = append(h.seen, r.Header.Clone())
	_, _ = io.WriteString(w, pod("web", "1"))
}

func TestHeaders(t *testing.T) {
	h := &headers{}
	c := serve(t, h, kubeconfig.Config{Username: "me", Password: secret})
	if err := errOf(rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web")); err != nil {
		t.Fatal(err)
	}
	want := http.Header{
		"Accept":        {"application/json"},
		"Authorization": {"Basic bWU6aHVudGVyMg=="},
		"User-Agent":    h.seen[0]["User-Agent"],
	}
	if d := cmp.Diff(want, h.seen[0]); d != "" {
		t.Error(d)
	}
	if !strings.HasPrefix(h.seen[0].Get("User-Agent"), "tideway") {
		t.Errorf("user agent is %q", h.seen[0].Get("User-Agent"))
	}
}

// Raw requests carry the client's credentials unless they have their own, and go only to the
// client's own server.
func TestRoundTripper(t *testing.T) {
	h := &headers{}
	c := serve(t, h, kubeconfig.Config{Token: secret})
	send := func(url string, header http.Header) error {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if header != nil {
			r.Header = header
		}
		before := r.Header.Clone()
		resp, err := c.RoundTripper().RoundTrip(r)
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		if d := cmp.Diff(before, r.Header); d != "" {
			t.Error("the request was changed:", d)
		}
		return err
	}
	if err := errors.Join(send(c.Server()+"/version", nil), send(c.Server()+"/version", http.Header{"Authorization": {"own"}, "User-Agent": {"me"}})); err != nil {
		t.Fatal(err)
	}
	if got := h.seen[0].Get("Authorization"); got != "Bearer "+secret {
		t.Errorf("authorization is %q", got)
	}
	if got := h.seen[1].Get("Authorization") + " " + h.seen[1].Get("User-Agent"); got != "own me" {
		t.Errorf("authorization and user agent are %q", got)
	}
	other := httptest.NewServer(h)
	defer other.Close()
	if err := send(other.URL, nil); err == nil || !strings.Contains(err.Error(), "another host") {
		t.Errorf("error is %v", err)
	}
	if len(h.seen) != 2 {
		t.Error("a request went to another host")
	}
}

// Every request goes through the proxy of the configuration.
func TestProxy(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.RequestURI)
		_, _ = io.WriteString(w, pod("web", "1"))
	}))
	defer proxy.Close()
	c, err := rest.New(kubeconfig.Config{Server: "http://cluster.invalid", ProxyURL: proxy.URL}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	if err := errOf(rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web")); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"http://cluster.invalid/api/v1/namespaces/default/pods/web"}, asked); d != "" {
		t.Error(d)
	}
}

// An error of the connection names the operation, and can be unwrapped.
func TestNoConnection(t *testing.T) {
	refused := errors.New("nobody is there")
	c, err := rest.New(kubeconfig.Config{Server: "https://localhost", Token: secret}, rest.Options{
		Dial: func(context.Context, string, string) (net.Conn, error) { return nil, refused },
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = one(t, rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web"))
	if !errors.Is(err, refused) || err.Error() != "get pods default/web: connecting to localhost: nobody is there" {
		t.Errorf("error is %v", err)
	}
}

func TestHTTP2InMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var proto string
		c, end := inMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			proto = r.Proto
			_, _ = io.WriteString(w, pod("web", "1"))
		}), kubeconfig.Config{}, rest.Options{UnencryptedHTTP2: true})
		defer end()
		if _, err := one(t, rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web")); err != nil {
			t.Fatal(err)
		}
		if proto != "HTTP/2.0" {
			t.Errorf("the request came by %s", proto)
		}
	})
}

// A connection whose other end has silently disappeared is given up after an unanswered ping.
func TestDeadConnection(t *testing.T) {
	for name, test := range map[string]struct {
		options rest.Options
		want    time.Duration
	}{
		"default": {rest.Options{}, 45 * time.Second},
		"options": {rest.Options{PingInterval: 2 * time.Second, PingTimeout: time.Second}, 3 * time.Second},
		"none":    {rest.Options{PingInterval: -1}, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				go func() { _, _ = io.Copy(io.Discard, theirs) }()
				test.options.UnencryptedHTTP2 = true
				test.options.Dial = func(context.Context, string, string) (net.Conn, error) { return ours, nil }
				c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, test.options)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				start := time.Now()
				if _, err := one(t, rest.For[Pod](c, "Pod").In("default").Get(ctx, "web")); err == nil {
					t.Error("there is an answer")
				}
				if got := time.Since(start); got != test.want {
					t.Errorf("given up after %v, want %v", got, test.want)
				}
				c.CloseIdle()
				_ = theirs.Close()
			})
		})
	}
}

// Answers are read to the end, so that one connection serves all requests.
func TestConnectionIsReused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{t: t, answers: []answer{
			page("1", "T1", "a"), page("1", "", "b"), refuse(404, "NotFound", "x"), {code: 502, body: "bad"}, ok(pod("a", "1")), ok(""), ok(`{"items":[]}`),
		}}
		m := newMemory()
		server := &http.Server{Handler: s}
		go func() { _ = server.Serve(m) }()
		dials := 0
		c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				dials++
				return m.dial(ctx, network, address)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		pods := rest.For[Pod](c, "Pod").In("default")
		_, _ = one(t, pods.List(t.Context(), rest.ListOptions{}))
		_, _ = one(t, pods.Get(t.Context(), "a"))
		_, _ = one(t, pods.Get(t.Context(), "a"))
		_, _ = one(t, pods.Get(t.Context(), "a"))
		_, _ = one(t, pods.Delete(t.Context(), "a", rest.DeleteOptions{}))
		for r := range pods.Each(t.Context(), rest.ListOptions{}) {
			t.Error(r)
		}
		if n := len(s.requests()); n != 7 || dials != 1 {
			t.Errorf("%d connections for %d requests", dials, n)
		}
		c.CloseIdle()
		_ = server.Close()
	})
}

func tokenFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	write(t, path, content)
	return path
}

// An error about the content of a file names the file, and not the content.
func TestFilesThatCannotBeUsedAreNamed(t *testing.T) {
	dir := t.TempDir()
	bad, cert, key := filepath.Join(dir, "bad"), filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	a := newAuthority(t)
	certPEM, keyPEM := a.client(t, "jane")
	write(t, cert, string(certPEM))
	write(t, key, string(keyPEM))
	for _, content := range []string{secret, "\x00" + secret, "-----BEGIN CERTIFICATE-----\n" + secret + "\n-----END CERTIFICATE-----", "-----BEGIN PRIVATE KEY-----\naGVsbG8=\n-----END PRIVATE KEY-----"} {
		write(t, bad, content)
		for want, tls := range map[string]kubeconfig.TLS{
			"certificate authority: " + bad + ": ":                        {CAFile: bad},
			"client certificate: " + bad + ": client key: " + key + ": ":  {CertFile: bad, KeyFile: key},
			"client certificate: " + cert + ": client key: " + bad + ": ": {CertFile: cert, KeyFile: bad},
			"client certificate: " + bad + ": tls: ":                      {CertFile: bad, KeyData: kubeconfig.Secret(keyPEM)},
			"client certificate: client key: " + bad + ": tls: ":          {CertData: certPEM, KeyFile: bad},
		} {
			_, err := rest.New(kubeconfig.Config{Server: "https://localhost", TLS: tls}, rest.Options{})
			if text := errText(err); !strings.HasPrefix(text, "rest: new client: "+want) || strings.Contains(text, secret) {
				t.Errorf("the error is %q, want %q", text, want)
			}
		}
	}
}
