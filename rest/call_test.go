package rest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// With adds to the options of the client, and does not change the handle that it was called on.
func TestCallOptions(t *testing.T) {
	s := &script{t: t, answers: []answer{
		ok(pod("web", "1")), ok(pod("web", "1")), ok(pod("web", "1")), ok(`{"kind":"Status","apiVersion":"v1","status":"Success"}`), ok(`{"kind":"PodList","items":[{"metadata":{"name":"a"}}]}`),
	}}
	c, stop := inMemory(t, s, kubeconfig.Config{}, rest.Options{Defaults: rest.CallOptions{FieldManager: "client"}})
	defer stop()
	ctx := t.Context()
	pods := rest.For[rest.Object](c, "Pod").In("default")
	dry := pods.With(rest.CallOptions{DryRun: true, FieldManager: "a b", FieldValidation: rest.FieldsStrict})
	web := pods.New("web")
	for _, err := range []error{
		errOf(dry.Create(ctx, web)), errOf(pods.Update(ctx, web)), errOf(dry.Get(ctx, "web")),
		errOf(dry.Delete(ctx, "web", rest.DeleteOptions{})),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	all, err := one(t, dry.DeleteAll(ctx, rest.ListOptions{LabelSelector: "a=b"}, rest.DeleteOptions{Propagation: rest.Orphan}))
	if err != nil || len(all.Items) != 1 || all.Items[0].Name() != "a" || all.Items[0].Kind() != "Pod" {
		t.Errorf("got %+v, %v", all, err)
	}
	const path, body = "/api/v1/namespaces/default/pods", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default"}}`
	want := []call{
		{"POST", path + "?dryRun=All&fieldManager=a+b&fieldValidation=Strict", "application/json", body},
		{"PUT", path + "/web?fieldManager=client", "application/json", body},
		{"GET", path + "/web", "", ""},
		{"DELETE", path + "/web", "application/json", `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`},
		{"DELETE", path + "?labelSelector=a%3Db", "application/json", `{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Orphan","dryRun":["All"]}`},
	}
	if d := cmp.Diff(want, s.requests()); d != "" {
		t.Error(d)
	}
}

func TestBadCallOptions(t *testing.T) {
	c, s := scripted(t)
	for _, test := range []struct {
		o    rest.CallOptions
		want string
	}{
		{rest.CallOptions{FieldValidation: "No"}, `field validation "No" is not one of Ignore, Warn, Strict`},
		{rest.CallOptions{FieldManager: strings.Repeat("é", 129)}, "the field manager's name is longer than 128 characters"},
		{rest.CallOptions{MaxObject: -2}, "MaxObject is -2: want bytes, 0 for 32 MiB, or -1 for no limit"},
		{rest.CallOptions{MaxErrorBody: 2 << 20}, "MaxErrorBody is 2097152: want up to 1 MiB, 0 for 8 KiB, or -1 for none"},
		{rest.CallOptions{Retry: stream.Backoff{Jitter: 2}}, "retry: backoff: Jitter is 2: want a fraction up to 1, 0 for 0.2, or -1 for none"},
	} {
		err := errOf(rest.For[Pod](c, "Pod").In("default").With(test.o).Get(t.Context(), "web"))
		if err == nil || err.Error() != "rest: pods: "+test.want {
			t.Errorf("error is %v, want %s", err, test.want)
		}
		if _, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{Defaults: test.o}); err == nil || err.Error() != "rest: new client: "+test.want {
			t.Errorf("error is %v, want %s", err, test.want)
		}
	}
	if n := len(s.requests()); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// Warnings are sent in order, also those of refusals, and nobody has to read them.
func TestWarnings(t *testing.T) {
	warn := map[string]string{"Warning": `299 - "unknown field \"spec.x\"", 299 agent "old" "Mon, 02 Jan 2006 15:04:05 GMT"`}
	refusal := refuse(404, rest.ReasonNotFound, "")
	refusal.header = warn
	c, _ := scripted(t, answer{200, warn, pod("web", "1")}, refusal, answer{200, warn, pod("web", "1")})
	warnings := make(chan rest.Warning, 4)
	pods := rest.For[Pod](c, "Pod").In("default").With(rest.CallOptions{Warnings: warnings})
	for range 3 { // nobody reads after the second time, and nothing blocks
		<-pods.Get(t.Context(), "web")
	}
	first := rest.Warning{Op: "get", Resource: "pods", Object: "default/web", Code: 299, Agent: "-", Text: `unknown field "spec.x"`}
	second := rest.Warning{
		Op: "get", Resource: "pods", Object: "default/web", Code: 299, Agent: "agent", Text: "old",
		Date: time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC),
	}
	got := make([]rest.Warning, 0, 4)
	for range 4 {
		got = append(got, <-warnings)
	}
	if d := cmp.Diff([]rest.Warning{first, second, first, second}, got); d != "" {
		t.Error(d)
	}
	if len(warnings) > 0 {
		t.Errorf("%v is too much", <-warnings)
	}
}

func TestParseWarnings(t *testing.T) {
	for in, want := range map[string][]string{
		`299 - "a"`:                     {"a"},
		`299 - "a, \"b\" \\",299 - "c"`: {`a, "b" \`, "c"},
		`, 299 - "a" ,`:                 {"a"},
		`299 - "a" x, 299 - "b"`:        nil,
		`299 - "a`:                      nil,
		`299 - "a\`:                     nil,
		`299 -`:                         nil,
		`99 - "a"`:                      nil,
		`2999 - "a"`:                    nil,
		`299 - a`:                       nil,
		`299 - "a" "no date"`:           {"a"},
		``:                              nil,
	} {
		got := make([]string, 0, 2)
		for _, w := range rest.ParseWarnings(http.Header{"Warning": {in}}) {
			got = append(got, w.Text)
		}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: %s", in, d)
		}
	}
}

// An answer may have several headers, and a header several warnings.
func TestParseWarningsInOrder(t *testing.T) {
	got := rest.ParseWarnings(http.Header{"Warning": {
		`299 - "unknown field \"spec.replica\""`,
		`299 kube-apiserver "v1 Endpoints is deprecated", 299 - "and this is another one"`,
	}})
	want := []rest.Warning{
		{Code: 299, Agent: "-", Text: `unknown field "spec.replica"`},
		{Code: 299, Agent: "kube-apiserver", Text: "v1 Endpoints is deprecated"},
		{Code: 299, Agent: "-", Text: "and this is another one"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func FuzzParseWarnings(f *testing.F) {
	f.Add(`299 - "a, \"b\" \\" "Mon, 02 Jan 2006 15:04:05 GMT", 299 - "c"`)
	f.Add(`299 - "\`)
	f.Fuzz(func(t *testing.T, v string) {
		for _, w := range rest.ParseWarnings(http.Header{"Warning": {v}}) {
			if w.Code < 100 || w.Code > 999 || w.Agent == "" || len(w.Text) > len(v) {
				t.Errorf("%q gives %+v", v, w)
			}
		}
	})
}

// Wrappers of the transport see every request, but no credentials.
func TestWrap(t *testing.T) {
	s := &script{t: t, answers: []answer{ok(pod("web", "1")), ok("{}")}}
	var seen []string
	o := rest.Options{Wrap: func(next http.RoundTripper) http.RoundTripper {
		return tripperFunc(func(r *http.Request) (*http.Response, error) {
			seen = append(seen, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
			return next.RoundTrip(r)
		})
	}}
	c, stop := inMemory(t, s, kubeconfig.Config{Token: "secret"}, o)
	defer stop()
	if err := errOf(rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web")); err != nil {
		t.Error(err)
	}
	if err := errOf(c.Do(t.Context(), rest.Request{Path: "/version"})); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff([]string{"GET /api/v1/namespaces/default/pods/web ", "GET /version "}, seen); d != "" {
		t.Error(d)
	}
	o.Wrap = func(http.RoundTripper) http.RoundTripper { return nil }
	if _, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, o); err == nil {
		t.Error("a transport that is nil is taken")
	}
}

type tripperFunc func(*http.Request) (*http.Response, error)

func (f tripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
