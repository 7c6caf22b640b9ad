// Package library runs the verbs and the watch of the library itself against both servers.
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

func TestVerbs(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := maps(t, s, "verbs"), t.Context()
		created, err := stream.Await(r.Create(ctx, object("a", "1")))
		if err != nil || created.Kind() != "ConfigMap" || created.APIVersion() != "v1" || created.UID() == "" {
			t.Fatalf("create: %v %v", created, err)
		}
		got, err := stream.Await(r.Get(ctx, "a"))
		if d := cmp.Diff(created, got); err != nil || d != "" {
			t.Errorf("get: %v (-created +got)\n%s", err, d)
		}
		stale := *object("a", "x")
		stale["metadata"].(map[string]any)["resourceVersion"] = created.ResourceVersion()
		(*got)["data"] = map[string]any{"v": "2"}
		updated, err := stream.Await(r.Update(ctx, got))
		if err != nil || updated.String("data", "v") != "2" {
			t.Errorf("update: %v %v", updated, err)
		}
		if _, err := stream.Await(r.Update(ctx, &stale)); !errors.Is(err, rest.ErrConflict) {
			t.Errorf("stale update: %v, want ErrConflict", err)
		}
		if _, err := stream.Await(r.Create(ctx, object("a", "1"))); !errors.Is(err, rest.ErrAlreadyExists) {
			t.Errorf("create again: %v, want ErrAlreadyExists", err)
		}
		patched, err := stream.Await(r.Patch(ctx, "a", rest.MergePatch(map[string]any{"data": map[string]any{"v": nil, "w": "1"}})))
		if err != nil || patched.String("data", "w") != "1" || patched.String("data", "v") != "" {
			t.Errorf("patch: %v %v", patched, err)
		}
		for _, name := range []string{"b", "c"} {
			if _, err := stream.Await(r.Create(ctx, object(name, "1"))); err != nil {
				t.Error(err)
			}
		}
		list, err := stream.Await(r.List(ctx, rest.ListOptions{Limit: 2, FieldSelector: "metadata.name!=kube-root-ca.crt"}))
		if err != nil {
			t.Fatal(err)
		}
		each, err := stream.Collect(ctx, r.Each(ctx, rest.ListOptions{Limit: 1, FieldSelector: "metadata.name!=kube-root-ca.crt"}))
		if err != nil {
			t.Fatal(err)
		}
		var listed, eached []string
		for i := range list.Items {
			listed, eached = append(listed, list.Items[i].Kind()+" "+list.Items[i].Name()), append(eached, each[i].Kind()+" "+each[i].Name())
		}
		want := []string{"ConfigMap a", "ConfigMap b", "ConfigMap c"}
		if d := cmp.Diff(want, listed) + cmp.Diff(want, eached); d != "" {
			t.Errorf("list and each: (-want +got)\n%s", d)
		}
		if _, err := stream.Await(r.Delete(ctx, "a", rest.DeleteOptions{UID: "another"})); !errors.Is(err, rest.ErrConflict) {
			t.Errorf("delete of another uid: %v, want ErrConflict", err)
		}
		deleted, err := stream.Await(r.Delete(ctx, "a", rest.DeleteOptions{UID: created.UID()}))
		if err != nil || deleted.Terminating {
			t.Errorf("delete: %+v %v", deleted, err)
		}
		_, err = stream.Await(r.Get(ctx, "a"))
		if !errors.Is(err, rest.ErrNotFound) || strings.Count(err.Error(), "not found") != 1 {
			t.Errorf("get of what is gone: %v, want ErrNotFound, said once", err)
		}
		config := s.Config()
		config.Token = conformance.NobodyToken
		nobody, err := rest.New(config, s.Options())
		if err != nil {
			t.Fatal(err)
		}
		defer nobody.CloseIdle()
		if _, err := stream.Await(rest.For[rest.Object](nobody, "Secret").List(ctx, rest.ListOptions{})); !errors.Is(err, rest.ErrForbidden) {
			t.Errorf("list as nobody: %v, want ErrForbidden", err)
		}
	})
}

// A watch is told of a gap by a 410 that is real, and tells the difference.
func TestDifference(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := maps(t, s, "difference"), t.Context()
		for _, name := range []string{"a", "b", "c"} {
			if _, err := stream.Await(r.Create(ctx, object(name, "1"))); err != nil {
				t.Fatal(err)
			}
		}
		known := map[rest.Key]string{}
		list, err := stream.Await(r.List(ctx, rest.ListOptions{}))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list.Items {
			known[rest.Key{Kind: "ConfigMap", Namespace: "difference", Name: o.Name(), UID: o.UID()}] = o.ResourceVersion()
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
		events := watch.Events(ctx, r, watch.Options{ResourceVersion: list.Meta.ResourceVersion, Known: known})
		var got []string
		for deadline := time.After(time.Minute); len(got) == 0 || got[len(got)-1] != "SYNCED"; {
			select {
			case ev := <-events:
				line := strings.TrimSuffix(string(ev.Type)+" "+ev.Key.Name, " ")
				if ev.Inferred {
					line += " inferred"
				}
				if ev.Type != watch.WatchFailed { // the real server may still be starting
					got = append(got, line)
				}
			case <-deadline:
				t.Fatalf("got %q, and then nothing", got)
			}
		}
		if d := cmp.Diff([]string{"MODIFIED c", "ADDED d", "DELETED b inferred", "SYNCED"}, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
}
