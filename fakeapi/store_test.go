package fakeapi_test

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

const merge = "application/merge-patch+json"

// widget is a custom kind with a status, gadget one without.
var (
	widget = rest.Served{
		Kind:         rest.Kind{Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets", Namespaced: true},
		Subresources: []string{"status"},
	}
	gadget = rest.Served{Kind: rest.Kind{Group: "example.com", Version: "v1", Kind: "Gadget", Plural: "gadgets"}}
)

const (
	widgets = "/apis/example.com/v1/namespaces/default/widgets"
	gadgets = "/apis/example.com/v1/gadgets"
)

// object reads the answer's object.
func (a answer) object(t *testing.T) rest.Object {
	t.Helper()
	o, err := rest.Decode[rest.Object]([]byte(a.Body))
	if err != nil {
		t.Fatalf("%s: %v", a.Body, err)
	}
	return *o
}

// bubble runs a test with a server and a client in a bubble.
func bubble(t *testing.T, o fakeapi.Options, f func(t *testing.T, s *fakeapi.Server, c *http.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := fakeapi.New(t, o)
		f(t, s, client(t, s))
	})
}

// Objects with finalizers stay until the last finalizer is gone.
func TestFinalizers(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
		w := watch(t, c, maps+"?watch=true")
		created := do(t, c, "POST", maps, `{"metadata":{"name":"a","deletionTimestamp":"2020-01-01T00:00:00Z","finalizers":["x.io/f"]}}`)
		if o := created.object(t); created.Code != 201 || o.String("metadata", "deletionTimestamp") != "" {
			t.Errorf("created with a deletionTimestamp: %v", created)
		}
		wrong := do(t, c, "DELETE", maps+"/a", `{"preconditions":{"uid":"other"}}`)
		if wrong.Code != 409 {
			t.Errorf("deleted with another uid: %v", wrong)
		}
		deleted := do(t, c, "DELETE", maps+"/a", "")
		if o := deleted.object(t); deleted.Code != 200 || o.Kind() != "ConfigMap" || o.String("metadata", "deletionTimestamp") == "" {
			t.Errorf("deleted: %v", deleted)
		}
		if diff := cmp.Diff(deleted, do(t, c, "DELETE", maps+"/a", "")); diff != "" {
			t.Errorf("deleted again: %s", diff)
		}
		if got := do(t, c, "GET", maps+"/a", "").Code; got != 200 {
			t.Errorf("it is gone: %d", got)
		}
		more := do(t, c, "PATCH", maps+"/a", `{"metadata":{"finalizers":["x.io/f","x.io/g"]}}`, "Content-Type", merge)
		if more.Code != 422 {
			t.Errorf("a finalizer was added: %v", more)
		}
		o := deleted.object(t)
		delete(o.Map("metadata"), "finalizers")
		if got := do(t, c, "PUT", maps+"/a", encode(t, o)); got.Code != 200 {
			t.Errorf("the last finalizer: %v", got)
		}
		if got := do(t, c, "GET", maps+"/a", "").Code; got != 404 {
			t.Errorf("it is there: %d", got)
		}
		if diff := cmp.Diff([]string{"ADDED a", "MODIFIED a", "DELETED a"}, w.types(3)); diff != "" {
			t.Error(diff)
		}
	})
}

// The main endpoint does not change the status, and /status changes nothing else.
func TestStatusIsApart(t *testing.T) {
	bubble(t, fakeapi.Options{Kinds: []rest.Served{widget, gadget}}, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
		const head = `{"apiVersion":"example.com/v1","kind":"Widget",`
		created := do(t, c, "POST", widgets, head+`"metadata":{"name":"w"},"spec":{"size":1},"status":{"ready":true}}`).object(t)
		state := func(o rest.Object) []any {
			return []any{o["spec"], o["status"], o.Int("metadata", "generation"), o.Labels()}
		}
		spec := func(n int64) any { return map[string]any{"size": n} }
		none := map[string]string{}
		if diff := cmp.Diff([]any{spec(1), nil, int64(1), none}, state(created)); diff != "" {
			t.Errorf("created: %s", diff)
		}
		created["spec"], created["status"] = spec(2), map[string]any{"ready": true}
		updated := do(t, c, "PUT", widgets+"/w", encode(t, created)).object(t)
		if diff := cmp.Diff([]any{spec(2), nil, int64(2), none}, state(updated)); diff != "" {
			t.Errorf("updated: %s", diff)
		}
		patched := do(t, c, "PATCH", widgets+"/w/status",
			`{"spec":{"size":9},"metadata":{"labels":{"a":"b"}},"status":{"ready":true}}`, "Content-Type", merge).object(t)
		if diff := cmp.Diff([]any{spec(2), map[string]any{"ready": true}, int64(2), none}, state(patched)); diff != "" {
			t.Errorf("patched: %s", diff)
		}
		if got := do(t, c, "PUT", widgets+"/w/status", encode(t, updated)).Code; got != 409 {
			t.Errorf("a stale status: %d", got)
		}
		kept := do(t, c, "PATCH", widgets+"/w", `{"spec":{"size":3},"status":null}`, "Content-Type", merge).object(t)
		if diff := cmp.Diff([]any{spec(3), map[string]any{"ready": true}, int64(3), none}, state(kept)); diff != "" {
			t.Errorf("status by the main endpoint: %s", diff)
		}
		do(t, c, "POST", gadgets, `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g"},"status":{"ready":true}}`)
		if got := do(t, c, "GET", gadgets+"/g/status", "").Code; got != 404 {
			t.Errorf("a kind without the subresource: %d", got)
		}
	})
}

// Stale updates are refused.
func TestConflicts(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server, c *http.Client) {
		created := do(t, c, "POST", maps, `{"metadata":{"name":"a"},"data":{"k":"v"}}`).object(t)
		put := func(o rest.Object) answer { return do(t, c, "PUT", maps+"/a", encode(t, o)) }
		change := func(value string) rest.Object {
			o := rest.Object{"metadata": map[string]any{"name": "a", "resourceVersion": created.ResourceVersion()}, "data": map[string]any{"k": value}}
			return o
		}
		same := put(change("v"))
		if o := same.object(t); same.Code != 200 || o.ResourceVersion() != created.ResourceVersion() {
			t.Errorf("nothing was changed: %v", same)
		}
		var mu sync.Mutex
		codes := map[int]int{}
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				code := put(change(strconv.Itoa(i))).Code
				mu.Lock()
				defer mu.Unlock()
				codes[code]++
			})
		}
		wg.Wait()
		if diff := cmp.Diff(map[int]int{200: 1, 409: 49}, codes); diff != "" {
			t.Error(diff)
		}
		for name, test := range map[string]struct {
			method, path, body string
			code               int
		}{
			"without a version":      {"PUT", maps + "/a", `{"metadata":{"name":"a"},"data":{"k":"w"}}`, 200},
			"with another uid":       {"PUT", maps + "/a", `{"metadata":{"name":"a","uid":"x"}}`, 409},
			"created with a version": {"POST", maps, `{"metadata":{"name":"b","resourceVersion":"1"}}`, 500},
			"that conditional kinds need": {
				"PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l", `{"metadata":{"name":"l"},"spec":{}}`, 422,
			},
		} {
			if name == "that conditional kinds need" {
				must(s.Create(rest.Object{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": map[string]any{"name": "l"}}))(t)
			}
			if got := do(t, c, test.method, test.path, test.body); got.Code != test.code {
				t.Errorf("%s: %v", name, got)
			}
		}
	})
}

// The methods of the server do what requests do, and more.
func TestDirect(t *testing.T) {
	bubble(t, fakeapi.Options{Kinds: []rest.Served{widget}}, func(t *testing.T, s *fakeapi.Server, c *http.Client) {
		type Pod struct {
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
			Status struct {
				Phase string `json:"phase"`
			} `json:"status"`
		}
		var pod Pod
		pod.Metadata.Name, pod.Status.Phase = "p", "Running"
		created := must(s.Create(&pod))(t)
		if created.Kind() != "Pod" || created.Namespace() != "default" || created.String("status", "phase") != "Running" {
			t.Errorf("created: %v", created)
		}
		if _, err := s.Create(pod); !errors.Is(err, rest.ErrAlreadyExists) {
			t.Errorf("created again: %v", err)
		}
		created["spec"] = map[string]any{"nodeName": "n"}
		updated := must(s.Update(created))(t)
		if _, err := s.Update(created); !errors.Is(err, rest.ErrConflict) {
			t.Errorf("a stale update: %v", err)
		}
		must(s.Merge("Pod", "default", "p", `{"status":{"phase":"Failed"},"metadata":{"finalizers":["x.io/f"]}}`))(t)
		if got := must(s.Get("v1/Pod", "default", "p"))(t); got.String("status", "phase") != "Failed" || got.UID() != updated.UID() {
			t.Errorf("merged: %v", got)
		}
		if got := must(s.Delete("Pod", "default", "p"))(t); got.String("metadata", "deletionTimestamp") == "" {
			t.Errorf("deleted: %v", got)
		}
		if got := must(s.List("Pod", ""))(t); len(got) != 1 {
			t.Errorf("%d pods are left", len(got))
		}
		must(s.Remove("Pod", "default", "p"))(t)
		if _, err := s.Get("Pod", "default", "p"); !errors.Is(err, rest.ErrNotFound) {
			t.Errorf("removed: %v", err)
		}
		must(s.Apply(rest.Object{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w"}, "spec": map[string]any{"n": 1}}))(t)
		must(s.Apply(map[string]any{"kind": "Widget", "metadata": map[string]any{"name": "w"}, "spec": map[string]any{"n": 2}}))(t)
		if got := must(s.Get("Widget", "default", "w"))(t); got.Int("spec", "n") != 2 || got.Int("metadata", "generation") != 2 {
			t.Errorf("applied: %v", got)
		}
		if got := do(t, c, "GET", widgets+"/w", "").Code; got != 200 {
			t.Errorf("over HTTP: %d", got)
		}
		directErrors(t, s)
	})
}

// The methods of the server return errors for what they cannot do.
func directErrors(t *testing.T, s *fakeapi.Server) {
	for _, err := range []error{
		second(s.Create(rest.Object{"kind": "Nothing"})), second(s.Get("Nothing", "", "x")), second(s.Merge("Pod", "", "x", "{")),
		second(s.Delete("Pod", "default", "none")), second(s.Remove("Pod", "default", "none")),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
}

func second(_ rest.Object, err error) error { return err }

func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := rest.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
