package library

import (
	"errors"
	"testing"
	"time"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// impersonating makes a client that is somebody else.
func impersonating(t *testing.T, s conformance.Server, token string, as kubeconfig.Impersonate) *rest.Client {
	t.Helper()
	config := s.Config()
	config.Token, config.Impersonate = kubeconfig.Secret(token), as
	client, err := rest.New(config, s.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return client
}

// A client that is somebody else has the rights of that one, from the moment that he has them.
func TestImpersonated(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		const namespace = "impersonated"
		r, ctx := maps(t, s, namespace), t.Context()
		await(t, "create", r.Create(ctx, object("a", "1")))
		jane := impersonating(t, s, conformance.AdminToken, kubeconfig.Impersonate{User: "jane", Groups: []string{"library-readers"}})
		hers := rest.For[rest.Object](jane, "ConfigMap").In(namespace)
		_ = refused(t, "get", rest.ErrForbidden, hers.Get(ctx, "a"))
		events := watch.Events(ctx, hers, watch.Options{Backoff: stream.Backoff{Initial: 20 * time.Millisecond, Max: 100 * time.Millisecond}})
		if ev := <-events; ev.Type != watch.WatchFailed || !errors.Is(ev.Err, rest.ErrForbidden) {
			t.Fatalf("the watch tells %v, %v", ev.Type, ev.Err)
		}
		roles := rest.For[rest.Object](r.Endpoint().Client(), "Role").In(namespace)
		await(t, "role", roles.Create(ctx, &rest.Object{
			"metadata": map[string]any{"name": "reader"},
			"rules":    []any{map[string]any{"verbs": []string{"get", "list", "watch"}, "apiGroups": []string{""}, "resources": []string{"configmaps"}}},
		}))
		bindings := rest.For[rest.Object](r.Endpoint().Client(), "RoleBinding").In(namespace)
		await(t, "binding", bindings.Create(ctx, &rest.Object{
			"metadata": map[string]any{"name": "reader"}, "roleRef": map[string]any{"kind": "Role", "name": "reader"},
			"subjects": []any{map[string]any{"kind": "Group", "name": "library-readers"}},
		}))
		if ev := until(t, events, watch.Added); ev.Key.Name != "a" {
			t.Errorf("the watch tells %v", ev)
		}
		await(t, "get", hers.Get(ctx, "a"))
		_ = refused(t, "delete", rest.ErrForbidden, hers.Delete(ctx, "a", rest.DeleteOptions{}))
	})
}

// Who may not be somebody else is told so, and the server takes over all that is asked for.
func TestImpersonation(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		ctx := t.Context()
		as := kubeconfig.Impersonate{User: "jane", UID: "her-uid", Groups: []string{"a", "b"}, Extra: map[string][]string{"example.org/50% of it": {"x"}}}
		review := func(token string) <-chan stream.Result[rest.Response] {
			return impersonating(t, s, token, as).Do(ctx, rest.Request{
				Method: "POST", Path: "/apis/authentication.k8s.io/v1/selfsubjectreviews", Body: []byte("{}"),
			})
		}
		_ = refused(t, "review as nobody", rest.ErrForbidden, review(conformance.NobodyToken))
		got, err := rest.Decode[rest.Object](await(t, "review as admin", review(conformance.AdminToken)).Body)
		if err != nil {
			t.Fatal(err)
		}
		user := rest.Object(got.Map("status", "userInfo"))
		if user.String("username") != "jane" || user.String("uid") != "her-uid" || len(user.Slice("groups")) != 3 || len(user.Slice("extra", "example.org/50% of it")) != 1 {
			t.Errorf("got %v", user)
		}
	})
}
