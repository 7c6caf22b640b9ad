package rest_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// merge applies a merge patch as RFC 7386 says.
func merge(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	t, ok := target.(map[string]any)
	if !ok {
		t = map[string]any{}
	}
	for name, v := range p {
		if v == nil {
			delete(t, name)
		} else {
			t[name] = merge(t[name], v)
		}
	}
	return t
}

// anyJSON returns a random value without null, which a merge patch cannot set.
func anyJSON(r *rand.Rand, depth int) any {
	switch n := r.IntN(6); {
	case n < 3 && depth > 0:
		m := map[string]any{}
		for range r.IntN(4) {
			m[string(rune('a'+r.IntN(4)))] = anyJSON(r, depth-1)
		}
		return m
	case n == 3 && depth > 0:
		return []any{anyJSON(r, depth-1), "x"}
	case n == 4:
		return r.IntN(2) == 0
	}
	return string(rune('p' + r.IntN(3)))
}

// The difference that Modify sends makes exactly the change, whatever it is.
func TestModifyIsWhatWasAskedFor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var stored map[string]any
	c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodPatch {
			var patch any
			if err := json.NewDecoder(q.Body).Decode(&patch); err != nil {
				t.Error(err)
			}
			stored = merge(stored, patch).(map[string]any)
		}
		raw, err := json.Marshal(stored)
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(raw)
	}), kubeconfig.Config{})
	nodes := rest.For[rest.Object](c, "Node")
	for range 500 {
		object := func() map[string]any {
			return map[string]any{
				"kind": "Node", "apiVersion": "v1", "spec": anyJSON(r, 4),
				"metadata": map[string]any{"name": "n", "resourceVersion": "1"},
			}
		}
		stored = object()
		after := object()
		got, err := one(t, nodes.Modify(t.Context(), "n", func(o *rest.Object) error { *o = after; return nil }))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(after, map[string]any(*got), cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	}
}
