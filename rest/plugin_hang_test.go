package rest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// The error of a request that has waited for a plugin names it, and says what the plugin says, for
// each of those who wait.
func TestPluginThatHangsIsNamed(t *testing.T) {
	t.Parallel()
	x := &kubeconfig.Exec{
		APIVersion: kubeconfig.ExecV1, Command: "/bin/sh", Interactive: kubeconfig.InteractiveNever,
		Args: []string{"-c", `echo "log in as $OWN" >&2; exec sleep 60`},
		Env:  []kubeconfig.EnvVar{{Name: "OWN", Value: secret}},
	}
	c := serve(t, &doorman{}, kubeconfig.Config{Exec: x})
	gone := errors.New("gone")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 500*time.Millisecond, gone)
	defer cancel()
	pods := rest.For[Pod](c, "Pod").In("default")
	first, second := pods.Get(ctx, "web"), pods.Get(ctx, "web")
	began := time.Now()
	for _, err := range []error{errOf(first), errOf(second)} {
		want := `get pods default/web: credential plugin "/bin/sh": it has not ended: gone: log in as [redacted]`
		if !errors.Is(err, gone) || err.Error() != want {
			t.Errorf("the error is\n\t%v, want\n\t%s", err, want)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it takes %v", took)
	}
}

// A plugin that hangs after a 401 delays the request no longer than its context.
func TestPluginThatHangsAfterARefusal(t *testing.T) {
	t.Parallel()
	p := newProgram(t, answerV1(`{"token":"t"}`))
	d := &doorman{}
	c := serve(t, d, kubeconfig.Config{Exec: p.exec()})
	if err := together(t, c, 1); err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	d.counts = "another"
	d.mu.Unlock()
	p.file("hang", "yes")
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	err := errOf(rest.For[Pod](c, "Pod").In("default").Get(ctx, "web"))
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "credential plugin ") {
		t.Errorf("the error is %v", err)
	}
}

// Whatever the server and the plugin do, the plugin does not run in a hot loop, and requests are
// answered without it in the meantime.
func TestPluginIsNotRunInAHotLoop(t *testing.T) {
	t.Parallel()
	// One run for the first request, and what refusals or failures may lead to at once; then one in
	// each interval.
	const refused, failed = 1 + 3, 1 + 10
	for name, test := range map[string]struct {
		answer string
		fails  bool
		flaps  bool // every other answer is not a refusal
		most   int
		every  time.Duration
		want   error
	}{
		"refused":              {answer: `{"token":"t"}`, most: refused, every: 10 * time.Second, want: rest.ErrUnauthorized},
		"always another token": {answer: `{"token":"t%n"}`, most: refused, every: 10 * time.Second, want: rest.ErrUnauthorized},
		"now and then":         {answer: `{"token":"t%n"}`, flaps: true, most: refused, every: 10 * time.Second},
		"already expired":      {answer: `{"token":"t","expirationTimestamp":"2001-02-03T04:05:06Z"}`, most: failed, every: time.Second, want: rest.ErrUnauthorized},
		"fails":                {fails: true, most: failed, every: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, answerV1(test.answer))
			if test.fails {
				p.says("")
				p.file("fail", "yes")
			}
			var mu sync.Mutex
			n := 0
			c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if n++; test.flaps && n%2 == 0 {
					_, _ = w.Write([]byte(pod("web", "1")))
					return
				}
				w.WriteHeader(http.StatusUnauthorized)
			}), kubeconfig.Config{Exec: p.exec()})
			var err error
			began := time.Now()
			for range 20 {
				err = together(t, c, 10)
			}
			took := time.Since(began)
			if runs, _ := p.runs(); runs > test.most+int(took/test.every) {
				t.Errorf("the plugin ran %d times in %v, want at most %d and one each %v", runs, took, test.most, test.every)
			}
			if test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("the last error is %v", err)
			}
			if test.fails && !strings.Contains(errText(err), "exit status 3 (it has failed too often to run again at once)") {
				t.Errorf("the last error is %v", err)
			}
		})
	}
}
