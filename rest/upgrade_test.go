package rest_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// socketServer starts a server with HTTP/2, over TLS or in the clear.
func socketServer(t *testing.T, h http.Handler, secure bool) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetHTTP2(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	if secure {
		s.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12}
		s.EnableHTTP2 = true
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

// A websocket is opened like any request, with the client's trust, certificate, proxy and token,
// but over HTTP/1.1.
func TestUpgrade(t *testing.T) {
	a := newAuthority(t)
	cert, key := a.client(t, "jane")
	secure, plain := socketServer(t, &sockets{}, true), socketServer(t, &sockets{}, false)
	p := &proxy{}
	overHTTP, overTLS := httptest.NewServer(p), httptest.NewTLSServer(p)
	defer overHTTP.Close()
	defer overTLS.Close()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go p.socks(l)
	const far, farPlain = "https://cluster.invalid", "http://cluster.invalid"
	anywhere := rest.Options{CredentialsOverHTTP: true}
	for name, test := range map[string]struct {
		server, proxy string
		options       rest.Options
		want          string
		asked         []string // the requests to the proxy
	}{
		"tls":                {server: secure.URL, want: "jane,t: again"},
		"tls, HTTP/1 only":   {server: secure.URL, options: rest.Options{HTTP1: true}, want: "jane,t: again"},
		"plain":              {server: plain.URL, want: "nobody,t: again"},
		"plain, with HTTP/2": {server: plain.URL, options: rest.Options{UnencryptedHTTP2: true}, want: "nobody,t: again"},
		"http proxy":         {server: far, proxy: overHTTP.URL, want: "jane,t: again", asked: []string{"CONNECT cluster.invalid:443"}},
		"plain, http proxy":  {server: farPlain, proxy: overHTTP.URL, options: anywhere, want: "nobody,t: again", asked: []string{"GET cluster.invalid"}},
		"plain, socks5":      {server: farPlain, proxy: "socks5://me:pw@" + l.Addr().String(), options: anywhere, want: "nobody,t: again", asked: []string{"cluster.invalid:80 me:pw"}},
		"https proxy":        {server: far, proxy: overTLS.URL, want: "jane,t: again", asked: []string{"CONNECT cluster.invalid:443"}},
		"socks5 proxy":       {server: far, proxy: "socks5://me:pw@" + l.Addr().String(), want: "jane,t: again", asked: []string{"cluster.invalid:443 me:pw"}},
	} {
		t.Run(name, func(t *testing.T) {
			p.asked, p.target = nil, plain.Listener.Addr().String()
			cfg := kubeconfig.Config{Server: test.server, ProxyURL: test.proxy, Token: "t"}
			if strings.HasPrefix(test.server, "https:") {
				p.target = secure.Listener.Addr().String()
				cfg.TLS = kubeconfig.TLS{Insecure: true, CertData: cert, KeyData: kubeconfig.Secret(key)}
			}
			c, err := rest.New(cfg, test.options)
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseIdle()
			if got := talk(t, c); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if d := cmp.Diff(test.asked, p.seen()); d != "" {
				t.Error(d)
			}
		})
	}
	// The client does not talk to a server that it does not trust.
	c, err := rest.New(kubeconfig.Config{Server: secure.URL, TLS: kubeconfig.TLS{CAData: a.pem}}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := talk(t, c); !strings.Contains(got, "x509: ") {
		t.Errorf("got %s", got)
	}
}

// One call of Upgrade is enough if the token has been renewed, or if only the plugin can renew it.
func TestUpgradeRenewsTheToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	for name, cfg := range map[string]kubeconfig.Config{
		"file":   {TokenFile: file},
		"plugin": {Exec: newProgram(t, answerV1(`{"token":"t%n"}`)).exec()},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, file, "t1")
			h := &sockets{counts: "t1"}
			c := serve(t, h, cfg)
			if got := talk(t, c); got != "nobody,t1: again" {
				t.Error(got)
			}
			h.mu.Lock()
			h.counts, h.seen = "t2", nil
			h.mu.Unlock()
			write(t, file, "t2")
			if got := talk(t, c); got != "nobody,t2: again" {
				t.Error(got)
			}
			if d := cmp.Diff([]string{"t1", "t2"}, h.tokens()); d != "" {
				t.Error(d)
			}
		})
	}
}

// If the server does not switch the protocol, the error has its reason.
func TestUpgradeIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		answer answer
		is     error
		want   string
	}{
		"forbidden":    {refuse(403, rest.ReasonForbidden, `pods "web" is forbidden: no exec for "jane"`), rest.ErrForbidden, `upgrade /socket: forbidden (403): pods "web" is forbidden: no exec for "jane"`},
		"bad request":  {refuse(400, rest.ReasonBadRequest, "container x is not valid for pod web"), rest.ErrBadRequest, "upgrade /socket: bad request (400): container x is not valid for pod web"},
		"unauthorized": {answer{code: 401}, rest.ErrUnauthorized, "upgrade /socket: unauthorized (401)"},
		"redirect":     {answer{302, map[string]string{"Location": "https://elsewhere/x?token=" + secret}, ""}, nil, "upgrade /socket: redirected (302): to https://elsewhere/x"},
		"ok":           {ok("{}"), nil, "upgrade /socket: the server did not switch protocols: it answered 200 OK"},
		"no protocol":  {answer{code: 101}, nil, "upgrade /socket: the answer has no connection: the server named no protocol, or Options.Transport or Options.Wrap hides it"},
	} {
		t.Run(name, func(t *testing.T) {
			c, s := scripted(t, test.answer)
			got := talk(t, c)
			if got != test.want {
				t.Errorf("error is\n\t%s, want\n\t%s", got, test.want)
			}
			s.answers = []answer{test.answer}
			if _, err := open(t.Context(), t, c); test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
			want := call{Method: "GET", URI: "/socket?command=ls"}
			if d := cmp.Diff([]call{want, want}, s.requests()); d != "" {
				t.Error(d)
			}
		})
	}
	c, _ := scripted(t)
	r := opening(t.Context(), t, c)
	r.Header.Del("Upgrade")
	_, err := c.Upgrade(r) //nolint:bodyclose // there is none
	if want := "rest: upgrade /socket: the request names no protocol: it has no Upgrade header"; errText(err) != want {
		t.Errorf("error is\n\t%v, want\n\t%s", err, want)
	}
	r = opening(t.Context(), t, c)
	r.URL.Host = "elsewhere"
	if _, err = c.Upgrade(r); !strings.Contains(errText(err), "another host") { //nolint:bodyclose // there is none
		t.Errorf("error is %v", err)
	}
}

// readOnly hides all methods of a body except Read and Close.
func readOnly(next http.RoundTripper) http.RoundTripper {
	return traced(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err == nil {
			resp.Body = struct{ io.ReadCloser }{resp.Body}
		}
		return resp, err
	})
}

type traced func(*http.Request) (*http.Response, error)

func (f traced) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Wrappers see the request without its credentials. If a wrapper or the caller's transport
// withholds the connection, the error names it.
func TestUpgradeThroughOthers(t *testing.T) {
	s := socketServer(t, &sockets{}, true)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	own := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	defer own.CloseIdleConnections()
	var seen []string
	sees := func(next http.RoundTripper) http.RoundTripper {
		return traced(func(r *http.Request) (*http.Response, error) {
			seen = append(seen, r.URL.Path+" "+r.Header.Get("Upgrade")+" "+r.Header.Get("Authorization"))
			return next.RoundTrip(r)
		})
	}
	const kept = "upgrade /socket: the answer has no connection: the server named no protocol, or Options.Transport or Options.Wrap hides it"
	for name, test := range map[string]struct {
		options rest.Options
		want    string
	}{
		"own":             {rest.Options{Transport: own}, "nobody,t: again"},
		"own keeps it":    {rest.Options{Transport: readOnly(own)}, kept},
		"wrapper":         {rest.Options{Transport: own, Wrap: sees}, "nobody,t: again"},
		"wrapper's fault": {rest.Options{Transport: own, Wrap: readOnly}, kept},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := rest.New(kubeconfig.Config{Server: s.URL, Token: "t"}, test.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := talk(t, c); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	if d := cmp.Diff([]string{"/socket websocket "}, seen); d != "" {
		t.Error(d)
	}
}
