package watch_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// A refusal that looks permanent says which request it met; what may pass by itself does not. The
// watch goes on either way.
func TestRefusal(t *testing.T) {
	for _, c := range []struct {
		name      string
		answer    *reply
		permanent bool
	}{
		{"401", refuse(http.StatusUnauthorized, "Unauthorized", "no"), true},
		{"403", refuse(http.StatusForbidden, "Forbidden", "no"), true},
		{"403 without a Status", &reply{code: http.StatusForbidden, pieces: []any{"no"}}, true},
		{"404", refuse(http.StatusNotFound, "NotFound", "no"), true},
		{"405", refuse(http.StatusMethodNotAllowed, "MethodNotAllowed", "no"), true},
		{"422", refuse(http.StatusUnprocessableEntity, "Invalid", "no"), true},
		{"410", refuse(http.StatusGone, "Expired", "no"), false},
		{"429", refuse(http.StatusTooManyRequests, "TooManyRequests", "no"), false},
		{"500", refuse(http.StatusInternalServerError, "InternalError", "no"), false},
		{"503", refuse(http.StatusServiceUnavailable, "ServiceUnavailable", "no"), false},
		{"504, behind", refuse(http.StatusGatewayTimeout, "Timeout", "Too large resource version: 5, current: 3"), false},
		{"no connection", &reply{pieces: []any{errReset}}, false},
		{"an ERROR event", streams(failure(http.StatusForbidden, "Forbidden", "no")), false},
	} {
		for _, verb := range []string{"list", "watch", "streamed list"} {
			if verb == "list" && c.name == "an ERROR event" || verb == "streamed list" && c.name == "422" || verb == "watch" && c.name == "410" {
				continue // no such thing, no failure, or one that a list follows
			}
			want := &watch.Refusal{Verb: "watch", Resource: "pods", Namespace: "default", Name: "a", Code: c.answer.code}
			if verb == "list" {
				want.Verb = "list"
			}
			if !c.permanent {
				want = nil
			}
			t.Run(verb+" "+c.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { refusedOnce(t, c.answer, verb, want) })
			})
		}
	}
}

// refusedOnce refuses the first list or watch, and compares the first failure.
func refusedOnce(t *testing.T, answer *reply, verb string, want *watch.Refusal) {
	t.Helper()
	refused := false
	s := &answers{answer: func(r *http.Request) *reply {
		watches, streamed := r.URL.Query().Has("watch"), r.URL.Query().Has("sendInitialEvents")
		switch {
		case !refused && watches == (verb != "list"):
			refused = true
			again := *answer
			return &again
		case streamed:
			return streams("END @5", hour)
		case watches:
			return streams(hour)
		}
		return page("5", "", "a@4")
	}}
	o := watch.Options{Name: "a", Backoff: exact, PageSize: 500}
	if verb == "streamed list" {
		o.PageSize = 0
	}
	for ev := range watch.Events(t.Context(), s.pods(t), o) {
		if ev.Type != watch.WatchFailed {
			continue
		}
		e := attempt(t, ev)
		if d := cmp.Diff(want, e.Refusal); d != "" || errors.Is(ev.Err, watch.ErrRefused) != (want != nil) {
			t.Errorf("%s: matches ErrRefused: %v (-want +got)\n%s", line(ev), errors.Is(ev.Err, watch.ErrRefused), d)
		}
		break
	}
}

// Without a right, the watch says which one, and it is back once the right is granted.
func TestRefusalUntilARightIsGranted(t *testing.T) {
	for missing, verbs := range map[string][]any{"list": {"watch"}, "watch": {"list"}} {
		t.Run(missing, func(t *testing.T) {
			role := rest.Object{
				"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": map[string]any{"name": "reader", "namespace": "default"},
				"rules": []any{map[string]any{"verbs": verbs, "apiGroups": []any{""}, "resources": []any{"configmaps"}}},
			}
			binding := rest.Object{
				"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": map[string]any{"name": "reader", "namespace": "default"},
				"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
				"subjects": []any{map[string]any{"kind": "User", "name": "jane", "apiGroup": "rbac.authorization.k8s.io"}},
			}
			bubble(t, fakeapi.Options{RBAC: true, Objects: []any{role, binding}}, func(t *testing.T, s *fakeapi.Server) {
				cfg := s.Config()
				cfg.Impersonate.User = "jane"
				client, err := rest.New(cfg, rest.Options{Dial: s.Dial, UnencryptedHTTP2: true})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(client.CloseIdle)
				jane := rest.For[rest.Object](client, "ConfigMap").In("default")
				events := watch.Events(t.Context(), jane, watch.Options{PageSize: 500, Backoff: exact})
				if missing == "watch" {
					expect(t, events, "SYNCED")
				}
				ev := <-events
				want := &watch.Refusal{Verb: missing, Resource: "configmaps", Namespace: "default", Code: http.StatusForbidden}
				if d := cmp.Diff(want, attempt(t, ev).Refusal); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
				must(t)(s.Merge("Role", "default", "reader", `{"rules":[{"verbs":["list","watch"],"apiGroups":[""],"resources":["configmaps"]}]}`))
				time.Sleep(time.Minute)
				if ev := <-events; ev.Type != watch.Recovered {
					t.Errorf("got %s", line(ev))
				}
			})
		})
	}
}
