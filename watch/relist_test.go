package watch_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// gap has the ways in which a server reports that the history is gone.
var gap = map[string]func(s *fakeapi.Server){
	"event": func(s *fakeapi.Server) { s.Inject(fakeapi.Expired().On("watch", "configmaps")) },
	"event Gone": func(s *fakeapi.Server) {
		s.Inject(fakeapi.ErrorEvent(rest.Status{Kind: "Status", APIVersion: "v1", Status: "Failure", Reason: "Gone", Code: 410}).On("watch", "configmaps"))
	},
	"status":   func(s *fakeapi.Server) { s.Inject(fakeapi.Refuse(410).On("watch", "configmaps")) },
	"for real": func(*fakeapi.Server) {},
	"plain 410": func(s *fakeapi.Server) {
		s.Inject(fakeapi.Respond(410, "text/plain", "gone").On("watch", "configmaps"))
	},
}

var forReal = gap["for real"]

// interrupted starts a watch whose stream ends after 10 s without a bookmark, and calls change
// while the history is lost. It reads the events before the gap.
func interrupted(t *testing.T, s *fakeapi.Server, o watch.Options, lose func(*fakeapi.Server), change func(), before ...string) <-chan watch.Event[rest.Object] {
	t.Helper()
	s.Inject(fakeapi.NoBookmarks().On("watch", "configmaps").Always(), fakeapi.End().After(10*time.Second).On("watch", "configmaps"))
	o.Backoff = exact
	events := watch.Events(t.Context(), configMaps(s), o)
	expect(t, events, before...)
	synctest.Wait()
	s.Inject(fakeapi.Delay(2*time.Second).On("watch", "configmaps")) // the resumed watch waits for the changes
	lose(s)
	time.Sleep(10*time.Second + time.Millisecond)
	change()
	s.Expire()
	return events
}

func TestDifference(t *testing.T) {
	for name, lose := range gap {
		t.Run(name, func(t *testing.T) {
			overBoth(t, fakeapi.Options{Objects: []any{cm("a", "1"), cm("b", "1"), cm("c", "1"), cm("d", "1")}}, func(t *testing.T, s *fakeapi.Server) {
				b := must(t)(s.Get("ConfigMap", "default", "b"))
				d := must(t)(s.Get("ConfigMap", "default", "d"))
				events := interrupted(t, s, watch.Options{PageSize: 500}, lose, func() {
					must(t)(s.Apply(cm("a", "2")))
					must(t)(s.Remove("ConfigMap", "default", "b"))
					must(t)(s.Remove("ConfigMap", "default", "d"))
					must(t)(s.Create(cm("d", "2")))
					must(t)(s.Create(cm("e", "1")))
				}, "ADDED a=1", "ADDED b=1", "ADDED c=1", "ADDED d=1", "SYNCED")
				got := expect(t, events, "MODIFIED a=2", "DELETED d inferred", "ADDED d=2", "ADDED e=1", "DELETED b inferred", "SYNCED")

				for i, ev := range got {
					if ev.Listed != (i < len(got)-1) {
						t.Errorf("%s: listed is %v", line(ev), ev.Listed)
					}
				}
				for i, gone := range map[int]rest.Object{1: d, 4: b} {
					want := &rest.Object{
						"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
							"name": gone.Name(), "namespace": "default", "uid": gone.UID(), "resourceVersion": gone.ResourceVersion(),
						},
					}
					if d := cmp.Diff(want, got[i].Object); d != "" {
						t.Errorf("%s: (-want +got)\n%s", line(got[i]), d)
					}
					if got[i].UID != gone.UID() || got[i].ResourceVersion != gone.ResourceVersion() {
						t.Errorf("%s: key %v at %s is not that of the object", line(got[i]), got[i].Key, got[i].ResourceVersion)
					}
				}
				must(t)(s.Apply(cm("c", "2")))
				expect(t, events, "MODIFIED c=2")
				for _, r := range s.Journal() {
					if v := query(r, "resourceVersion"); verbOf(r) == "watch" && (v == "" || v == "None" || v == "null") {
						t.Errorf("%s has no version", r)
					}
				}
			})
		})
	}
}

func TestDifferenceFollowsWhatFiltersDrop(t *testing.T) {
	bubble(t, fakeapi.Options{Objects: []any{cm("a", "1"), cm("x", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		// Only deletions are kept: the watch must still know which objects existed, except for x.
		o := watch.Options{PageSize: 500, Keep: []watch.Filter{watch.Types(watch.Deleted), watch.Names("a", "b", "c")}}
		events := interrupted(t, s, o, forReal, func() {
			must(t)(s.Remove("ConfigMap", "default", "a"))
			must(t)(s.Remove("ConfigMap", "default", "x"))
			must(t)(s.Create(cm("c", "1")))
		}, "SYNCED")
		expect(t, events, "DELETED a inferred", "SYNCED")
	})
}

func TestFilterOfEitherKind(t *testing.T) {
	bubble(t, fakeapi.Options{Objects: []any{cm("a", "1"), cm("b", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		o := watch.Options{PageSize: 500, Keep: []watch.Filter{watch.Or(watch.Names("a"), watch.Types(watch.Deleted))}}
		events := interrupted(t, s, o, forReal, func() {
			must(t)(s.Remove("ConfigMap", "default", "b"))
		}, "ADDED a=1", "SYNCED")
		expect(t, events, "DELETED b inferred", "SYNCED")
	})
}

func TestReplay(t *testing.T) {
	bubble(t, fakeapi.Options{Objects: []any{cm("a", "1"), cm("b", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		events := interrupted(t, s, watch.Options{PageSize: 500, Replay: true}, forReal, func() {
			must(t)(s.Remove("ConfigMap", "default", "b"))
			must(t)(s.Create(cm("c", "1")))
		}, "ADDED a=1", "ADDED b=1", "SYNCED")
		expect(t, events, "ADDED a=1 replayed", "ADDED c=1 replayed", "DELETED b inferred", "SYNCED")
	})
}

func TestExpiredAfterAStartAtAVersion(t *testing.T) {
	objects := []any{cm("a", "1"), cm("b", "1")}
	change := func(t *testing.T, s *fakeapi.Server) {
		must(t)(s.Apply(cm("a", "2")))
		must(t)(s.Remove("ConfigMap", "default", "b"))
		must(t)(s.Create(cm("c", "1")))
	}
	t.Run("with nothing known", func(t *testing.T) {
		bubble(t, fakeapi.Options{Objects: objects}, func(t *testing.T, s *fakeapi.Server) {
			o := watch.Options{PageSize: 500, ResourceVersion: s.ResourceVersion()}
			events := interrupted(t, s, o, forReal, func() { change(t, s) })
			expect(t, events, "ADDED a=2 replayed", "ADDED c=1 replayed", "SYNCED")
			s.Expire()
			s.Inject(fakeapi.End().On("watch", "configmaps"))
		})
	})
	t.Run("with what the reader knows", func(t *testing.T) {
		bubble(t, fakeapi.Options{Objects: append(objects, cm("d", "1"))}, func(t *testing.T, s *fakeapi.Server) {
			o := watch.Options{PageSize: 500, ResourceVersion: s.ResourceVersion(), Known: map[rest.Key]watch.Version{}}
			for _, name := range []string{"a", "b", "d"} {
				object := must(t)(s.Get("ConfigMap", "default", name))
				o.Known[rest.Key{Kind: "ConfigMap", Namespace: "default", Name: name}] = watch.Version{UID: object.UID(), ResourceVersion: object.ResourceVersion()}
			}
			events := interrupted(t, s, o, forReal, func() { change(t, s) })
			expect(t, events, "MODIFIED a=2", "ADDED c=1", "DELETED b inferred", "SYNCED")
		})
	})
	t.Run("at a version that is gone already", func(t *testing.T) {
		bubble(t, fakeapi.Options{Objects: objects}, func(t *testing.T, s *fakeapi.Server) {
			at := s.ResourceVersion()
			change(t, s)
			s.Expire()
			events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, ResourceVersion: at})
			expect(t, events, "ADDED a=2 replayed", "ADDED c=1 replayed", "SYNCED")
		})
	})
}

// If a list breaks off, the next one sends the rest, and nothing twice.
func TestListThatBreaksOff(t *testing.T) {
	overBoth(t, fakeapi.Options{Objects: []any{cm("a", "1"), cm("b", "1"), cm("c", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.Truncate().AfterBytes(400).On("list", "configmaps"))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "ADDED a=1", "WATCHFAILED watch ConfigMap failed, retrying in 1s: unexpected EOF")
		must(t)(s.Remove("ConfigMap", "default", "a"))
		expect(t, events, "ADDED b=1", "ADDED c=1", "DELETED a inferred", "SYNCED")
	})
}

// If the server refuses the version that it has just returned, the watch waits before the next
// list.
func TestExpiredAtOnceBacksOff(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.Expired().On("watch", "configmaps").Times(3))
		start := time.Now()
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		for _, delay := range []string{"1s", "2s", "4s"} {
			got := expect(t, events, "SYNCED", "WATCHFAILED watch ConfigMap failed, retrying in "+delay+
				": HTTP 410 Expired: too old resource version: 5 (9000)")
			if e := attempt(t, got[1]); e.Status.Code != 410 {
				t.Errorf("the code is %d, want 410", e.Status.Code)
			}
		}
		expect(t, events, "SYNCED")
		if d := time.Since(start); d != 7*time.Second {
			t.Errorf("it took %v, want 7s", d)
		}
	})
}
