package fakeapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
)

// owned is a ConfigMap whose owner has never existed.
func owned(name string) rest.Object {
	return rest.Object{"metadata": map[string]any{
		"name": name, "namespace": "default", "uid": "u-" + name,
		"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "u-gone"}},
	}}
}

// Whatever a write changes, and whether it refuses or not, its garbage is collected before anybody
// sees it.
func TestWriteCollects(t *testing.T) {
	s := New(t, Options{Collect: true})
	r := s.store.find("", "configmaps")
	for name, write := range map[string]func(t *tx) *rest.Status{
		"a plain change":       func(t *tx) *rest.Status { t.insert(r, owned("a"), ""); return nil },
		"two changes":          func(t *tx) *rest.Status { t.insert(r, owned("a"), ""); t.insert(r, owned("b"), ""); return nil },
		"one that refuses":     func(t *tx) *rest.Status { t.insert(r, owned("a"), ""); return unauthorized() },
		"no change, by itself": func(*tx) *rest.Status { return nil },
	} {
		before := s.ResourceVersion()
		s.store.write(write)
		var left []string
		s.store.read(func() { left = r.sortedKeys(r.objects, "") })
		if diff := cmp.Diff([]string{}, left); diff != "" {
			t.Errorf("%s: left (-want +got):\n%s", name, diff)
		}
		if changed := s.ResourceVersion() != before; changed != (name != "no change, by itself") {
			t.Errorf("%s: from version %s to %s", name, before, s.ResourceVersion())
		}
	}
}

// A write that panics lets go of the mutex.
func TestWriteThatPanics(t *testing.T) {
	s := New(t, Options{})
	func() {
		defer func() { _ = recover() }()
		s.store.write(func(*tx) *rest.Status { panic("in a write") })
	}()
	if _, err := s.Get("Namespace", "", "default"); err != nil {
		t.Error(err)
	}
}
