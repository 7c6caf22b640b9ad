package shape_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/rest/internal/shape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type (
	plain struct {
		Kind       string `json:"kind"`
		APIVersion string `json:"apiVersion"`
		Spec       struct {
			Replicas int `json:"replicas"`
		} `json:"spec"`
	}
	embedding struct {
		plain
		Extra string `json:"extra"`
	}
	keeping struct {
		Name string         `json:"name"`
		Rest map[string]any `json:",embed"`
	}
	untagged struct{ Name string }
	mine     map[string]any
)

// Which types can hold an object, and which hold all of it.
func TestOf(t *testing.T) {
	for _, test := range []struct {
		typ          reflect.Type
		holds, whole bool
	}{
		{reflect.TypeFor[plain](), true, false},
		{reflect.TypeFor[embedding](), true, false},
		{reflect.TypeFor[keeping](), true, true},
		{reflect.TypeFor[mine](), true, true},
		{reflect.TypeFor[map[string]any](), true, true},
		{reflect.TypeFor[any](), true, true},
		{reflect.TypeFor[jsontext.Value](), true, true},
		{reflect.TypeFor[untagged](), false, false},
		{reflect.TypeFor[*plain](), false, false},
		{reflect.TypeFor[[]plain](), false, false},
		{reflect.TypeFor[map[int]any](), false, true},
		{reflect.TypeFor[func()](), false, true},
	} {
		s := shape.Of(test.typ)
		if (s.Err == nil) != test.holds || s.Whole() != test.whole {
			t.Errorf("%v: error %v, whole %v; want one that holds: %v, whole: %v", test.typ, s.Err, s.Whole(), test.holds, test.whole)
		}
		if shape.Of(test.typ) != s {
			t.Errorf("%v is looked at twice", test.typ)
		}
	}
}

// Kind and apiVersion go where a value has a place for them, and never over what is there.
func TestFill(t *testing.T) {
	for _, test := range []struct{ v, want any }{
		{&plain{}, &plain{Kind: "Pod", APIVersion: "v1"}},
		{&plain{Kind: "X"}, &plain{Kind: "X", APIVersion: "v1"}},
		{&embedding{}, &embedding{plain: plain{Kind: "Pod", APIVersion: "v1"}}},
		{&keeping{}, &keeping{}},
		{&mine{}, &mine{"kind": "Pod", "apiVersion": "v1"}},
		{new(mine), new(mine)},
		{&map[string]any{"kind": "", "apiVersion": nil}, &map[string]any{"kind": "Pod", "apiVersion": "v1"}},
		{&map[string]string{"kind": "X"}, &map[string]string{"kind": "X", "apiVersion": "v1"}},
		{&map[string]jsontext.Value{}, &map[string]jsontext.Value{"kind": jsontext.Value(`"Pod"`), "apiVersion": jsontext.Value(`"v1"`)}},
		{new(jsontext.Value(`{"a":1}`)), new(jsontext.Value(`{"apiVersion":"v1","kind":"Pod","a":1}`))},
	} {
		shape.Of(reflect.TypeOf(test.v).Elem()).Fill(test.v, "Pod", "v1")
		if d := cmp.Diff(test.want, test.v, cmp.AllowUnexported(embedding{})); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	}
}

// The error of a value that does not fit says where, and never repeats the value.
func TestDecodeHidesValues(t *testing.T) {
	const secret = "hunter2"
	type dated struct {
		At time.Time `json:"at"`
	}
	for _, test := range []struct {
		v   any
		raw string
	}{
		{new(plain), `{"spec":{"replicas":"` + secret + `"}}`},
		{new(dated), `{"at":"` + secret + `"}`},
		{new(map[string]int), `{"a":"` + secret + `"}`},
	} {
		err := shape.Of(reflect.TypeOf(test.v).Elem()).Decode([]byte(test.raw), test.v)
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", test.raw, err)
		}
	}
}
