package rest_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// roundTrip is a function as a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Whatever a server answers, no request goes to another path, and each resource is found by its
// names unless another one has the same name.
func FuzzDiscovery(f *testing.F) {
	for _, a := range usual() {
		f.Add(true, []byte(a.body))
	}
	f.Add(true, []byte(`{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"a/../b"},"versions":[{"version":"v1","freshness":"Stale"}]}]}`))
	f.Add(true, []byte(`{"kind":"APIGroupDiscoveryList","items":[{"versions":[{"version":"v1","resources":[{"resource":"x/y","responseKind":{"kind":"X"}},{"resource":"z"}]}]}]}`))
	f.Add(false, []byte(`{"kind":"APIVersions","versions":["v1","v2"]}`))
	f.Add(false, []byte(`{"kind":"APIGroupList","groups":[{"name":"a","versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}}]}`))
	f.Add(false, []byte(`{"kind":"APIResourceList","resources":[{"name":"a/b","kind":"B"},{"name":"a","kind":"A"},{"name":"..","kind":"C"}]}`))
	f.Add(false, []byte(`<html>`))
	f.Fuzz(func(t *testing.T, aggregated bool, body []byte) {
		requests := 0
		c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{
			Discovery: true,
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				requests++
				if strings.Contains(r.URL.Path, "//") || strings.Contains(r.URL.Path, "..") {
					t.Errorf("%s is asked for", r.URL)
				}
				resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}
				if aggregated {
					resp.Header.Set("Content-Type", aggregatedType)
				}
				return resp, nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		d, err := one(t, c.Discover(t.Context()))
		if err != nil {
			return
		}
		for _, s := range d.Resources {
			if err := rest.ForKind[rest.Object](c, s.Kind).Endpoint().Err(); err != nil {
				t.Errorf("%+v: %v", s, err)
			}
			if k, err := d.Lookup(s.Kind.String()); err != nil || k.String() != s.Kind.String() {
				t.Errorf("%s is found as %s, %v", s.Kind, k, err)
			}
		}
	})
}
