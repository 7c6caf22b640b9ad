package library

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// What a client says of the user that it acts as arrives as it was said, whatever characters are in
// it.
func TestImpersonatedExtra(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		extra := map[string][]string{
			"remoteAddr": {"10.0.0.1"}, "example.com/Scopes": {"a", "B"}, "lower": {"x"}, "100%": {"y"}, "Ünï côdé": {"ü"}, "a=b,c;d": {"{}"},
		}
		jane := impersonating(t, s, conformance.AdminToken, kubeconfig.Impersonate{User: "Jane Doe", Groups: []string{"A", "b c"}, Extra: extra})
		review := await(t, "review", rest.For[rest.Object](jane, "SelfSubjectReview").Create(t.Context(), &rest.Object{"metadata": map[string]any{}}))
		got := map[string][]string{}
		for key := range review.Map("status", "userInfo", "extra") {
			for _, v := range review.Slice("status", "userInfo", "extra", key) {
				got[key] = append(got[key], v.(string))
			}
		}
		if d := cmp.Diff(extra, got); d != "" || review.String("status", "userInfo", "username") != "Jane Doe" {
			t.Errorf("%v (-said +arrived)\n%s", review.Map("status", "userInfo"), d)
		}
	})
}
