package rest_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
)

type (
	text    string
	number  int16
	truth   bool
	strMap  map[text]text
	objects []rest.Object
)

// The accessors read what a program has put into an object as they read what a server has sent.
func TestAccessorsOfWhatProgramsBuild(t *testing.T) {
	want := map[string]string{"app": "web"}
	for _, labels := range []any{
		want, map[string]any{"app": "web"}, rest.Object{"app": "web"}, strMap{"app": "web"}, map[string]text{"app": "web"}, map[string]any{"app": text("web")},
	} {
		o := rest.Object{"metadata": map[string]any{"labels": labels, "annotations": labels}}
		if d := cmp.Diff(want, o.Labels()); d != "" || !cmp.Equal(want, o.Annotations()) {
			t.Errorf("%T (-want +got)\n%s", labels, d)
		}
		if got := o.String("metadata", "labels", "app"); got != "web" {
			t.Errorf("%T: the label is %q", labels, got)
		}
		if len(o.Map("metadata", "labels")) != 1 {
			t.Errorf("%T: Map is %v", labels, o.Map("metadata", "labels"))
		}
		if _, ok := o.Get("metadata", "labels", "none"); ok {
			t.Errorf("%T has a label that is not there", labels)
		}
	}
	if o := (rest.Object{"metadata": map[string]map[string]string{"labels": want}}); !cmp.Equal(want, o.Labels()) {
		t.Errorf("a typed metadata has the labels %v", o.Labels())
	}
}

// Int takes every type of number, and nothing else.
func TestIntOfWhatProgramsBuild(t *testing.T) {
	for _, n := range []any{
		3, int8(3), int16(3), int32(3), int64(3), uint(3), uint8(3), uint64(3), float32(3), 3.0, json.Number("3"), json.Number("3.0"), number(3),
	} {
		if got := (rest.Object{"n": n}).Int("n"); got != 3 {
			t.Errorf("%T: Int is %d", n, got)
		}
	}
	for _, n := range []any{3.5, uint64(math.MaxUint64), 1e30, -1e30, math.NaN(), math.Inf(1), "3", json.Number("x"), nil, true} {
		if got := (rest.Object{"n": n}).Int("n"); got != 0 {
			t.Errorf("%v: Int is %d, want 0", n, got)
		}
	}
}

// Slice takes every type of slice but bytes, Bool and String every type of theirs.
func TestSliceOfWhatProgramsBuild(t *testing.T) {
	for _, s := range []any{[]string{"a", "b"}, []any{"a", "b"}, [2]string{"a", "b"}, []text{"a", "b"}} {
		if got := (rest.Object{"s": s}).Slice("s"); len(got) != 2 {
			t.Errorf("%T: Slice is %v", s, got)
		}
	}
	for _, s := range []any{[]map[string]any{{"name": "a"}}, objects{{"name": "a"}}, []map[string]string{{"name": "a"}}} {
		got := (rest.Object{"s": s}).Slice("s")
		if len(got) != 1 || (rest.Object{"o": got[0]}).String("o", "name") != "a" {
			t.Errorf("%T: Slice is %v", s, got)
		}
	}
	for _, v := range []any{nil, "x", []byte("x"), []string(nil), 3, map[int]string{1: "x"}} {
		if o := (rest.Object{"v": v}); o.Slice("v") != nil || o.Map("v") != nil {
			t.Errorf("%T: Slice is %v, Map %v, want nil", v, o.Slice("v"), o.Map("v"))
		}
	}
	if !(rest.Object{"b": truth(true)}).Bool("b") || (rest.Object{"b": "true"}).Bool("b") {
		t.Error("Bool")
	}
	if got := (rest.Object{"s": text("x")}).String("s"); got != "x" {
		t.Errorf("String is %q", got)
	}
}
