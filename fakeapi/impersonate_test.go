package fakeapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews"

// who returns the user that a request is taken to come from, or the refusal.
func who(t *testing.T, c *http.Client, header ...string) string {
	t.Helper()
	a := do(t, c, "POST", whoAmI, `{}`, append([]string{"Content-Type", "application/json"}, header...)...)
	o, err := rest.Decode[rest.Object]([]byte(a.Body))
	if err != nil {
		t.Fatal(err)
	}
	if a.Code != http.StatusCreated {
		return o.String("message")
	}
	u := rest.Object(o.Map("status", "userInfo"))
	out := []string{u.String("username")}
	for _, g := range u.Slice("groups") {
		if g != "system:authenticated" {
			out = append(out, g.(string))
		}
	}
	if uid := u.String("uid"); uid != "" {
		out = append(out, "uid="+uid)
	}
	for k, v := range u.Map("extra") {
		for _, e := range v.([]any) {
			out = append(out, k+"="+e.(string))
		}
	}
	slices.Sort(out[1:])
	return strings.Join(out, " ")
}

// Users who may do everything may act as anybody.
func TestImpersonate(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
		for _, test := range []struct{ want, headers string }{
			{"admin system:masters", ""},
			{"jane", "Impersonate-User jane"},
			{"jane a uid=u", "Impersonate-User jane Impersonate-Group a Impersonate-Uid u"},
			{"jane example.org/x=v plain=w", "Impersonate-User jane Impersonate-Extra-Example.org%2Fx v Impersonate-Extra-Plain w"},
			{"system:serviceaccount:a:b system:serviceaccounts system:serviceaccounts:a", "Impersonate-User system:serviceaccount:a:b"},
			{"system:serviceaccount:a:b c", "Impersonate-User system:serviceaccount:a:b Impersonate-Group c"},
			{"system:serviceaccount:a", "Impersonate-User system:serviceaccount:a"},
			{
				`requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)} without impersonating a user name`,
				"Impersonate-Group a",
			},
			{`User "system:anonymous" cannot create`, "Impersonate-User system:anonymous"},
		} {
			if got := who(t, c, strings.Fields(test.headers)...); got != test.want && !strings.Contains(got, test.want) {
				t.Errorf("%s: got %s, want %s", test.headers, got, test.want)
			}
		}
	})
}

// The agent of a node may act as that node, if its rights allow it.
func TestImpersonateOwnNode(t *testing.T) {
	const agent = "system:serviceaccount:default:agent"
	o := fakeapi.Options{
		Tokens: map[string]string{"t": agent, "u": "system:serviceaccount:default:other"},
		Users: []fakeapi.User{
			{Name: agent, Extra: map[string][]string{"authentication.kubernetes.io/node-name": {"n1"}}},
			{Name: "system:serviceaccount:default:other", Extra: map[string][]string{"authentication.kubernetes.io/node-name": {"n1"}}},
		},
		RBAC: true,
		Objects: []any{
			role("ClusterRole", "", "agent", rule([]string{"impersonate:associated-node"}, []string{"authentication.k8s.io"}, []string{"nodes"}),
				rule([]string{"impersonate-on:associated-node:create"}, []string{"authentication.k8s.io"}, []string{"selfsubjectreviews"})),
			bind("", "ClusterRole/agent", "ServiceAccount/default/agent"),
		},
	}
	bubble(t, o, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
		as := func(token, node string) string {
			return who(t, c, "Authorization", "Bearer "+token, "Impersonate-User", "system:node:"+node)
		}
		got := []string{as("t", "n1"), as("t", "n2"), as("u", "n1")}
		refused := func(user, mode string) string {
			return `selfsubjectreviews.authentication.k8s.io is forbidden: User "system:serviceaccount:default:` + user + `" cannot impersonate-on:` + mode + `:create ` +
				`resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope`
		}
		want := []string{"system:node:n1 system:nodes", refused("agent", "arbitrary-node"), refused("other", "associated-node")}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// The token of a service account carries its groups as well.
func TestImpersonateToken(t *testing.T) {
	o := fakeapi.Options{
		Tokens:  map[string]string{"t": "admin"},
		Objects: []any{rest.Object{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": "a"}}},
	}
	bubble(t, o, func(t *testing.T, s *fakeapi.Server, c *http.Client) {
		made := do(t, c, "POST", "/api/v1/namespaces/default/serviceaccounts/a/token", `{}`, "Authorization", "Bearer t", "Content-Type", "application/json")
		token, err := rest.Decode[rest.Object]([]byte(made.Body))
		if err != nil {
			t.Fatal(err)
		}
		account, err := s.Get("ServiceAccount", "default", "a")
		if err != nil {
			t.Fatal(err)
		}
		got := who(t, c, "Authorization", "Bearer "+token.String("status", "token"))
		before, id, _ := strings.Cut(got, "JTI=")
		want := "system:serviceaccount:default:a authentication.kubernetes.io/credential-id="
		after := strings.Fields(id)
		if before != want || len(after) != 4 || strings.Join(after[1:], " ") != "system:serviceaccounts system:serviceaccounts:default uid="+account.UID() {
			t.Errorf("got %s", got)
		}
	})
}
