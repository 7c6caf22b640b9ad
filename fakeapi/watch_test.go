package fakeapi_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/fakeapi"
)

const maps = "/api/v1/namespaces/default/configmaps"

// both runs a test over both versions of HTTP, in a bubble.
func both(t *testing.T, f func(t *testing.T, connect func(*fakeapi.Server) *http.Client)) {
	t.Run("HTTP/1.1", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f(t, func(s *fakeapi.Server) *http.Client { return client(t, s) })
		})
	})
	t.Run("HTTP/2", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f(t, func(s *fakeapi.Server) *http.Client { return h2(t, s) })
		})
	})
}

// Nothing is lost between a list and a watch: no deletion, no creation.
func TestWatchFromListMissesNothing(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := fakeapi.New(t, fakeapi.Options{Objects: []any{configMap("default", "a")}})
		c := connect(s)
		version := s.ResourceVersion()
		must(s.Delete("ConfigMap", "default", "a"))(t)
		must(s.Create(configMap("default", "b")))(t)
		w := watch(t, c, maps+"?watch=true&resourceVersion="+version)
		want := []string{"DELETED a", "ADDED b"}
		if diff := cmp.Diff(want, w.types(2)); diff != "" {
			t.Error(diff)
		}
		s.Expire()
		got, err := watch(t, c, maps+"?watch=true&resourceVersion="+version).rest()
		if diff := cmp.Diff([]string{"ERROR too old resource version: 1005 (1008)"}, got); diff != "" || !errors.Is(err, io.EOF) {
			t.Error(diff, err)
		}
	})
}

// A watch without a version begins with the initial state, and goes on with events.
func TestWatchStarts(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := fakeapi.New(t, fakeapi.Options{Objects: []any{configMap("default", "b"), configMap("default", "a")}})
		c := connect(s)
		for _, start := range []string{"", "&resourceVersion=0"} {
			w := watch(t, c, maps+"?watch=true"+start)
			if diff := cmp.Diff([]string{"ADDED a", "ADDED b"}, w.types(2)); diff != "" {
				t.Error(diff)
			}
		}
		now := watch(t, c, maps+"?watch=true&resourceVersion="+s.ResourceVersion())
		future := watch(t, c, maps+"?watch=true&timeoutSeconds=7&resourceVersion=99999")
		begin := time.Now()
		if got, err := future.rest(); len(got) != 0 || !errors.Is(err, io.EOF) || time.Since(begin) != 7*time.Second {
			t.Errorf("a watch of the future: %v, %v after %v", got, err, time.Since(begin))
		}
		must(s.Create(configMap("default", "c")))(t)
		if diff := cmp.Diff([]string{"ADDED c"}, now.types(1)); diff != "" {
			t.Error(diff)
		}
	})
}

// A watch of all namespaces gets the events of each namespace.
func TestWatchOfAllNamespaces(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := fakeapi.New(t, fakeapi.Options{AnyNamespace: true})
		c := connect(s)
		all := watch(t, c, "/api/v1/configmaps?watch=true")
		one := watch(t, c, "/api/v1/namespaces/a/configmaps?watch=true")
		must(s.Create(configMap("b", "y")))(t)
		must(s.Create(configMap("a", "x")))(t)
		if diff := cmp.Diff([]string{"ADDED y", "ADDED x"}, all.types(2)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"ADDED x"}, one.types(1)); diff != "" {
			t.Error(diff)
		}
		if got := s.Streams(); got != 2 {
			t.Errorf("%d streams are open", got)
		}
	})
}

// A watch sees what enters, stays in, and leaves its selection.
func TestSelectorTransitions(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server, c *http.Client) {
		w := watch(t, c, maps+"?watch=true&labelSelector=app%3Dweb")
		before := s.ResourceVersion()
		must(s.Create(configMap("default", "a")))(t)
		must(s.Merge("ConfigMap", "default", "a", `{"metadata":{"labels":{"app":"web"}}}`))(t)
		must(s.Merge("ConfigMap", "default", "a", `{"data":{"k":"v"}}`))(t)
		left := must(s.Merge("ConfigMap", "default", "a", `{"metadata":{"labels":{"app":"db"}},"data":{"k":"w"}}`))(t)
		must(s.Delete("ConfigMap", "default", "a"))(t)
		want := []string{"ADDED a", "MODIFIED a", "DELETED a"}
		got := w.take(3)
		if got[2].Version != left.ResourceVersion() {
			t.Errorf("DELETED at version %s, changed at %s", got[2].Version, left.ResourceVersion())
		}
		replay := watch(t, c, maps+"?watch=true&labelSelector=app%3Dweb&resourceVersion="+before)
		if diff := cmp.Diff(want, replay.types(3)); diff != "" {
			t.Error(diff)
		}
		named := watch(t, c, maps+"?watch=true&fieldSelector=metadata.name%3Db&resourceVersion="+before)
		must(s.Create(configMap("default", "b")))(t)
		if diff := cmp.Diff([]string{"ADDED b"}, named.types(1)); diff != "" {
			t.Error(diff)
		}
	})
}

// Bookmarks come every so often, and before the end.
func TestBookmarks(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := fakeapi.New(t, fakeapi.Options{BookmarkEvery: 10 * time.Second})
		c := connect(s)
		begin := time.Now()
		w := watch(t, c, "/api/v1/namespaces/default/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=25")
		var at []time.Duration
		for {
			e, err := w.next()
			if err != nil {
				break
			}
			if e.Type != "BOOKMARK" || e.Version != s.ResourceVersion() {
				t.Errorf("%v", e)
			}
			at = append(at, time.Since(begin))
			must(s.Create(configMap("default", "m"+e.Version)))(t) // another resource counts as well
		}
		want := []time.Duration{0, 10 * time.Second, 20 * time.Second, 23 * time.Second}
		if diff := cmp.Diff(want, at); diff != "" || time.Since(begin) != 25*time.Second {
			t.Error(diff, time.Since(begin))
		}
		s.Inject(fakeapi.NoMarker().On("watch", "pods"), fakeapi.NoBookmarks().On("watch", "pods").Nth(2))
		for i, want := range [][]string{{"BOOKMARK", "BOOKMARK", "BOOKMARK"}, nil} {
			got, _ := watch(t, c, "/api/v1/namespaces/default/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=25").rest()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d: %s", i, diff)
			}
		}
	})
}

// A watch of a streaming list ends its list with a marker, unless the server does not know how.
func TestStreamingList(t *testing.T) {
	const query = "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	bubble(t, fakeapi.Options{Objects: []any{configMap("default", "a")}}, func(t *testing.T, s *fakeapi.Server, c *http.Client) {
		w := watch(t, c, maps+query)
		if diff := cmp.Diff([]event{{"ADDED", "a", "1005"}, {"BOOKMARK", "", s.ResourceVersion()}}, w.take(2)); diff != "" {
			t.Error(diff)
		}
		future, err := watch(t, c, maps+query+"&resourceVersion=99999").rest()
		if diff := cmp.Diff([]string{"ERROR Timeout: Too large resource version: 99999, current: 1005"}, future); diff != "" || !errors.Is(err, io.EOF) {
			t.Error(diff, err)
		}
	})
	bubble(t, fakeapi.Options{NoWatchList: true, Objects: []any{configMap("default", "a")}}, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
		if got := do(t, c, "GET", maps+query, ""); got.Code != 422 {
			t.Errorf("%v", got)
		}
		got, _ := watch(t, c, maps+"?watch=true&allowWatchBookmarks=true&timeoutSeconds=1").rest()
		if diff := cmp.Diff([]string{"ADDED a"}, got); diff != "" {
			t.Error(diff)
		}
	})
	bubble(t, fakeapi.Options{NoInitialEventsEnd: true}, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
		got, _ := watch(t, c, maps+query+"&timeoutSeconds=1").rest()
		if len(got) != 0 {
			t.Errorf("%v", got)
		}
	})
}

// A reader that does not read is cut, cleanly, and holds nobody up; one that does read gets all of
// a burst.
func TestSlowReaderIsCut(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := fakeapi.New(t, fakeapi.Options{Queue: 10})
		c := connect(s)
		slow, fast := watch(t, c, maps+"?watch=true"), watch(t, c, maps+"?watch=true")
		const n = 60
		done := make(chan int)
		go func() {
			defer close(done)
			got := 0
			for range n {
				if _, err := fast.next(); err != nil {
					break
				}
				got++
			}
			done <- got
		}()
		begin := time.Now()
		for i := range n {
			o := configMap("default", "m"+statusCode(1000+i))
			o["data"] = map[string]any{"k": strings.Repeat("x", 128<<10)}
			must(s.Create(o))(t)
		}
		if since := time.Since(begin); since > 100*time.Millisecond {
			t.Errorf("the writes took %v", since)
		}
		if got := <-done; got != n {
			t.Errorf("the fast reader got %d of %d", got, n)
		}
		got, err := slow.rest()
		if len(got) == 0 || len(got) >= n || !errors.Is(err, io.EOF) {
			t.Errorf("the slow reader got %d of %d, %v", len(got), n, err)
		}
	})
}

// A version that is forgotten cannot be watched from.
func TestHistoryIsBounded(t *testing.T) {
	bubble(t, fakeapi.Options{History: 3}, func(t *testing.T, s *fakeapi.Server, c *http.Client) {
		versions := append(make([]string, 0, 5), s.ResourceVersion())
		for _, name := range []string{"a", "b", "c", "d"} {
			versions = append(versions, must(s.Create(configMap("default", name)))(t).ResourceVersion())
		}
		for i, want := range []string{"ERROR too old resource version: 1004 (1005)", "ADDED b"} {
			w := watch(t, c, maps+"?watch=true&resourceVersion="+versions[i])
			if diff := cmp.Diff([]string{want}, w.types(1)); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// A frame may be large.
func TestLargeObject(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := fakeapi.New(t, fakeapi.Options{})
		c := connect(s)
		w := watch(t, c, maps+"?watch=true")
		o := configMap("default", "big")
		o["data"] = map[string]any{"k": strings.Repeat("x", 1<<20), "é漢😀": "é漢😀"}
		go func() { _, _ = s.Create(o) }()
		if diff := cmp.Diff([]string{"ADDED big"}, w.types(1)); diff != "" {
			t.Error(diff)
		}
	})
}

// A watch whose time is over before it begins ends at once. Of a real server it depends on chance
// whether it says so.
func TestWatchWithoutTime(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
		begin := time.Now()
		got, err := watch(t, c, maps+"?watch=true&timeoutSeconds=-1").rest()
		if len(got) != 0 || !errors.Is(err, io.EOF) || time.Since(begin) != 0 {
			t.Errorf("%v, %v after %v", got, err, time.Since(begin))
		}
	})
}
