package rest_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
)

// A group that does not answer does not affect the others. Using it fails with its own error: it is
// not reported as unknown, and no other group with the same kind is used instead.
func TestBrokenAggregatedAPI(t *testing.T) {
	broken := answer{code: 503, header: map[string]string{"Content-Type": "text/plain"}, body: "service unavailable\n"}
	mine := `{"kind":"APIResourceList","resources":[{"name":"nodes","kind":"NodeMetrics"},{"name":"widgets","kind":"Widget","namespaced":true}]}`
	for name, answers := range map[string]map[string]answer{
		"legacy": {
			"/api": ok(`{"kind":"APIVersions","versions":["v1"]}`),
			"/apis": ok(`{"kind":"APIGroupList","groups":[{"name":"apps","versions":[{"version":"v1"}]},` +
				`{"name":"metrics.k8s.io","versions":[{"version":"v1beta1"}]},{"name":"my.io","versions":[{"version":"v1"}]}]}`),
			"/api/v1":        ok(`{"kind":"APIResourceList","resources":[{"name":"pods","kind":"Pod","namespaced":true}]}`),
			"/apis/apps/v1":  ok(`{"kind":"APIResourceList","resources":[{"name":"deployments","kind":"Deployment","namespaced":true}]}`),
			"/apis/my.io/v1": ok(mine),
		},
		"aggregated": {
			"/api": group("", item("", "v1:"+served("Pod", "pods", "po"))),
			"/apis": group("", item("apps", "v1:"+served("Deployment", "deployments", "deploy")), item("metrics.k8s.io", "Stale v1beta1"),
				item("my.io", "v1:"+served("NodeMetrics", "nodes", "nm")+","+served("Widget", "widgets", "wd"))),
		},
		"aggregated, and still told": {
			"/api": group("", item("", "v1:"+served("Pod", "pods", "po"))),
			"/apis": group("", item("apps", "v1:"+served("Deployment", "deployments", "deploy")),
				item("metrics.k8s.io", "Stale v1beta1:"+served("NodeMetrics", "nodes", "nm")), item("my.io", "v1:"+served("Widget", "widgets", "wd"))),
		},
	} {
		t.Run(name, func(t *testing.T) {
			discovering(t, answers, func(t *testing.T, s *apiServer, c *rest.Client) {
				s.put(map[string]answer{"/apis/metrics.k8s.io/v1beta1": broken, "/apis/metrics.k8s.io/v1beta1/nodes": broken})
				d, err := one(t, c.Discover(t.Context()))
				if err != nil || len(d.Failures) != 1 || d.Failures[0].Group != "metrics.k8s.io" {
					t.Fatalf("%v, failures: %q", err, failuresOf(d))
				}
				if k, err := one(t, c.Resolve(t.Context(), "Widget")); err != nil || k.String() != "my.io/v1/Widget" {
					t.Error(k, err)
				}
				_, err = one(t, rest.For[Pod](c, "metrics.k8s.io/v1beta1/NodeMetrics").List(t.Context(), rest.ListOptions{}))
				if !errors.Is(err, rest.ErrServiceUnavailable) || errors.Is(err, rest.ErrUnknownKind) {
					t.Errorf("the broken one gives %v", err)
				}
				for _, line := range s.asked() {
					if line == "GET /apis/my.io/v1/nodes?limit=500" {
						t.Error("another group was asked instead")
					}
				}
			})
		})
	}
}

// The kinds of a group that breaks later are not replaced by those of another group.
func TestBrokenGroupKeepsItsKinds(t *testing.T) {
	discovering(t, map[string]answer{
		"/api":  group("", item("", "v1:"+served("Pod", "pods", "po"))),
		"/apis": group("", item("metrics.k8s.io", "v1beta1:"+served("NodeMetrics", "nodes", "nm"))),
	}, func(t *testing.T, s *apiServer, c *rest.Client) {
		_, _ = one(t, c.Discover(t.Context()))
		s.put(map[string]answer{"/apis": group("", item("metrics.k8s.io", "Stale v1beta1"), item("my.io", "v1:"+served("NodeMetrics", "nodes", "nm")))})
		d, err := one(t, c.Discover(t.Context()))
		want := []string{"v1/Pod pods", "metrics.k8s.io/v1beta1/NodeMetrics nodes stale", "my.io/v1/NodeMetrics nodes"}
		if diff := cmp.Diff(want, kindsOf(d)); diff != "" || err != nil {
			t.Error(err, diff)
		}
		if diff := cmp.Diff([]string{"metrics.k8s.io/v1beta1: stale: the aggregated server does not answer"}, failuresOf(d)); diff != "" {
			t.Error(diff)
		}
		_, err = one(t, c.Resolve(t.Context(), "NodeMetrics"))
		if got, want := errText(err), `rest: several groups have kind "NodeMetrics": use one of my.io/v1/NodeMetrics, metrics.k8s.io/v1beta1/NodeMetrics`; got != want {
			t.Errorf("error is\n\t%s, want\n\t%s", got, want)
		}
		// While a group is broken, a bare name cannot be reported as unknown.
		s.put(map[string]answer{"/apis": group("", item("new.example", "Stale v1"), item("my.io", "v1:"+served("Widget", "widgets", "wd")))})
		_, err = one(t, c.Resolve(t.Context(), "Else"))
		if got, want := errText(err), `rest: kind "Else" was not found, but not every group could be read: new.example/v1: stale: the aggregated server does not answer`; got != want || errors.Is(err, rest.ErrUnknownKind) || !errors.Is(err, rest.ErrStale) {
			t.Errorf("error is\n\t%s, want\n\t%s", got, want)
		}
	})
}
