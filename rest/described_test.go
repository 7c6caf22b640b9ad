package rest_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// A server without aggregated discovery decides how many requests a reading takes: one for each
// version, once, up to a bound.
func TestDescribedVersionsHaveABound(t *testing.T) {
	group := func(name string, n int, version func(i int) string) string {
		versions := make([]string, n)
		for i := range versions {
			versions[i] = fmt.Sprintf(`{"version":%q}`, version(i))
		}
		return fmt.Sprintf(`{"name":%q,"versions":[%s],"preferredVersion":{"version":"v0"}}`, name, strings.Join(versions, ","))
	}
	each := func(i int) string { return fmt.Sprint("v", i) }
	for name, test := range map[string]struct {
		groups string
		asks   int64
		want   error
	}{
		"as many as allowed":    {group("example.com", 2000, each), 2000, nil},
		"one more":              {group("example.com", 2001, each), 0, rest.ErrAnswer},
		"in many groups":        {group("a.com", 1500, each) + "," + group("b.com", 1500, each), 0, rest.ErrAnswer},
		"one version, repeated": {group("example.com", 5000, func(int) string { return "v0" }), 1, nil},
		"one group, repeated":   {group("example.com", 9, each) + "," + group("example.com", 9, each), 9, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{Discovery: true, Transport: sends(func(r *http.Request) (*http.Response, error) {
				body := `{"kind":"APIResourceList","resources":[]}`
				switch r.URL.Path {
				case "/api":
					body = `{"kind":"APIVersions","versions":[]}`
				case "/apis":
					body = `{"kind":"APIGroupList","groups":[` + test.groups + `]}`
				default:
					asked.Add(1)
				}
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			_, err = stream.Await(c.Discover(t.Context()))
			if (err == nil) != (test.want == nil) || test.want != nil && !errors.Is(err, test.want) || asked.Load() != test.asks {
				t.Errorf("%d versions were asked for, want %d; error: %v", asked.Load(), test.asks, err)
			}
		})
	}
}
