package fakeapi_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// family is a server with a family: root owns leaf and branch, branch owns twig, and stray is owned
// by nobody.
func family(t *testing.T, collect bool) *fakeapi.Server {
	t.Helper()
	s := fakeapi.New(t, fakeapi.Options{Collect: collect})
	own(t, s, "root")
	own(t, s, "leaf", "root")
	own(t, s, "branch", "root")
	own(t, s, "twig", "branch")
	own(t, s, "stray")
	return s
}

// own stores a ConfigMap with owners, each of which waits for it.
func own(t *testing.T, s *fakeapi.Server, name string, owners ...string) {
	t.Helper()
	refs := make([]any, 0, len(owners))
	for _, owner := range owners {
		o, err := s.Get("ConfigMap", "default", owner)
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": o.UID(), "blockOwnerDeletion": true})
	}
	m := map[string]any{"name": name}
	if len(refs) > 0 {
		m["ownerReferences"] = refs
	}
	if _, err := s.Create(rest.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m}); err != nil {
		t.Fatal(err)
	}
}

// left returns the names of the ConfigMaps that are there.
func left(t *testing.T, s *fakeapi.Server) []string {
	t.Helper()
	all, err := s.List("ConfigMap", "default")
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(all))
	for _, o := range all {
		names = append(names, o.Name())
	}
	return names
}

func deleteBy(t *testing.T, s *fakeapi.Server, name string, p rest.Propagation) {
	t.Helper()
	maps := rest.For[rest.Object](s.Client(), "ConfigMap").In("default")
	if _, err := stream.Await(maps.Delete(t.Context(), name, rest.DeleteOptions{Propagation: p})); err != nil {
		t.Fatal(err)
	}
}

func TestCollect(t *testing.T) {
	tests := []struct {
		name    string
		collect bool
		delete  rest.Propagation
		of      string
		want    []string
	}{
		{"background", true, rest.Background, "root", []string{"stray"}},
		{"foreground", true, rest.Foreground, "root", []string{"stray"}},
		{"orphan", true, rest.Orphan, "root", []string{"branch", "leaf", "stray", "twig"}},
		{"a part", true, rest.Background, "branch", []string{"leaf", "root", "stray"}},
		{"off", false, rest.Background, "root", []string{"branch", "leaf", "stray", "twig"}},
		{"off and in the foreground", false, rest.Foreground, "root", []string{"branch", "leaf", "root", "stray", "twig"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := family(t, test.collect)
			deleteBy(t, s, test.of, test.delete)
			if diff := cmp.Diff(test.want, left(t, s)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestCollectOrphans(t *testing.T) {
	s := family(t, true)
	deleteBy(t, s, "root", rest.Orphan)
	for _, name := range []string{"leaf", "branch"} {
		o, err := s.Get("ConfigMap", "default", name)
		if err != nil {
			t.Fatal(err)
		}
		if refs := o.Slice("metadata", "ownerReferences"); len(refs) > 0 {
			t.Errorf("%s still has owners: %v", name, refs)
		}
	}
}

func TestCollectTwoOwners(t *testing.T) {
	s := family(t, true)
	own(t, s, "shared", "root", "stray")
	deleteBy(t, s, "root", rest.Foreground)
	if diff := cmp.Diff([]string{"shared", "stray"}, left(t, s)); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	o, err := s.Get("ConfigMap", "default", "shared")
	if err != nil {
		t.Fatal(err)
	}
	if refs := o.Slice("metadata", "ownerReferences"); len(refs) != 1 {
		t.Errorf("one owner is left, but there are %v", refs)
	}
	deleteBy(t, s, "stray", rest.Background)
	if names := left(t, s); len(names) > 0 {
		t.Errorf("left: %v", names)
	}
}

// A finalizer of somebody else keeps a dependent, and that its owner in the foreground; in the
// background it does not.
func TestCollectWaitsForFinalizers(t *testing.T) {
	s := family(t, true)
	if _, err := s.Merge("ConfigMap", "default", "leaf", `{"metadata":{"finalizers":["example.org/a"]}}`); err != nil {
		t.Fatal(err)
	}
	deleteBy(t, s, "root", rest.Foreground)
	if diff := cmp.Diff([]string{"leaf", "root", "stray"}, left(t, s)); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	if _, err := s.Merge("ConfigMap", "default", "leaf", `{"metadata":{"finalizers":null}}`); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"stray"}, left(t, s)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCollectCircle(t *testing.T) {
	s := family(t, true)
	twig, err := s.Get("ConfigMap", "default", "twig")
	if err != nil {
		t.Fatal(err)
	}
	ref := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "twig", "uid": twig.UID(), "blockOwnerDeletion": true}
	branch, err := s.Get("ConfigMap", "default", "branch")
	if err != nil {
		t.Fatal(err)
	}
	branch["metadata"].(map[string]any)["ownerReferences"] = []any{ref}
	if _, err := s.Update(branch); err != nil {
		t.Fatal(err)
	}
	deleteBy(t, s, "branch", rest.Foreground)
	if names := left(t, s); slices.Contains(names, "branch") || slices.Contains(names, "twig") {
		t.Errorf("left: %v", names)
	}
}

// What two versions or groups show is one object: the collector changes it once.
func TestCollectWhatIsShownTwice(t *testing.T) {
	for _, kind := range []string{"v1/ConfigMap", "v1/Event", "events.k8s.io/v1/Event", "autoscaling/v1/HorizontalPodAutoscaler", "autoscaling/v2/HorizontalPodAutoscaler"} {
		t.Run(kind, func(t *testing.T) {
			s := fakeapi.New(t, fakeapi.Options{Collect: true})
			own(t, s, "root")
			root, err := s.Get("ConfigMap", "default", "root")
			if err != nil {
				t.Fatal(err)
			}
			version, name := kind[:strings.LastIndexByte(kind, '/')], kind[strings.LastIndexByte(kind, '/')+1:]
			ref := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "root", "uid": root.UID()}
			made, err := s.Create(rest.Object{"apiVersion": version, "kind": name, "metadata": map[string]any{"name": "owned", "ownerReferences": []any{ref}}})
			if err != nil {
				t.Fatal(err)
			}
			deleteBy(t, s, "root", rest.Orphan)
			left, err := s.Get(kind, "default", "owned")
			if err != nil || len(left.Slice("metadata", "ownerReferences")) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
			before, _ := strconv.Atoi(made.ResourceVersion())
			if after, _ := strconv.Atoi(s.ResourceVersion()); after-before != 3 {
				t.Errorf("there were %d changes, want 3: the root is marked, what it owns is changed, the root is gone", after-before)
			}
		})
	}
}
