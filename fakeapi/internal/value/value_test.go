package value_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sample() map[string]any {
	return map[string]any{"a": map[string]any{"b": []any{int64(1), nil, map[string]any{"c": "d"}}}, "e": true}
}

// A copy is the same, and shares nothing.
func TestCloneSharesNothing(t *testing.T) {
	o := sample()
	out := value.CloneMap(o)
	if !value.Same(o, out) {
		t.Errorf("not the same: %v", out)
	}
	out["a"].(map[string]any)["b"].([]any)[2].(map[string]any)["c"] = "changed"
	if diff := cmp.Diff(sample(), o); diff != "" {
		t.Errorf("the original was changed (-want +got):\n%s", diff)
	}
}

func TestSame(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b any
		want bool
	}{
		{"nothing", nil, nil, true},
		{"numbers of two types", int64(1), 1.0, false},
		{"a missing member and null", map[string]any{"a": nil}, map[string]any{}, false},
		{"members that differ", map[string]any{"a": int64(1)}, map[string]any{"b": int64(1)}, false},
		{"a map and a list", map[string]any{}, []any{}, false},
		{"a value and a list", "a", []any{"a"}, false},
		{"lists in another order", []any{"a", "b"}, []any{"b", "a"}, false},
		{"deep", sample(), sample(), true},
	} {
		if got := value.Same(test.a, test.b); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
		if got := value.Same(test.b, test.a); got != test.want {
			t.Errorf("%s, the other way round: %v", test.name, got)
		}
	}
}

func TestSameMapExcept(t *testing.T) {
	a, b := map[string]any{"a": "1", "x": "1"}, map[string]any{"a": "1", "x": "2", "y": "3"}
	if value.SameMap(a, b) || value.SameMap(a, b, "x") || !value.SameMap(a, b, "x", "y") || !value.SameMap(b, a, "x", "y") {
		t.Error("the members to ignore were not ignored, or too many were")
	}
}

func TestIsEmpty(t *testing.T) {
	for _, v := range []any{nil, "", map[string]any{}, []any{}} {
		if !value.IsEmpty(v) {
			t.Errorf("%#v is not empty", v)
		}
	}
	for _, v := range []any{"a", false, int64(0), []any{nil}, map[string]any{"a": nil}} {
		if value.IsEmpty(v) {
			t.Errorf("%#v is empty", v)
		}
	}
}

func TestChanges(t *testing.T) {
	for name, test := range map[string]struct {
		change func(m map[string]any)
		want   string
	}{
		"nulls":     {func(m map[string]any) { m["n"] = nil; value.DropNulls(m) }, `{"a":{"b":[1,null,{"c":"d"}]},"e":true}`},
		"fill":      {func(m map[string]any) { value.Fill(m, map[string]any{"a": map[string]any{"z": nil}, "e": false}) }, `{"a":{"b":[1,null,{"c":"d"}],"z":null},"e":true}`},
		"keep":      {func(m map[string]any) { value.Keep(m, map[string]any{"e": "old"}, "a", "e") }, `{"e":"old"}`},
		"default":   {func(m map[string]any) { value.Default(m, "v", "x", "y"); value.Default(m, "w", "x", "y") }, `{"a":{"b":[1,null,{"c":"d"}]},"e":true,"x":{"y":"v"}}`},
		"no object": {func(m map[string]any) { value.Default(m, "v", "e", "y") }, `{"a":{"b":[1,null,{"c":"d"}]},"e":true}`},
	} {
		m := sample()
		test.change(m)
		if diff := cmp.Diff(test.want, string(value.Encode(m))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAppendObject(t *testing.T) {
	m := map[string]any{"z": "1", "b": nil, "a": "<", "name": "n"}
	got := string(value.AppendObject([]byte("{"), m, []string{"z", "none", "name"}))
	if diff := cmp.Diff(`{"z":"1","name":"n","a":"\u003c","b":null}`, got); diff != "" {
		t.Error(diff)
	}
}
