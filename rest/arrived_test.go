package rest_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// writes are the verbs that change something.
var writes = map[string]func(context.Context, rest.Resource[rest.Object]) error{
	"create": func(ctx context.Context, r rest.Resource[rest.Object]) error {
		return errOf(r.Create(ctx, r.New("web")))
	},
	"update": func(ctx context.Context, r rest.Resource[rest.Object]) error {
		return errOf(r.Update(ctx, r.New("web")))
	},
	"patch": func(ctx context.Context, r rest.Resource[rest.Object]) error {
		return errOf(r.Patch(ctx, "web", rest.NewPatch("{}")))
	},
	"apply": func(ctx context.Context, r rest.Resource[rest.Object]) error {
		return errOf(r.Apply(ctx, r.New("web")))
	},
	"delete": func(ctx context.Context, r rest.Resource[rest.Object]) error {
		return errOf(r.Delete(ctx, "web", rest.DeleteOptions{}))
	},
	"delete of all": func(ctx context.Context, r rest.Resource[rest.Object]) error {
		return errOf(r.DeleteAll(ctx, rest.ListOptions{}, rest.DeleteOptions{}))
	},
	"evict": func(ctx context.Context, r rest.Resource[rest.Object]) error {
		return errOf(rest.Evict(ctx, r, "web", rest.DeleteOptions{}))
	},
	"post": func(ctx context.Context, r rest.Resource[rest.Object]) error {
		return errOf(r.Endpoint().Client().Do(ctx, rest.Request{Method: http.MethodPost, Path: "/x", Body: []byte("{}")}))
	},
}

// moment is one at which a write fails.
type moment struct {
	handler http.HandlerFunc
	config  func(*kubeconfig.Config)
	options rest.Options
	code    int  // of a refusal
	maybe   bool // the write may have been carried out
	notRaw  bool // a raw request does not fail
}

// A write that failed says whether it may have been carried out, at whatever moment it failed.
func TestOutcomeOfAFailedWrite(t *testing.T) {
	refusing := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for _, h := range header {
				name, value, _ := strings.Cut(h, ": ")
				w.Header().Set(name, value)
			}
			w.WriteHeader(code)
		}
	}
	broken := func(context.Context, string, string) (net.Conn, error) { return mute{closed: make(chan struct{})}, nil }
	moments := map[string]moment{
		"dial":         {options: rest.Options{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errBroken }}},
		"dial refused": {config: func(c *kubeconfig.Config) { c.Server = "https://127.0.0.1:1" }},
		"TLS":          {config: func(c *kubeconfig.Config) { c.TLS = kubeconfig.TLS{} }},
		"credentials": {options: rest.Options{AllowExec: func(string) error { return errBroken }}, config: func(c *kubeconfig.Config) {
			c.Exec = &kubeconfig.Exec{Command: os.Args[0], APIVersion: "client.authentication.k8s.io/v1", Interactive: kubeconfig.InteractiveNever}
		}},
		"nothing can be written": {options: rest.Options{Dial: broken, HTTP1: true}, config: func(c *kubeconfig.Config) { c.Server, c.TLS = "http://localhost", kubeconfig.TLS{} }},
		"body was sent":          {handler: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, maybe: true},
		"half of the answer": {handler: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"kind":"Pod",`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, maybe: true},
		"the answer is too large": {handler: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, pod(strings.Repeat("x", 100), "1"))
		}, options: rest.Options{Defaults: rest.CallOptions{MaxObject: 50}}, maybe: true},
		"the answer is not JSON": {handler: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, maybe: true, notRaw: true},
		"the answer is another": {handler: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"kind":"Service","apiVersion":"v1"}`)
		}, maybe: true, notRaw: true},
		"refused":                 {handler: refusing(403), code: 403},
		"conflict":                {handler: refusing(409), code: 409},
		"too many requests":       {handler: refusing(429), code: 429},
		"busy, come again":        {handler: refusing(503, "Retry-After: 1"), code: 503},
		"unavailable":             {handler: refusing(503), code: 503, maybe: true},
		"bad gateway":             {handler: refusing(502), code: 502, maybe: true},
		"timeout":                 {handler: refusing(504), code: 504, maybe: true},
		"internal error":          {handler: refusing(500), code: 500, maybe: true},
		"not implemented":         {handler: refusing(501), code: 501},
		"dry run, body was sent":  {handler: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, options: rest.Options{Defaults: rest.CallOptions{DryRun: true}}},
		"another transport fails": {options: rest.Options{Transport: &wire{}}, config: func(c *kubeconfig.Config) { c.TLS = kubeconfig.TLS{} }, maybe: true},
		"another transport cannot dial": {options: rest.Options{Transport: tripperFunc(func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: errBroken}
		})}, config: func(c *kubeconfig.Config) { c.TLS = kubeconfig.TLS{} }},
	}
	for name, m := range moments {
		for _, http1 := range []bool{true, false} {
			if http1 == (m.options.Transport != nil) {
				continue
			}
			c := m.client(t, http1)
			for verb, write := range writes {
				if m.notRaw && verb == "post" {
					continue
				}
				err := write(t.Context(), rest.For[rest.Object](c, "Pod").In("default"))
				m.check(t, fmt.Sprintf("%s: %s (HTTP/1.1: %v)", name, verb, http1), err)
			}
			if err := errOf(rest.For[rest.Object](c, "Pod").In("default").Get(t.Context(), "web")); errors.Is(err, rest.ErrOutcomeUnknown) {
				t.Errorf("%s: a read fails with %v", name, err)
			}
			c.CloseIdle()
		}
	}
}

// check compares the error of a write with what it has to say.
func (m *moment) check(t *testing.T, name string, err error) {
	t.Helper()
	if err == nil || errors.Is(err, rest.ErrOutcomeUnknown) != m.maybe {
		t.Errorf("%s: %v, want one that may have been carried out: %v", name, err, m.maybe)
	}
	refused, is := errors.AsType[*rest.StatusError](err)
	if is != (m.code != 0) || is && refused.Status.Code != m.code {
		t.Errorf("%s: %v, want the code %d", name, err, m.code)
	}
	if says := strings.HasSuffix(errText(err), " (the write may have been carried out)"); says != (m.maybe && m.code == 0) {
		t.Errorf("%s: the error reads %v", name, err)
	}
}

// client returns a client of a TLS server at which its writes fail.
func (m *moment) client(t *testing.T, http1 bool) *rest.Client {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if m.handler != nil {
			m.handler(w, r)
		}
	}))
	s.EnableHTTP2 = true
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	cfg := kubeconfig.Config{Server: s.URL, TLS: kubeconfig.TLS{Insecure: true}}
	if m.config != nil {
		m.config(&cfg)
	}
	o := m.options
	o.HTTP1, o.Defaults.FieldManager = o.HTTP1 || http1, "test"
	c, err := rest.New(cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A write that was given up while it waited may have been carried out; one that was given up before
// it was sent cannot have been.
func TestOutcomeOfAWriteThatIsGivenUp(t *testing.T) {
	for _, http1 := range []bool{true, false} {
		arrived := make(chan struct{})
		m := moment{handler: func(_ http.ResponseWriter, r *http.Request) {
			arrived <- struct{}{}
			<-r.Context().Done()
		}}
		c := m.client(t, http1)
		pods := rest.For[rest.Object](c, "Pod").In("default")
		ctx, cancel := context.WithCancel(t.Context())
		in := pods.Create(ctx, pods.New("web"))
		<-arrived
		cancel()
		if err := errOf(in); !errors.Is(err, rest.ErrOutcomeUnknown) || !errors.Is(err, context.Canceled) {
			t.Errorf("while it waits: %v", err)
		}
		if err := errOf(pods.Create(ctx, pods.New("web"))); errors.Is(err, rest.ErrOutcomeUnknown) || !errors.Is(err, context.Canceled) {
			t.Errorf("before it is sent: %v", err)
		}
		c.CloseIdle()
	}
}

// The outcome of Modify is that of its patch, and retries keep what is known.
func TestOutcomeOfModify(t *testing.T) {
	for _, test := range []struct {
		answers []reply
		maybe   bool
	}{
		{[]reply{breaks}, false},
		{[]reply{says(200, "<html>")}, false},
		{[]reply{saysWeb(), breaks}, true},
		{[]reply{saysWeb(), says(200, "null")}, true},
		{[]reply{saysWeb(), saysNo(403, "")}, false},
	} {
		c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{Transport: &wire{answers: test.answers}})
		if err != nil {
			t.Fatal(err)
		}
		if err := modifyWeb(t.Context(), rest.For[rest.Object](c, "Pod").In("default")); err == nil || errors.Is(err, rest.ErrOutcomeUnknown) != test.maybe {
			t.Errorf("%v, want one that may have been carried out: %v", err, test.maybe)
		}
	}
	c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{
		Transport: &wire{answers: []reply{saysNo(429, "", "Retry-After: 0.001"), breaks}},
		Defaults:  rest.CallOptions{Retry: stream.Backoff{MaxRetries: 1, Initial: -1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := createWeb(t.Context(), rest.For[rest.Object](c, "Pod").In("default")); !errors.Is(err, rest.ErrOutcomeUnknown) || !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

// mute is a connection on which nothing can be written.
type mute struct {
	net.Conn

	closed chan struct{}
}

func (m mute) Read([]byte) (int, error)         { <-m.closed; return 0, net.ErrClosed }
func (m mute) Write([]byte) (int, error)        { return 0, errBroken }
func (m mute) Close() error                     { close(m.closed); return nil }
func (m mute) SetDeadline(time.Time) error      { return nil }
func (m mute) SetReadDeadline(time.Time) error  { return nil }
func (m mute) SetWriteDeadline(time.Time) error { return nil }
func (m mute) LocalAddr() net.Addr              { return memoryAddr{} }
func (m mute) RemoteAddr() net.Addr             { return memoryAddr{} }
