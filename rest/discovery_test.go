package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// kindsOf returns the full names and plurals of the served kinds, with stale ones marked.
func kindsOf(d rest.Discovery) []string {
	out := make([]string, 0, len(d.Resources))
	for _, r := range d.Resources {
		text := r.Kind.String() + " " + r.Kind.Plural
		if r.Stale {
			text += " stale"
		}
		out = append(out, text)
	}
	return out
}

func failuresOf(d rest.Discovery) []string {
	out := make([]string, 0, len(d.Failures))
	for _, f := range d.Failures {
		out = append(out, f.Error())
	}
	return out
}

func TestDiscover(t *testing.T) {
	discovering(t, usual(), func(t *testing.T, s *apiServer, c *rest.Client) {
		first, err := one(t, c.Discover(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		want := rest.Served{
			Kind:     rest.Kind{Group: "apps", Version: "v1", Kind: "Deployment", Plural: "deployments", Namespaced: true},
			Singular: "x", ShortNames: []string{"deploy"}, Subresources: []string{"scale", "status"},
			Verbs: []string{"create", "get", "list", "watch"},
		}
		if d := cmp.Diff(want, first.Resources[3], cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
		if n := len(first.Resources); n != 12 || len(first.Failures) != 0 {
			t.Errorf("%d resources, failures: %q", n, failuresOf(first))
		}
		if d := cmp.Diff([]string{"GET /api", "GET /apis"}, s.asked()); d != "" {
			t.Error(d)
		}
		// The caller owns its copy.
		first.Resources[3].ShortNames[0] = "changed"
		again, err := one(t, c.Discover(t.Context()))
		if err != nil || again.Resources[3].ShortNames[0] != "deploy" {
			t.Errorf("the next one returns %v, %v", again.Resources[3], err)
		}
		if d := cmp.Diff([]string{`GET /api unless "a1"`, `GET /apis unless "b1"`}, s.asked()); d != "" {
			t.Error(d)
		}
		s.put(map[string]answer{"/apis": group(`"b2"`, item("new.example", "v1:"+served("New", "news", "nw")))})
		replaced, err := one(t, c.Discover(t.Context()))
		if d := cmp.Diff([]string{"v1/Pod pods", "v1/Event events", "new.example/v1/New news"}, kindsOf(replaced)); d != "" || err != nil {
			t.Error(err, d)
		}
		if _, err := one(t, c.Resolve(t.Context(), "Widget")); !errors.Is(err, rest.ErrUnknownKind) {
			t.Errorf("what is gone resolves: %v", err)
		}
	})
}

func TestDiscoverIsOff(t *testing.T) {
	c, s := scripted(t)
	d, err := one(t, c.Discover(t.Context()))
	if diff := cmp.Diff(rest.Discovery{}, d); diff != "" || err != nil || len(s.requests()) > 0 {
		t.Errorf("%v, %v, %s", s.requests(), err, diff)
	}
	if _, err := one(t, c.Resolve(t.Context(), "Widget")); errText(err) != `rest: unknown kind "Widget": it is not built in; for a custom resource use ForKind, Options.Kinds or Options.Discovery` {
		t.Error(err)
	}
	if k, err := one(t, c.Resolve(t.Context(), "Pod")); k.Plural != "pods" || err != nil {
		t.Error(k, err)
	}
}

// A server without aggregated discovery is asked for each version.
func TestDiscoverLegacy(t *testing.T) {
	legacy := map[string]answer{
		"/api": ok(`{"kind":"APIVersions","versions":["v1"]}`),
		"/apis": ok(`{"kind":"APIGroupList","groups":[{"name":"example.com","versions":[{"version":"v1"},{"version":"v2"}],` +
			`"preferredVersion":{"version":"v2"}}]}`),
		"/api/v1":              ok(`{"kind":"APIResourceList","resources":[{"name":"pods/log","kind":"Pod"},{"name":"pods","kind":"Pod","namespaced":true,"shortNames":["po"]}]}`),
		"/apis/example.com/v1": ok(`{"kind":"APIResourceList","resources":[{"name":"widgets","kind":"Widget"}]}`),
		"/apis/example.com/v2": ok(`{"kind":"APIResourceList","resources":[{"name":"widgets","kind":"Widget","verbs":["get"]},{"name":"widgets/status","kind":"Widget"}]}`),
	}
	for name, change := range map[string]map[string]answer{
		"plain":            {},
		"406":              {"/api": legacy["/api"]},
		"only /api is new": {"/api": group(`"a1"`, item("", "v1:"+served("Wrong", "wrongs", "")))},
	} {
		t.Run(name, func(t *testing.T) {
			discovering(t, legacy, func(t *testing.T, s *apiServer, c *rest.Client) {
				s.put(change)
				if name == "406" {
					s.refuseAggregated = true
				}
				d, err := one(t, c.Discover(t.Context()))
				want := []string{"v1/Pod pods", "example.com/v2/Widget widgets", "example.com/v1/Widget widgets"}
				if diff := cmp.Diff(want, kindsOf(d)); diff != "" || err != nil {
					t.Fatal(err, diff)
				}
				if diff := cmp.Diff([]string{"log"}, d.Resources[0].Subresources); diff != "" {
					t.Error(diff)
				}
				if w := d.Resources[1]; !slices.Contains(w.Subresources, "status") || w.Kind.Namespaced || !slices.Equal(w.Verbs, []string{"get"}) {
					t.Errorf("the widget is %+v", w)
				}
			})
		})
	}
}

func TestDiscoverRefused(t *testing.T) {
	const page = "<html><body>bad gateway</body></html>"
	for name, test := range map[string]struct {
		path string
		a    answer
		want string
		is   error
	}{
		"401":             {"/api", refuse(401, "Unauthorized", "Unauthorized"), "discover /api: unauthorized (401)", rest.ErrUnauthorized},
		"403":             {"/apis", refuse(403, "Forbidden", "no"), "discover /apis: forbidden (403): no", rest.ErrForbidden},
		"404":             {"/apis", refuse(404, "NotFound", "not found"), "discover /apis: not found (404)", rest.ErrNotFound},
		"500":             {"/apis", refuse(500, "InternalError", "oops"), "discover /apis: internal error (500): oops", rest.ErrInternal},
		"503, plain":      {"/api", answer{code: 503, body: "down"}, "discover /api: service unavailable (503): down", rest.ErrServiceUnavailable},
		"a page":          {"/apis", ok(page), "discover /apis: the answer is not a discovery document: not JSON (200, application/json): <html>", nil},
		"another kind":    {"/api", ok(`{"kind":"PodList"}`), "discover /api: the answer is not a discovery document", nil},
		"a redirect":      {"/api", answer{code: 302, header: map[string]string{"Location": "/login"}}, "discover /api: redirected (302): to http://localhost/login", nil},
		"304 out of turn": {"/api", answer{code: 304}, "discover /api: redirected (304)", nil},
		"a bad name":      {"/apis", group(`"x"`, item("../..", "v1:")), `discover /apis: the answer is not a discovery document: a group or version "../.." contains '/' or '%'`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			discovering(t, usual(), func(t *testing.T, s *apiServer, c *rest.Client) {
				usual := s.answers[test.path]
				s.put(map[string]answer{test.path: test.a})
				_, err := one(t, c.Discover(t.Context()))
				if got := errText(err); !strings.HasPrefix(got, test.want) || test.is != nil && !errors.Is(err, test.is) {
					t.Errorf("error is\n\t%s, want\n\t%s", got, test.want)
				}
				_, err = one(t, rest.For[Pod](c, "Widget").In("a").Get(t.Context(), "x"))
				if got, want := errText(err), `rest: kind "Widget": `+test.want; !strings.HasPrefix(got, want) {
					t.Errorf("error is\n\t%s, want\n\t%s", got, want)
				}
				// After a failure it is requested again, and then kept.
				s.put(map[string]answer{test.path: usual})
				if _, err := one(t, c.Resolve(t.Context(), "Widget")); err != nil {
					t.Error(err)
				}
				s.put(map[string]answer{test.path: test.a})
				_, _ = one(t, c.Discover(t.Context()))
				if _, err := one(t, c.Resolve(t.Context(), "Widget")); err != nil {
					t.Error(err)
				}
			})
		})
	}
	nobody := errors.New("nobody is there")
	c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{
		Discovery: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, nobody },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one(t, c.Discover(t.Context())); !errors.Is(err, nobody) || err.Error() != "discover /api: connecting to localhost: nobody is there" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(nobody)
	if _, err := one(t, c.Discover(ctx)); !errors.Is(err, nobody) {
		t.Error(err)
	}
}

// Callers that arrive while discovery is being read wait for it, and a caller that leaves does not
// disturb the others.
func TestDiscoverIsShared(t *testing.T) {
	discovering(t, usual(), func(t *testing.T, s *apiServer, c *rest.Client) {
		release := make(chan struct{})
		s.hold = func(r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		left := errors.New("left")
		ctx, cancel := context.WithCancelCause(t.Context())
		leaves := c.Discover(ctx)
		synctest.Wait()
		waits := make([]<-chan stream.Result[rest.Kind], 5)
		for i := range waits {
			waits[i] = c.Resolve(t.Context(), "Widget")
		}
		synctest.Wait()
		cancel(left)
		if _, err := one(t, leaves); !errors.Is(err, left) {
			t.Error(err)
		}
		close(release)
		for _, w := range waits {
			if k, err := one(t, w); err != nil || k.Version != "v2" {
				t.Error(k, err)
			}
		}
		if d := cmp.Diff([]string{"GET /api", "GET /apis"}, s.asked()); d != "" {
			t.Error(d)
		}
		// The request ends when the last caller leaves.
		release = make(chan struct{})
		ctx, cancel = context.WithCancelCause(t.Context())
		leaves = c.Discover(ctx)
		synctest.Wait()
		cancel(left)
		_, _ = one(t, leaves)
		close(release)
		if _, err := one(t, c.Discover(t.Context())); err != nil {
			t.Error(err)
		}
		if n := len(s.asked()); n != 3 {
			t.Errorf("%d requests", n)
		}
	})
}

// An answer has a size limit, and the option that raises the limit for objects raises it too.
func TestDiscoveryTooLarge(t *testing.T) {
	for most, want := range map[int64]error{0: rest.ErrTooLarge, 1 << 20: rest.ErrTooLarge, 128 << 20: nil, -1: nil} {
		c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{
			Discovery: true,
			Defaults:  rest.CallOptions{MaxObject: most},
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {aggregatedType}}, Request: r,
					ContentLength: 65 << 20, Body: io.NopCloser(strings.NewReader(usual()[r.URL.Path].body)),
				}, nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := one(t, c.Discover(t.Context())); !errors.Is(err, want) {
			t.Errorf("at %d the error is %v", most, err)
		}
	}
}

// The meaning of names with discovery.
func TestResolve(t *testing.T) {
	for name, want := range map[string]string{
		"Pod":                           "v1/Pod pods",
		"pods":                          "v1/Pod pods",
		"po":                            "v1/Pod pods",
		"ev":                            "v1/Event events",
		"events.events.k8s.io":          "events.k8s.io/v1/Event events",
		"deploy":                        "apps/v1/Deployment deployments",
		"deployments":                   "apps/v1/Deployment deployments",
		"deployments.apps":              "apps/v1/Deployment deployments",
		"deployments.extensions":        "extensions/v1beta1/Deployment deployments",
		"extensions/v1beta1/Deployment": "extensions/v1beta1/Deployment deployments",
		"pods.metrics.k8s.io":           "metrics.k8s.io/v1beta1/PodMetrics pods",
		"Widget":                        "example.com/v2/Widget widgets",
		"widgets":                       "example.com/v2/Widget widgets",
		"example.com/v1/Widget":         "example.com/v1/Widget widgets",
		"Gizmo":                         "example.com/v1/Gizmo gizmos",
		"a.example/v1/Thing":            "a.example/v1/Thing things",
		"stuff":                         "b.example/v1/Thing stuff",
		// This kind is off by default and not served here: the server will refuse the request.
		"Workload": "scheduling.k8s.io/v1beta1/Workload workloads",

		"Thing":                   `rest: several groups have kind "Thing": use one of a.example/v1/Thing, b.example/v1/Thing`,
		"th":                      `rest: several groups have kind "th": use one of a.example/v1/Thing, b.example/v1/Thing`,
		"widget":                  `rest: unknown kind "widget": did you mean "Widget"?`,
		"Nothing":                 `rest: unknown kind "Nothing": the server does not serve it`,
		"":                        `rest: unknown kind "": it is not built in; for a custom resource use ForKind, Options.Kinds or Options.Discovery`,
		"PodList":                 `rest: "PodList" is not a resource; did you mean Pod?`,
		"DeleteOptions":           `rest: "DeleteOptions" is not a resource, but a type used in resources`,
		"example.com/v3/Widget":   `rest: unknown kind "example.com/v3/Widget": known are example.com/v2/Widget, example.com/v1/Widget`,
		"other.example/v1/Widget": `rest: unknown kind "other.example/v1/Widget": known are example.com/v2/Widget, example.com/v1/Widget`,
		"b.example/v2/Thing":      `rest: unknown kind "b.example/v2/Thing": known are a.example/v1/Thing, b.example/v1/Thing`,
		"example.com/v2/widgets":  `rest: unknown kind "example.com/v2/widgets": the server does not serve it`,
	} {
		discovering(t, usual(), func(t *testing.T, s *apiServer, c *rest.Client) {
			k, err := one(t, c.Resolve(t.Context(), name))
			got := errText(err)
			if err == nil {
				got = k.String() + " " + k.Plural
			}
			if got != want {
				t.Errorf("%s is\n\t%s, want\n\t%s", name, got, want)
			}
			_, err = one(t, rest.For[Pod](c, name).List(t.Context(), rest.ListOptions{}))
			if strings.HasPrefix(want, "rest: ") && errText(err) != want {
				t.Errorf("For says\n\t%v, want\n\t%s", err, want)
			}
			read := 0
			for _, line := range s.asked() {
				if strings.HasPrefix(line, "GET /apis unless") || line == "GET /apis" {
					read++
				}
			}
			if read > 2 { // once on first use, and once by For, in case the name is new
				t.Errorf("%s: discovery was read %d times", name, read)
			}
		})
	}
}

// A kind that is installed while the program runs is found: discovery is read again, once for each
// request with an unknown name.
func TestNewKindIsFound(t *testing.T) {
	discovering(t, usual(), func(t *testing.T, s *apiServer, c *rest.Client) {
		news := rest.For[Pod](c, "New")
		_, err := one(t, news.Get(t.Context(), "x"))
		if !errors.Is(err, rest.ErrUnknownKind) || len(s.asked()) != 2 {
			t.Error(err)
		}
		_, err = one(t, news.Get(t.Context(), "x"))
		if !errors.Is(err, rest.ErrUnknownKind) || len(s.asked()) != 2 {
			t.Error(err)
		}
		s.put(map[string]answer{
			"/apis": group(`"b2"`, item("new.example", "v1:"+served("New", "news", "nw"))),
			"/apis/new.example/v1/namespaces/a/news/x": ok(`{"kind":"New","apiVersion":"new.example/v1","metadata":{"name":"x","namespace":"a"}}`),
		})
		if p, err := one(t, news.In("a").Get(t.Context(), "x")); err != nil || p.Metadata.Name != "x" {
			t.Error(p, err)
		}
		if p, err := one(t, news.In("a").Get(t.Context(), "x")); err != nil || p.Metadata.Name != "x" {
			t.Error(p, err)
		}
		const get = "GET /apis/new.example/v1/namespaces/a/news/x"
		want := []string{`GET /api unless "a1"`, `GET /apis unless "b1"`, get, get}
		if d := cmp.Diff(want, s.asked()); d != "" {
			t.Error(d)
		}
	})
}

func ExampleDiscovery_Lookup() {
	d := rest.Discovery{Resources: []rest.Served{{
		Kind:       rest.Kind{Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets"},
		ShortNames: []string{"wd"},
	}}}
	k, err := d.Lookup("wd")
	fmt.Println(k, err)
	// Output: example.com/v1/Widget <nil>
}
