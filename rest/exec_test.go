package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// together sends n requests at the same time and returns their errors.
func together(t *testing.T, c *rest.Client, n int) error {
	t.Helper()
	pods := rest.For[Pod](c, "Pod").In("default")
	answers := make([]<-chan stream.Result[*Pod], n)
	for i := range answers {
		answers[i] = pods.Get(t.Context(), "web")
	}
	var all error
	for _, a := range answers {
		all = errors.Join(all, errOf(a))
	}
	return all
}

// A plugin runs again when its credentials have expired or are refused, but not for every request.
func TestPluginIsAskedAgain(t *testing.T) {
	t.Parallel()
	p := newProgram(t, answerV1(`{"token":"t%n","expirationTimestamp":"%soon"}`))
	d := &doorman{}
	c := serve(t, d, kubeconfig.Config{Exec: p.exec()})
	runs := func(want int) {
		t.Helper()
		if n, _ := p.runs(); n != want {
			t.Errorf("the plugin ran %d times, want %d", n, want)
		}
	}
	if n, _ := p.runs(); n != 0 {
		t.Error("the plugin runs before it is needed")
	}
	const many = 50
	if err := together(t, c, many); err != nil {
		t.Fatal(err)
	}
	runs(1)
	// The credentials have expired.
	timer := time.NewTimer(2100 * time.Millisecond)
	<-timer.C
	p.says(answerV1(`{"token":"t%n"}`)) // valid until it is refused
	if err := together(t, c, many); err != nil {
		t.Fatal(err)
	}
	runs(2)
	// When the server refuses the token, the plugin runs once for all requests, and each is tried
	// once more.
	d.mu.Lock()
	d.counts = "t3"
	d.mu.Unlock()
	if err := together(t, c, many); err != nil {
		t.Fatal(err)
	}
	runs(3)
	// If the plugin returns the same token again, it runs once for a request, and the refusal is
	// the answer.
	d.mu.Lock()
	d.counts, d.seen = "other", nil
	d.mu.Unlock()
	p.says(answerV1(`{"token":"t3"}`))
	if err := together(t, c, 1); !errors.Is(err, rest.ErrUnauthorized) {
		t.Errorf("error is %v", err)
	}
	runs(4)
	if d := cmp.Diff([]string{"t3"}, d.seen); d != "" {
		t.Error(d)
	}
	// Credentials that have already expired are used once, without an endless loop.
	p.says(answerV1(`{"token":"old","expirationTimestamp":"2001-02-03T04:05:06+02:00"}`))
	d.mu.Lock()
	d.counts = "old"
	d.mu.Unlock()
	if err := together(t, c, 1); err != nil {
		t.Error(err)
	}
	runs(5)
	if err := together(t, c, 1); err != nil {
		t.Error(err)
	}
	runs(6)
}

// A plugin receives the cluster information that it asks for.
func TestPluginGetsTheCluster(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	caFile := filepath.Join(t.TempDir(), "ca")
	write(t, caFile, string(a.pem))
	ca, err := json.Marshal(a.pem)
	if err != nil {
		t.Fatal(err)
	}
	const v1, v1beta1 = `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":`, `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","spec":`
	for name, test := range map[string]struct {
		change func(*kubeconfig.Config)
		want   string // SERVER and CA are placeholders
	}{
		"nothing": {func(*kubeconfig.Config) {}, v1 + `{"interactive":false}}`},
		"cluster": {func(c *kubeconfig.Config) {
			c.Exec.ProvideClusterInfo, c.Exec.ClusterConfig = true, []byte(`{"audience":"a"}`)
			c.TLS = kubeconfig.TLS{CAFile: caFile, ServerName: "x"}
		}, v1 + `{"cluster":{"server":"SERVER","tls-server-name":"x","certificate-authority-data":CA,"config":{"audience":"a"}},"interactive":false}}`},
		"insecure": {func(c *kubeconfig.Config) {
			c.Exec.ProvideClusterInfo, c.DisableCompression, c.TLS.Insecure = true, true, true
		}, v1 + `{"cluster":{"server":"SERVER","insecure-skip-tls-verify":true,"disable-compression":true},"interactive":false}}`},
		"v1beta1, no terminal": {func(c *kubeconfig.Config) {
			c.Exec.APIVersion, c.Exec.Interactive = kubeconfig.ExecV1beta1, ""
		}, v1beta1 + `{"interactive":false}}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t, answerV1(`{"token":"t"}`))
			cfg := kubeconfig.Config{Exec: p.exec()}
			cfg.Exec.Args = []string{"a b", "$HOME; `id`", ""}
			cfg.Exec.Env = append(cfg.Exec.Env, kubeconfig.EnvVar{Name: "OWN", Value: secret})
			test.change(&cfg)
			if cfg.Exec.APIVersion == kubeconfig.ExecV1beta1 {
				p.says(strings.Replace(answerV1(`{"token":"t"}`), "/v1", "/v1beta1", 1))
			}
			c := serve(t, &doorman{counts: "t"}, cfg)
			if err := together(t, c, 1); err != nil {
				t.Fatal(err)
			}
			_, r := p.runs()
			want := strings.NewReplacer("SERVER", c.Server(), "CA", string(ca)).Replace(test.want)
			if d := cmp.Diff(run{Args: cfg.Exec.Args, Info: want, Own: secret}, r); d != "" {
				t.Error(d)
			}
		})
	}
}

// Every failure of a plugin is reported with the reason and without a secret.
func TestPluginFails(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 40) + strings.Repeat("y", 40)
	for name, test := range map[string]struct {
		answer string
		change func(*program, *kubeconfig.Exec)
		want   string
	}{
		"nothing":         {"", nil, "it printed nothing"},
		"no JSON":         {`{"token":` + secret, nil, "its output is not an ExecCredential"},
		"wrong type":      {answerV1(`{"token":["` + secret + `"]}`), nil, "its output is not an ExecCredential"},
		"another kind":    {`{"kind":"Pod","apiVersion":"v1"}`, nil, `it printed an object of kind "Pod", not an ExecCredential`},
		"another version": {strings.Replace(answerV1(`{"token":"`+secret+`"}`), "/v1", "/v1beta1", 1), nil, `it answered in apiVersion "client.authentication.k8s.io/v1beta1", but was asked in "client.authentication.k8s.io/v1"`},
		"no status":       {answerV1("null"), nil, "it printed no status"},
		"empty status":    {answerV1("{}"), nil, "it printed neither a token nor a certificate with a key"},
		"key alone":       {answerV1(`{"token":"t","clientKeyData":"` + secret + `"}`), nil, "it printed a key without a certificate"},
		"certificate":     {answerV1(`{"clientCertificateData":"` + secret + `"}`), nil, "it printed a certificate without a key"},
		"no pair":         {answerV1(`{"clientCertificateData":"` + secret + `","clientKeyData":"` + secret + `"}`), nil, "its certificate: tls: failed to find any PEM data in certificate input"},
		"two lines":       {answerV1(`{"token":"` + secret + `\n` + secret + `"}`), nil, "its token has characters that no header can carry"},
		"time":            {answerV1(`{"token":"t","expirationTimestamp":"` + secret + `"}`), nil, "its expirationTimestamp is not an RFC 3339 time"},
		"too much":        {strings.Repeat(secret, 1<<18), nil, "it printed more than 1048576 bytes"},
		"exit code": {"", func(p *program, _ *kubeconfig.Exec) {
			p.file("fail", "x")
			p.says(secret)
		}, "exit status 3"},
		"complaint": {"", func(p *program, x *kubeconfig.Exec) {
			p.file("fail", "x")
			p.file("stderr", "\x1b[31mno\x07 session\x1b[0m\r\n for "+secret+" eyJhbGciOiJ.eyJzdWIi "+long+" --key=abcdef\n")
			x.Env = append(x.Env, kubeconfig.EnvVar{Name: "OWN", Value: secret})
			x.Args = []string{"--key=abcdef"}
		}, "exit status 3: no session for [redacted] [redacted] [redacted] --key=[redacted]"},
		"missing": {"", func(_ *program, x *kubeconfig.Exec) {
			x.Command, x.InstallHint = "no-such-program", "look\n at \x1b[1mexample.org"
		}, "executable file not found in $PATH; to install it: look at example.org"},
		"missing path": {"", func(_ *program, x *kubeconfig.Exec) { x.Command = "/nowhere/plugin" }, "no such file or directory"},
		"no terminal": {"", func(_ *program, x *kubeconfig.Exec) {
			x.Interactive = kubeconfig.InteractiveAlways
		}, "interactiveMode is Always, but the standard input is not a terminal"},
		"no input": {"", func(_ *program, x *kubeconfig.Exec) {
			x.Interactive, x.StdinTaken = kubeconfig.InteractiveAlways, true
		}, "interactiveMode is Always, but the standard input is in use"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t, test.answer)
			x := p.exec()
			if test.change != nil {
				test.change(p, x)
			}
			d := &doorman{}
			c := serve(t, d, kubeconfig.Config{Exec: x})
			err := together(t, c, 1)
			want := "get pods default/web: credential plugin \"" + x.Command + "\": " + test.want
			if got := errText(err); got != want {
				t.Errorf("error is\n\t%s, want\n\t%s", got, want)
			}
			if strings.Contains(errText(err), secret) {
				t.Error("the error shows the secret")
			}
			if len(d.seen) != 0 {
				t.Error("a request was sent all the same")
			}
		})
	}
	if _, err := rest.New(kubeconfig.Config{Server: "https://x", Exec: &kubeconfig.Exec{}}, rest.Options{}); err == nil {
		t.Error("a plugin without a version is let through")
	}
	if _, err := rest.New(kubeconfig.Config{Server: "http://10.0.0.1", Exec: newProgram(t, "").exec()}, rest.Options{}); err == nil {
		t.Error("a plugin's token may go over plain http")
	}
}

// The plugin keeps running while a request waits for it, and ends with the last one.
func TestPluginEndsWithTheLastWaiter(t *testing.T) {
	t.Parallel()
	p := newProgram(t, answerV1(`{"token":"t"}`))
	p.file("hang", "yes")
	c := serve(t, &doorman{}, kubeconfig.Config{Exec: p.exec()})
	pods := rest.For[Pod](c, "Pod").In("default")
	gone := errors.New("gone")
	first, endFirst := context.WithCancelCause(t.Context())
	second, endSecond := context.WithCancelCause(t.Context())
	a := pods.Get(first, "web")
	started := func(n int) {
		t.Helper()
		for {
			if m, _ := p.runs(); m == n {
				return
			}
			select {
			case <-t.Context().Done():
				t.Fatal("it does not start")
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	started(1)
	b := pods.Get(second, "web")
	<-time.After(200 * time.Millisecond) // so that it waits as well
	endFirst(gone)
	if err := errOf(a); !errors.Is(err, gone) {
		t.Errorf("error is %v", err)
	}
	select {
	case r := <-b:
		t.Errorf("the second one did not wait: %v", r.Err)
	case <-time.After(50 * time.Millisecond):
	}
	start := time.Now()
	endSecond(gone)
	if err := errOf(b); !errors.Is(err, gone) {
		t.Errorf("error is %v", err)
	}
	if time.Since(start) > 10*time.Second {
		t.Error("the plugin was not killed")
	}
	// The next request starts it again.
	p.file("hang", "")
	if err := together(t, c, 1); err != nil {
		t.Error(err)
	}
	if n, _ := p.runs(); n != 2 {
		t.Errorf("the plugin ran %d times", n)
	}
}

// A hook decides which program may run, and an explicit token takes precedence.
func TestPluginIsNotRun(t *testing.T) {
	p := newProgram(t, answerV1(`{"token":"t"}`))
	x := p.exec()
	full, err := filepath.EvalSymlinks(x.Command)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(full)+string(os.PathListSeparator)+os.Getenv("PATH"))
	x.Command = filepath.Base(full)
	refused := errors.New("not on the list")
	var mu sync.Mutex
	var asked []string
	c, err := rest.New(kubeconfig.Config{Server: "http://localhost:1", Exec: x}, rest.Options{AllowExec: func(path string) error {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, path)
		return refused
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := together(t, c, 1); !errors.Is(err, refused) {
		t.Errorf("error is %v", err)
	}
	if d := cmp.Diff([]string{full}, asked); d != "" {
		t.Error(d)
	}
	c = serve(t, &doorman{counts: "own"}, kubeconfig.Config{Token: "own", Exec: p.exec()})
	if err := together(t, c, 1); err != nil {
		t.Error(err)
	}
	if n, _ := p.runs(); n != 0 {
		t.Errorf("the plugin ran %d times", n)
	}
}

// If a plugin prints a certificate after it had printed a token, the second try does not carry the
// refused token.
func TestPluginGivesUpItsToken(t *testing.T) {
	t.Parallel()
	cert, key := newAuthority(t).client(t, "web")
	raw, err := json.Marshal(map[string]string{"clientCertificateData": string(cert), "clientKeyData": string(key)})
	if err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, answerV1(`{"token":"old"}`))
	d := &doorman{counts: "old"}
	c := serve(t, d, kubeconfig.Config{Exec: p.exec()})
	if err := together(t, c, 1); err != nil {
		t.Fatal(err)
	}
	p.says(answerV1(string(raw)))
	d.mu.Lock()
	d.counts, d.seen = "none", nil
	d.mu.Unlock()
	if err := together(t, c, 1); !errors.Is(err, rest.ErrUnauthorized) {
		t.Errorf("error is %v", err)
	}
	if diff := cmp.Diff([]string{"old", ""}, d.seen); diff != "" {
		t.Error(diff)
	}
}
