package watch_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

func TestListSyncedChanges(t *testing.T) {
	overBoth(t, fakeapi.Options{Objects: []any{cm("a", "1"), cm("b", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		at := s.ResourceVersion()
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Source: "here"})
		got := expect(t, events, "ADDED a=1", "ADDED b=1", "SYNCED")
		if got[2].ResourceVersion != at {
			t.Errorf("synced at %s, want %s", got[2].ResourceVersion, at)
		}
		if !got[0].Listed || !got[1].Listed || got[2].Listed {
			t.Errorf("listed: %v, %v, %v, want what comes before SYNCED", got[0].Listed, got[1].Listed, got[2].Listed)
		}
		must(t)(s.Apply(cm("a", "2")))
		must(t)(s.Create(cm("c", "1")))
		last := must(t)(s.Delete("ConfigMap", "default", "b"))
		got = expect(t, events, "MODIFIED a=2", "ADDED c=1", "DELETED b=1")
		ev := got[1]
		want := watch.Event[rest.Object]{
			Type: watch.Added, Source: "here", Object: ev.Object, ResourceVersion: ev.Object.ResourceVersion(),
			Key: rest.Key{Kind: "ConfigMap", Namespace: "default", Name: "c"}, UID: ev.Object.UID(),
		}
		if d := cmp.Diff(want, ev); d != "" || ev.UID == "" || ev.Object.Kind() != "ConfigMap" || ev.Object.APIVersion() != "v1" {
			t.Errorf("(-want +got)\n%s", d)
		}
		if got[2].ResourceVersion != last.ResourceVersion() {
			t.Errorf("deleted at %s, want %s", got[2].ResourceVersion, last.ResourceVersion())
		}
		expectQuiet(t, events, time.Hour)
	})
}

func TestTypesOfObjects(t *testing.T) {
	type labels struct {
		Metadata struct {
			Name   string            `json:"name"`
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
		Kind string `json:"kind"`
	}
	object := rest.Object{
		"kind": "ConfigMap", "apiVersion": "v1",
		"metadata": map[string]any{"name": "a", "labels": map[string]any{"app": "web"}},
	}
	bubble(t, fakeapi.Options{Objects: []any{object}}, func(t *testing.T, s *fakeapi.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		typed := <-watch.Events(ctx, rest.For[labels](s.Client(), "ConfigMap"), watch.Options{PageSize: 500})
		want := labels{Kind: "ConfigMap"}
		want.Metadata.Name, want.Metadata.Labels = "a", map[string]string{"app": "web"}
		if d := cmp.Diff(&want, typed.Object); d != "" {
			t.Errorf("struct: (-want +got)\n%s", d)
		}
		loose := <-watch.Events(ctx, rest.For[map[string]any](s.Client(), "v1/ConfigMap"), watch.Options{PageSize: 500})
		if d := cmp.Diff(any("ConfigMap"), (*loose.Object)["kind"]); d != "" {
			t.Errorf("map: (-want +got)\n%s", d)
		}
	})
}

func TestRaw(t *testing.T) {
	bubble(t, fakeapi.Options{Objects: []any{cm("a", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Raw: true})
		listed := expect(t, events, "ADDED a=1", "SYNCED")[0]
		must(t)(s.Apply(cm("a", "2")))
		watched := expect(t, events, "MODIFIED a=2")[0]
		for _, ev := range []watch.Event[rest.Object]{listed, watched} {
			o, err := rest.Decode[rest.Object](ev.Raw)
			if d := cmp.Diff(ev.Object, o); err != nil || d != "" {
				t.Errorf("%v: the raw object differs (-object +raw)\n%s", err, d)
			}
		}
	})
}

func TestServerEndsTheCycle(t *testing.T) {
	overBoth(t, fakeapi.Options{Objects: []any{cm("a", "1")}, BookmarkEvery: -1}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.NoBookmarks().On("watch", "configmaps").Always())
		start := time.Now()
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Timeout: 10 * time.Second})
		synced := expect(t, events, "ADDED a=1", "SYNCED")[1].ResourceVersion
		expectQuiet(t, events, 5*time.Second)
		changed := must(t)(s.Apply(cm("a", "2"))).ResourceVersion()
		expect(t, events, "MODIFIED a=2")
		expectQuiet(t, events, 17*time.Second)
		must(t)(s.Apply(cm("a", "3")))
		expect(t, events, "MODIFIED a=3")
		want := []string{"list", "watch " + synced, "watch " + changed, "watch " + changed}
		if d := cmp.Diff(want, requests(s)); d != "" {
			t.Errorf("after %v: (-want +got)\n%s", time.Since(start), d)
		}
		if s.MaxStreams() != 1 {
			t.Errorf("%d requests were open at once, want one", s.MaxStreams())
		}
	})
}

func TestBookmarksMoveThePosition(t *testing.T) {
	for _, shown := range []bool{false, true} {
		bubble(t, fakeapi.Options{BookmarkEvery: 2 * time.Second}, func(t *testing.T, s *fakeapi.Server) {
			events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Timeout: 3 * time.Second, Bookmarks: shown})
			expect(t, events, "SYNCED")
			must(t)(s.Create(rest.Object{"kind": "Secret", "apiVersion": "v1", "metadata": map[string]any{"name": "other"}}))
			if shown {
				got := expect(t, events, "BOOKMARK")[0]
				if got.Object != nil || got.ResourceVersion != s.ResourceVersion() {
					t.Errorf("got %+v, want a bookmark at %s", got, s.ResourceVersion())
				}
				return
			}
			expectQuiet(t, events, 4*time.Second)
			s.Expire() // the version of the bookmark is still valid
			expectQuiet(t, events, time.Minute)
			if last := s.Journal()[len(s.Journal())-1]; query(last, "resourceVersion") != s.ResourceVersion() {
				t.Errorf("resumed with %s, want %s", last, s.ResourceVersion())
			}
		})
	}
}

func TestDroppedEventsMoveThePosition(t *testing.T) {
	bubble(t, fakeapi.Options{BookmarkEvery: -1}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.NoBookmarks().On("watch", "configmaps").Always())
		events := watch.Events(t.Context(), configMaps(s), watch.Options{
			PageSize: 500,
			Timeout:  3 * time.Second, Keep: []watch.Filter{watch.Names("kept"), watch.Types(watch.Deleted)},
		})
		expect(t, events, "SYNCED")
		dropped := must(t)(s.Create(cm("other", "1"))).ResourceVersion()
		expectQuiet(t, events, 4*time.Second)
		if last := s.Journal()[len(s.Journal())-1]; query(last, "resourceVersion") != dropped {
			t.Errorf("resumed with %s, want %s", last, dropped)
		}
	})
}

func TestSelectors(t *testing.T) {
	labelled := func(name, app string) rest.Object {
		o := cm(name, app)
		o["metadata"].(map[string]any)["labels"] = map[string]any{"app": app}
		return o
	}
	bubble(t, fakeapi.Options{Objects: []any{labelled("a", "web"), labelled("b", "db")}}, func(t *testing.T, s *fakeapi.Server) {
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, LabelSelector: "app in (web)", FieldSelector: "metadata.name!=x"})
		expect(t, events, "ADDED a=web", "SYNCED")
		must(t)(s.Apply(labelled("b", "web")))
		must(t)(s.Apply(labelled("a", "db")))
		expect(t, events, "ADDED b=web", "DELETED a=web") // a leaves with the last state that matched
		for _, r := range s.Journal() {
			if query(r, "labelSelector") != "app+in+%28web%29" || query(r, "fieldSelector") != "metadata.name%21%3Dx" {
				t.Errorf("%s lacks a selector", r)
			}
		}
	})
}

func TestResumeFromAnEvent(t *testing.T) {
	bubble(t, fakeapi.Options{Objects: []any{cm("a", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		events := watch.Events(ctx, configMaps(s), watch.Options{PageSize: 500})
		expect(t, events, "ADDED a=1", "SYNCED")
		must(t)(s.Apply(cm("a", "2")))
		at := expect(t, events, "MODIFIED a=2")[0].ResourceVersion
		cancel()
		expectClosed(t, events)
		must(t)(s.Apply(cm("a", "3")))
		must(t)(s.Apply(cm("b", "1")))
		s.ResetJournal()
		expect(t, watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, ResourceVersion: at}), "MODIFIED a=3", "ADDED b=1")
		synctest.Wait()
		if d := cmp.Diff([]string{"watch " + at}, requests(s)); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
}

func TestListFromTheCache(t *testing.T) {
	bubble(t, fakeapi.Options{Objects: []any{cm("a", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, ResourceVersion: "0", Backoff: exact})
		expect(t, events, "ADDED a=1", "SYNCED")
		s.Inject(fakeapi.Expired().On("watch", "configmaps"))
		synctest.Wait()
		if first := requests(s)[0]; first != "list 0" {
			t.Errorf("the first request is %s, want list 0", first)
		}
	})
}

func TestPages(t *testing.T) {
	const n = 1201
	objects, want := make([]any, 0, n), make([]string, 0, n+1)
	for i := range n {
		name := "cm-" + string(rune('a'+i/100)) + string(rune('0'+i/10%10)) + string(rune('0'+i%10))
		objects, want = append(objects, cm(name, "1")), append(want, "ADDED "+name+"=1")
	}
	want = append(want, "SYNCED")
	bubble(t, fakeapi.Options{Objects: objects}, func(t *testing.T, s *fakeapi.Server) {
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500})
		expect(t, events, want...)
		synctest.Wait()
		if d := cmp.Diff([]string{"list", "continue", "continue", "watch " + s.ResourceVersion()}, requests(s)); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
	t.Run("expired between two pages", func(t *testing.T) {
		bubble(t, fakeapi.Options{Objects: objects}, func(t *testing.T, s *fakeapi.Server) {
			s.Inject(fakeapi.Refuse(410).When(func(r *http.Request) bool { return r.URL.Query().Has("continue") }))
			events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500})
			expect(t, events, want...) // each only once
			synctest.Wait()
			if d := cmp.Diff([]string{"list", "continue", "list", "watch " + s.ResourceVersion()}, requests(s)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if limit := query(s.Journal()[2], "limit"); limit != "" {
				t.Errorf("the second list has limit=%s, want all at once", limit)
			}
		})
	})
}
