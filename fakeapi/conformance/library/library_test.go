// Package library runs the library's own verbs and watch against both servers.
package library

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }

func object(name, v string) *rest.Object {
	return &rest.Object{"metadata": map[string]any{"name": name}, "data": map[string]any{"v": v}}
}

func maps(t *testing.T, s conformance.Server, namespace string) rest.Resource[rest.Object] {
	t.Helper()
	client := s.Client(t)
	spaces := rest.For[rest.Object](client, "Namespace")
	if _, err := stream.Await(spaces.Create(t.Context(), &rest.Object{"metadata": map[string]any{"name": namespace}})); err != nil {
		t.Fatal(err)
	}
	return rest.For[rest.Object](client, "ConfigMap").In(namespace)
}

// await fails the test if the verb failed.
func await[T any](t *testing.T, verb string, answer <-chan stream.Result[T]) T {
	t.Helper()
	v, err := stream.Await(answer)
	if err != nil {
		t.Fatalf("%s: %v", verb, err)
	}
	return v
}

// refused checks that the verb failed, and how.
func refused[T any](t *testing.T, verb string, want error, answer <-chan stream.Result[T]) error {
	t.Helper()
	_, err := stream.Await(answer)
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", verb, err, want)
	}
	return err
}

func TestWrites(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := maps(t, s, "writes"), t.Context()
		created := await(t, "create", r.Create(ctx, object("a", "1")))
		if created.Kind() != "ConfigMap" || created.APIVersion() != "v1" || created.UID() == "" {
			t.Errorf("create: %v", created)
		}
		got := await(t, "get", r.Get(ctx, "a"))
		if d := cmp.Diff(created, got); d != "" {
			t.Errorf("get: (-created +got)\n%s", d)
		}
		(*got)["data"] = map[string]any{"v": "2"}
		if updated := await(t, "update", r.Update(ctx, got)); updated.String("data", "v") != "2" {
			t.Errorf("update: %v", updated)
		}
		patched := await(t, "patch", r.Patch(ctx, "a", rest.MergePatch(map[string]any{"data": map[string]any{"v": nil, "w": "1"}})))
		if d := cmp.Diff(map[string]any{"w": "1"}, patched.Map("data")); d != "" {
			t.Errorf("patch: (-want +got)\n%s", d)
		}
		if deleted := await(t, "delete", r.Delete(ctx, "a", rest.DeleteOptions{UID: created.UID()})); deleted.Terminating {
			t.Errorf("delete: %+v", deleted)
		}
	})
}

func TestRefusals(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := maps(t, s, "refusals"), t.Context()
		created := await(t, "create", r.Create(ctx, object("a", "1")))
		stale := *object("a", "x")
		stale["metadata"].(map[string]any)["resourceVersion"] = created.ResourceVersion()
		_ = await(t, "patch", r.Patch(ctx, "a", rest.MergePatch(map[string]any{"data": map[string]any{"v": "2"}})))
		_ = refused(t, "stale update", rest.ErrConflict, r.Update(ctx, &stale))
		_ = refused(t, "create again", rest.ErrAlreadyExists, r.Create(ctx, object("a", "1")))
		_ = refused(t, "create of a bad name", rest.ErrInvalid, r.Create(ctx, object("A_", "1")))
		_ = refused(t, "delete of another uid", rest.ErrConflict, r.Delete(ctx, "a", rest.DeleteOptions{UID: "another"}))
		if err := refused(t, "get of nothing", rest.ErrNotFound, r.Get(ctx, "b")); strings.Count(err.Error(), "not found") != 1 {
			t.Errorf("%q says it more than once", err)
		}
		unserved := rest.ForKind[rest.Object](s.Client(t), rest.Kind{Group: "none.example", Version: "v1", Kind: "None", Plural: "nones"})
		_ = refused(t, "list of what is not served", rest.ErrNotFound, unserved.List(ctx, rest.ListOptions{}))
		for token, want := range map[string]error{conformance.NobodyToken: rest.ErrForbidden, "unknown": rest.ErrUnauthorized} {
			config := s.Config()
			config.Token = kubeconfig.Secret(token)
			client, err := rest.New(config, s.Options())
			if err != nil {
				t.Fatal(err)
			}
			_ = refused(t, "list as "+token, want, rest.For[rest.Object](client, "Secret").List(ctx, rest.ListOptions{}))
			client.CloseIdle()
		}
	})
}

func TestLists(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := maps(t, s, "lists"), t.Context()
		for _, name := range []string{"a", "b", "c"} {
			await(t, "create", r.Create(ctx, object(name, "1")))
		}
		o := rest.ListOptions{Limit: 2, FieldSelector: "metadata.name!=kube-root-ca.crt"}
		list := await(t, "list", r.List(ctx, o))
		o.Limit = 1
		each, err := stream.Collect(ctx, r.Each(ctx, o))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"v1 ConfigMap a", "v1 ConfigMap b", "v1 ConfigMap c"}
		listed, one := make([]string, 0, len(want)), make([]string, 0, len(want))
		for _, item := range list.Items {
			listed = append(listed, item.APIVersion()+" "+item.Kind()+" "+item.Name())
		}
		for _, item := range each {
			one = append(one, item.APIVersion()+" "+item.Kind()+" "+item.Name())
		}
		if d := cmp.Diff(want, listed) + cmp.Diff(want, one); d != "" {
			t.Errorf("list and each: (-want +got)\n%s", d)
		}
	})
}

// A watch learns of a gap from a real 410, and reports the difference.
func TestDifference(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := maps(t, s, "difference"), t.Context()
		for _, name := range []string{"a", "b", "c"} {
			if _, err := stream.Await(r.Create(ctx, object(name, "1"))); err != nil {
				t.Fatal(err)
			}
		}
		known := map[rest.Key]watch.Version{}
		list, err := stream.Await(r.List(ctx, rest.ListOptions{}))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list.Items {
			known[rest.Key{Kind: "ConfigMap", Namespace: "difference", Name: o.Name()}] = watch.Version{UID: o.UID(), ResourceVersion: o.ResourceVersion()}
		}
		if _, err := stream.Await(r.Delete(ctx, "b", rest.DeleteOptions{})); err != nil {
			t.Error(err)
		}
		if _, err := stream.Await(r.Patch(ctx, "c", rest.MergePatch(map[string]any{"data": map[string]any{"v": "2"}}))); err != nil {
			t.Error(err)
		}
		if _, err := stream.Await(r.Create(ctx, object("d", "1"))); err != nil {
			t.Error(err)
		}
		s.Compact(t)
		difference, replay := []string{"MODIFIED c", "ADDED d", "DELETED b inferred", "SYNCED"}, []string{"ADDED a", "ADDED c", "ADDED d", "SYNCED"}
		for name, mode := range map[string]struct {
			known map[rest.Key]watch.Version
			size  int
			want  []string
		}{
			"difference, streamed": {known, 0, difference},
			"difference, pages":    {known, 2, difference},
			"replay, streamed":     {nil, 0, replay},
			"replay, pages":        {nil, 2, replay},
		} {
			events := watch.Events(ctx, r, watch.Options{ResourceVersion: list.Meta.ResourceVersion, Known: mode.known, PageSize: mode.size})
			if d := cmp.Diff(mode.want, untilSynced(t, events)); d != "" {
				t.Errorf("%s: (-want +got)\n%s", name, d)
			}
		}
	})
}

// untilSynced returns the events up to Synced. The real server may still be starting.
func untilSynced(t *testing.T, events <-chan watch.Event[rest.Object]) (got []string) {
	t.Helper()
	for deadline := time.After(time.Minute); len(got) == 0 || got[len(got)-1] != "SYNCED"; {
		select {
		case ev := <-events:
			if ev.Type != watch.WatchFailed && ev.Type != watch.Recovered {
				got = append(got, brief(ev))
			}
		case <-deadline:
			t.Fatalf("got %q, and then nothing", got)
		}
	}
	return got
}

// brief formats an event as "ADDED a", "DELETED b inferred", "SYNCED".
func brief(ev watch.Event[rest.Object]) string {
	line := strings.TrimSuffix(string(ev.Type)+" "+ev.Key.Name, " ")
	if ev.Inferred {
		line += " inferred"
	}
	return line
}
