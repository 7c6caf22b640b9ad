package watch_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// widgets is a kind that only discovery knows.
var widgets = rest.Kind{Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets", Namespaced: true}

const discoveryType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// discoveryOf reports whether a request asks for the groups.
func discoveryOf(r *http.Request) bool { return r.URL.Path == "/apis" }

// noGroups hides all groups once, as if the custom resource were installed later.
func noGroups() fakeapi.Fault {
	return fakeapi.Respond(http.StatusOK, discoveryType, `{"kind":"APIGroupDiscoveryList","items":[]}`).When(discoveryOf)
}

// discovering returns a client with discovery, and creates a widget to watch.
func discovering(t *testing.T, s *fakeapi.Server) *rest.Client {
	t.Helper()
	client, err := rest.New(s.Config(), rest.Options{Dial: s.Dial, Discovery: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	must(t)(s.Create(rest.Object{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w", "namespace": "default"}, "data": map[string]any{"v": "1"},
	}))
	return client
}

// Looking the name up is part of the attempt: its failures are reported, delayed and counted like
// any other.
func TestDiscoveryIsAnAttempt(t *testing.T) {
	bubble(t, fakeapi.Options{Kinds: []rest.Served{{Kind: widgets}}}, func(t *testing.T, s *fakeapi.Server) {
		client := discovering(t, s)
		s.Inject(noGroups(), fakeapi.Refuse(http.StatusForbidden).When(discoveryOf))
		start := time.Now()
		events := watch.Events(t.Context(), rest.For[rest.Object](client, "Widget").In("default"), watch.Options{PageSize: 500, Backoff: exact})
		got := expect(t, events,
			`WATCHFAILED watch Widget failed, retrying in 1s: rest: unknown kind "Widget": the server does not serve it`,
			`WATCHFAILED watch Widget failed, retrying in 2s: rest: kind "Widget": discover /apis: forbidden (403)`,
			"ADDED w=1", "SYNCED",
		)
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("it took %v", d)
		}
		if !errors.Is(got[0].Err, rest.ErrUnknownKind) || attempt(t, got[1]).Status.Code != http.StatusForbidden || attempt(t, got[1]).Attempt != 2 {
			t.Errorf("%v, %v", got[0].Err, got[1].Err)
		}
		if got[2].Key.Kind != "Widget" {
			t.Errorf("the key is %v", got[2].Key)
		}
	})
}

func TestDiscoveryGivesUp(t *testing.T) {
	bubble(t, fakeapi.Options{Kinds: []rest.Served{{Kind: widgets}}}, func(t *testing.T, s *fakeapi.Server) {
		client := discovering(t, s)
		o := exact
		o.MaxRetries = 1
		events := watch.Events(t.Context(), rest.For[rest.Object](client, "example.com/v2/Widget"), watch.Options{PageSize: 500, Backoff: o})
		const cause = `: rest: unknown kind "example.com/v2/Widget": known are example.com/v1/Widget`
		expect(t, events,
			"WATCHFAILED watch Widget failed, retrying in 1s"+cause,
			"WATCHFAILED watch Widget failed, giving up after 1 retry"+cause,
		)
		expectClosed(t, events)
		var groups int
		for _, r := range s.Journal() {
			if r.Path == "/apis" {
				groups++
			}
		}
		if groups != 2 {
			t.Errorf("discovery was read %d times in two attempts", groups)
		}
	})
}

// A name that has been resolved is looked up again only if its resource is gone.
func TestDiscoveryAgain(t *testing.T) {
	bubble(t, fakeapi.Options{Kinds: []rest.Served{{Kind: widgets}}}, func(t *testing.T, s *fakeapi.Server) {
		client := discovering(t, s)
		s.Inject(fakeapi.Refuse(http.StatusNotFound).On("watch", "widgets.example.com"))
		events := watch.Events(t.Context(), rest.For[rest.Object](client, "widgets").In("default"), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "ADDED w=1", "SYNCED")
		if ev := <-events; ev.Type != watch.WatchFailed || !strings.HasPrefix(ev.Err.Error(), "watch Widget failed, retrying in 1s: HTTP 404") {
			t.Errorf("got %s", line(ev))
		}
		expect(t, events, "SYNCED") // its version may be gone as well
		expectQuiet(t, events, time.Minute)
		journal := s.Journal()
		paths := make([]string, 0, len(journal))
		for _, r := range journal {
			paths = append(paths, r.Path)
		}
		const path = "/apis/example.com/v1/namespaces/default/widgets"
		want := []string{"/api", "/apis", path, path, "/api", "/apis", path, path}
		if d := cmp.Diff(want, paths); d != "" {
			t.Error(d)
		}
	})
}

// A kind that does not fit the handle is looked up again at each attempt: its definition may be
// replaced.
func TestDiscoveryOfAnotherScope(t *testing.T) {
	bubble(t, fakeapi.Options{Kinds: []rest.Served{{Kind: widgets}}}, func(t *testing.T, s *fakeapi.Server) {
		client := discovering(t, s)
		clusterScoped := `{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"example.com"},"versions":[{"version":"v1",` +
			`"resources":[{"resource":"widgets","responseKind":{"kind":"Widget"},"scope":"Cluster"}]}]}]}`
		s.Inject(fakeapi.Respond(http.StatusOK, discoveryType, clusterScoped).When(discoveryOf))
		events := watch.Events(t.Context(), rest.For[rest.Object](client, "Widget").In("default"), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, `WATCHFAILED watch Widget failed, retrying in 1s: rest: widgets.example.com are cluster-scoped; do not use In("default")`)
		if _, err := stream.Await(client.Discover(t.Context())); err != nil {
			t.Fatal(err)
		}
		expect(t, events, "ADDED w=1", "SYNCED")
	})
}
