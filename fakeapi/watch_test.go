package fakeapi_test

import (
	"io"
	"net/http"
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

// R97: a fake loses a deletion, or a creation, between LIST and WATCH.
func TestR97WatchFromListMissesNothing(t *testing.T) {
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
		if diff := cmp.Diff([]string{"ERROR too old resource version: 1005 (1008)"}, got); diff != "" || err != io.EOF {
			t.Error(diff, err)
		}
	})
}

// R98: a fake watch without a version sends no initial state, or no events.
func TestR98WatchStarts(t *testing.T) {
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
		if got, err := future.rest(); len(got) != 0 || err != io.EOF || time.Since(begin) != 7*time.Second {
			t.Errorf("a watch of the future: %v, %v after %v", got, err, time.Since(begin))
		}
		must(s.Create(configMap("default", "c")))(t)
		if diff := cmp.Diff([]string{"ADDED c"}, now.types(1)); diff != "" {
			t.Error(diff)
		}
	})
}

// R102: a watch of all namespaces gets no events of namespaced objects.
func TestR102WatchOfAllNamespaces(t *testing.T) {
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
