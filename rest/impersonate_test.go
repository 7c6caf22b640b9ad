package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// Every request impersonates the configured user, unless it has its own headers.
func TestImpersonation(t *testing.T) {
	h := &headers{}
	c := serve(t, h, kubeconfig.Config{Token: "t", Impersonate: kubeconfig.Impersonate{
		User: "jane", UID: "42", Groups: []string{"dev", "ops"},
		Extra: map[string][]string{"example.org/scopes": {"a", "b"}, "50%": {"x"}, "remoteAddr": {"größer"}, "Ä b": {"y"}},
	}})
	if err := errOf(rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web")); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.Server()+"/version", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Impersonate-User", "own")
	resp, err := c.RoundTripper().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	only := func(h http.Header) http.Header {
		out := http.Header{}
		for k, v := range h {
			if strings.HasPrefix(k, "Impersonate-") {
				out[k] = v
			}
		}
		return out
	}
	want := http.Header{
		"Impersonate-User": {"jane"}, "Impersonate-Uid": {"42"}, "Impersonate-Group": {"dev", "ops"},
		"Impersonate-Extra-Example.org%2fscopes": {"a", "b"}, "Impersonate-Extra-50%25": {"x"},
		"Impersonate-Extra-Remote%41ddr": {"größer"}, "Impersonate-Extra-%c3%84%20b": {"y"},
	}
	if d := cmp.Diff(want, only(h.seen[0])); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(http.Header{"Impersonate-User": {"own"}}, only(h.seen[1])); d != "" {
		t.Error(d)
	}
	_, err = rest.New(kubeconfig.Config{Server: "https://x", Impersonate: kubeconfig.Impersonate{Groups: []string{"x"}}}, rest.Options{})
	if err == nil {
		t.Error("groups without a user are let through")
	}
}
