package library

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// definition returns the definition of a custom resource whose kind is Lamp.
func definition(group string) *rest.Object {
	return &rest.Object{
		"metadata": map[string]any{"name": "lamps." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names": map[string]any{"plural": "lamps", "kind": "Lamp", "shortNames": []string{"lp"}},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}
}

// discovering returns a client with discovery.
func discovering(t *testing.T, s conformance.Server) *rest.Client {
	t.Helper()
	o := s.Options()
	o.Discovery = true
	client, err := rest.New(s.Config(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return client
}

// The discovery of both servers maps the same names to the same resources.
func TestDiscovery(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		client, ctx := discovering(t, s), t.Context()
		d := await(t, "discover", client.Discover(ctx))
		again := await(t, "discover again", client.Discover(ctx))
		if len(d.Failures) > 0 || len(again.Resources) < len(d.Resources) {
			t.Errorf("failures %v; %d resources, then %d", d.Failures, len(d.Resources), len(again.Resources))
		}
		for name, want := range map[string]string{
			"po": "v1/Pod", "deploy": "apps/v1/Deployment", "events": "v1/Event", "events.events.k8s.io": "events.k8s.io/v1/Event",
			"HorizontalPodAutoscaler": "autoscaling/v2/HorizontalPodAutoscaler", "crds": "apiextensions.k8s.io/v1/CustomResourceDefinition",
		} {
			if k, err := d.Lookup(name); err != nil || k.String() != want {
				t.Errorf("%s is %s, %v", name, k, err)
			}
		}
		list := await(t, "list", rest.For[rest.Object](client, "ns").List(ctx, rest.ListOptions{}))
		if len(list.Items) < 4 {
			t.Errorf("%d namespaces", len(list.Items))
		}
	})
}

const lampGroup, otherGroup = "lamps.example.com", "other.example.com"

// install installs the custom resource in a group until the test ends.
func install(t *testing.T, client *rest.Client, group string) {
	t.Helper()
	ctx := t.Context()
	definitions := rest.For[rest.Object](client, "CustomResourceDefinition")
	await(t, "install", definitions.Create(ctx, definition(group)))
	t.Cleanup(func() { <-definitions.Delete(context.WithoutCancel(ctx), "lamps."+group, rest.DeleteOptions{}) })
}

// until reads events until one of the given type.
func until(t *testing.T, events <-chan watch.Event[rest.Object], want watch.Type) watch.Event[rest.Object] {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case ev := <-events:
			if ev.Type == want {
				return ev
			}
		case <-deadline:
			t.Fatalf("no %s event arrived", want)
		}
	}
}

// A custom resource that is installed while the program runs is found by requests, and by a watch
// that began earlier.
func TestInstalledWhileRunning(t *testing.T) {
	if conformance.Off() {
		t.Skip("fakeapi installs no custom resources")
	}
	client, ctx := discovering(t, conformance.Real(t)), t.Context()
	lamps := rest.For[rest.Object](client, "Lamp").In("default")
	_ = refused(t, "get of what is not installed", rest.ErrUnknownKind, lamps.Get(ctx, "a"))
	events := watch.Events(ctx, lamps, watch.Options{Backoff: stream.Backoff{Initial: 50 * time.Millisecond, Max: 200 * time.Millisecond}})
	if ev := <-events; !errors.Is(ev.Err, rest.ErrUnknownKind) {
		t.Fatalf("the watch reports %v", ev)
	}
	install(t, client, lampGroup)
	until(t, events, watch.Synced)
	created := await(t, "create", lamps.Create(ctx, object("a", "1")))
	if got := created.APIVersion() + " " + created.Kind(); got != lampGroup+"/v1 Lamp" {
		t.Errorf("created is a %s", got)
	}
	if ev := until(t, events, watch.Added); ev.Key.Name != "a" || ev.Key.Kind != "Lamp" {
		t.Errorf("the watch reports %v", ev)
	}
	for _, name := range []string{"lamps", "lp", "lamps." + lampGroup, lampGroup + "/v1/Lamp"} {
		if k := await(t, name, client.Resolve(ctx, name)); k.Group != lampGroup || k.Plural != "lamps" {
			t.Errorf("%s is %s", name, k)
		}
	}
	t.Run("of two groups", func(t *testing.T) { ofTwoGroups(t, client, created) })
}

// ofTwoGroups checks that another group's kind of the same name is not mistaken for this one.
func ofTwoGroups(t *testing.T, client *rest.Client, created *rest.Object) {
	ctx := t.Context()
	lamps := func(name string) rest.Resource[rest.Object] { return rest.For[rest.Object](client, name).In("default") }
	err := refused(t, "get by another group", rest.ErrUnknownKind, lamps(otherGroup+"/v1/Lamp").Get(ctx, "a"))
	if want := `rest: unknown kind "` + otherGroup + `/v1/Lamp": known are ` + lampGroup + `/v1/Lamp`; err.Error() != want {
		t.Errorf("error is %v", err)
	}
	install(t, client, otherGroup)
	events := watch.Events(ctx, lamps(otherGroup+"/v1/Lamp"), watch.Options{Backoff: stream.Backoff{Initial: 50 * time.Millisecond, Max: 200 * time.Millisecond}})
	until(t, events, watch.Synced)
	if _, err := stream.Await(lamps("Lamp").Get(ctx, "a")); err == nil || !strings.Contains(err.Error(), `several groups have kind "Lamp": use one of `) {
		t.Errorf("error is %v", err)
	}
	if d := cmp.Diff(created, await(t, "get", lamps(lampGroup+"/v1/Lamp").Get(ctx, "a"))); d != "" {
		t.Error(d)
	}
}
