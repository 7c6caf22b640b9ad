package library

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// impersonating returns a client that acts as another user.
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

// A client that acts as another user has that user's rights, from the moment they are granted.
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
			t.Fatalf("the watch reports %v, %v", ev.Type, ev.Err)
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
			t.Errorf("the watch reports %v", ev)
		}
		await(t, "get", hers.Get(ctx, "a"))
		_ = refused(t, "delete", rest.ErrForbidden, hers.Delete(ctx, "a", rest.DeleteOptions{}))
	})
}

// One object is listed and watched by name, by a user whose role is restricted to that name.
func TestOneObject(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		const namespace = "one-object"
		r, ctx := maps(t, s, namespace), t.Context()
		await(t, "create", r.Create(ctx, object("a", "1")))
		await(t, "create", r.Create(ctx, object("b", "1")))
		roles := rest.For[rest.Object](r.Endpoint().Client(), "Role").In(namespace)
		await(t, "role", roles.Create(ctx, &rest.Object{
			"metadata": map[string]any{"name": "reader-of-a"},
			"rules": []any{map[string]any{
				"verbs": []string{"list", "watch"}, "apiGroups": []string{""}, "resources": []string{"configmaps"}, "resourceNames": []string{"a"},
			}},
		}))
		bindings := rest.For[rest.Object](r.Endpoint().Client(), "RoleBinding").In(namespace)
		await(t, "binding", bindings.Create(ctx, &rest.Object{
			"metadata": map[string]any{"name": "reader-of-a"}, "roleRef": map[string]any{"kind": "Role", "name": "reader-of-a"},
			"subjects": []any{map[string]any{"kind": "User", "name": "joe"}},
		}))
		joe := impersonating(t, s, conformance.AdminToken, kubeconfig.Impersonate{User: "joe"})
		his := rest.For[rest.Object](joe, "ConfigMap").In(namespace)
		patient := stream.Backoff{Initial: 20 * time.Millisecond, Max: 100 * time.Millisecond} // until the role is known
		for _, size := range []int{0, 500} {                                                   // streamed, and in pages
			events := watch.Events(ctx, his, watch.Options{Name: "a", PageSize: size, Backoff: patient})
			if ev := until(t, events, watch.Added); ev.Key.Name != "a" {
				t.Errorf("the watch tells %v", ev)
			}
			until(t, events, watch.Synced)
			await(t, "patch", r.Patch(ctx, "b", rest.MergePatch(map[string]any{"data": map[string]any{"v": fmt.Sprint("size ", size)}})))
			await(t, "patch", r.Patch(ctx, "a", rest.MergePatch(map[string]any{"data": map[string]any{"v": fmt.Sprint("size ", size)}})))
			if ev := <-events; ev.Type != watch.Modified || ev.Key.Name != "a" {
				t.Errorf("the watch tells %v", ev)
			}
		}
		if list := await(t, "list", his.List(ctx, rest.ListOptions{Name: "a"})); len(list.Items) != 1 || list.Items[0].Name() != "a" {
			t.Errorf("the list has %v", list.Items)
		}
		_ = refused(t, "list of another", rest.ErrForbidden, his.List(ctx, rest.ListOptions{Name: "b"}))
		_ = refused(t, "list of all", rest.ErrForbidden, his.List(ctx, rest.ListOptions{}))
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
