package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
)

// Whole decodes itself.
type Whole struct{ raw string }

func (w *Whole) UnmarshalJSON(raw []byte) error {
	w.raw = string(raw)
	return nil
}

// Streamed decodes itself from a decoder.
type Streamed struct{ kind jsontext.Kind }

func (s *Streamed) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	s.kind = dec.PeekKind()
	return dec.SkipValue()
}

type (
	untagged struct{ Name string }
	ignored  struct {
		Name string `json:"-"`
	}
	unnamed struct {
		Name string `json:",omitempty"`
	}
	inside struct {
		Meta `json:",inline"`
	}
	byPointer struct{ *Meta }
	itself    struct{ *itself }
)

// The first use of a type that cannot hold an object fails, and the error says what to do.
func TestTypes(t *testing.T) {
	const tags = " cannot hold any of an object's JSON: no field has a json tag"
	const kinds = " cannot hold an object: use a struct with json tags, rest.Object, or a map with string keys"
	for want, err := range map[string]error{
		"rest_test.untagged" + tags: typeError[untagged](t),
		"rest_test.ignored" + tags:  typeError[ignored](t),
		"rest_test.unnamed" + tags:  typeError[unnamed](t),
		"rest_test.itself" + tags:   typeError[itself](t),
		"struct {}" + tags:          typeError[struct{}](t),
		"string" + kinds:            typeError[string](t),
		"int" + kinds:               typeError[int](t),
		"[]string" + kinds:          typeError[[]string](t),
		"[]uint8" + kinds:           typeError[[]byte](t),
		"map[int]string" + kinds:    typeError[map[int]string](t),
		"func()" + kinds:            typeError[func()](t),
		"error" + kinds:             typeError[error](t),
		"the type is a pointer: write rest_test.Pod, answers are pointers to it": typeError[*Pod](t),
	} {
		if got, want := errText(err), "rest: pods: "+want; got != want {
			t.Errorf("error is\n\t%s, want\n\t%s", got, want)
		}
	}
	for _, err := range []error{
		typeError[Pod](t), typeError[inside](t), typeError[byPointer](t), typeError[rest.Object](t), typeError[any](t),
		typeError[map[string]any](t), typeError[map[string]string](t), typeError[jsontext.Value](t), typeError[json.RawMessage](t),
		typeError[Whole](t), typeError[Streamed](t),
	} {
		if err != nil {
			t.Error(err)
		}
	}
}

// typeError returns the error of the first request, which must be that of Err.
func typeError[T any](t *testing.T) error {
	t.Helper()
	c, _ := scripted(t, ok("{}"))
	r := rest.For[T](c, "Pod").In("default")
	if err := r.Endpoint().Err(); err != nil {
		if first := errOf(r.Get(t.Context(), "web")); first.Error() != err.Error() {
			t.Errorf("the first request says %v, and Err %v", first, err)
		}
		return err
	}
	return nil
}

// Types that decode themselves do so everywhere, even if they have no field for the kind.
func TestSelfDecoding(t *testing.T) {
	if d := cmp.Diff([]Whole{{`{"metadata":{"name":"web","namespace":"default"}}`}}, listed[Whole](t, page("1", "", "web")), cmp.AllowUnexported(Whole{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Streamed{{'{'}}, listed[Streamed](t, page("1", "", "web")), cmp.AllowUnexported(Streamed{})); d != "" {
		t.Error(d)
	}
	c, _ := scripted(t)
	p, err := rest.For[Pod](c, "Pod").Decode([]byte(`{"metadata":{"name":"web"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&Pod{Kind: "Pod", APIVersion: "v1", Metadata: Meta{Name: "web"}}, p); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]inside{{Meta{Name: "x"}}}, listed[inside](t, ok(`{"items":[{"name":"x"}]}`))); d != "" {
		t.Error(d)
	}
}

func TestObject(t *testing.T) {
	o := mustDecode[rest.Object](t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default","uid":"u","resourceVersion":"7","labels":{"a":"b","n":1}},"spec":{"replicas":3,"f":2.0,"paused":true,"list":[1],"x":null}}`)
	got := []any{
		o.APIVersion(), o.Kind(), o.Name(), o.Namespace(), o.UID(), o.ResourceVersion(), o.Labels(), o.Annotations(),
		o.Int("spec", "replicas"), o.Int("spec", "f"), o.Bool("spec", "paused"), o.Slice("spec", "list"), o.Map("metadata", "labels"),
		o.String("spec"), o.Int("kind"), o.Bool("nothing", "there"), o.Slice("spec"), o.Map("kind"),
	}
	want := []any{
		"apps/v1", "Deployment", "web", "default", "u", "7",
		map[string]string{"a": "b"},
		map[string]string{},
		int64(3), int64(2), true,
		[]any{int64(1)},
		map[string]any{"a": "b", "n": int64(1)},
		"", int64(0), false, []any(nil), map[string]any(nil),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if v, ok := o.Get("spec", "x"); v != nil || !ok {
		t.Errorf("null is %v, %v", v, ok)
	}
	if _, ok := o.Get("spec", "y"); ok {
		t.Error("y is there")
	}
	nested := rest.Object{"spec": rest.Object{"n": 1, "m": int32(2)}}
	if nested.Int("spec", "n") != 1 || nested.Int("spec", "m") != 2 || nested.Map("spec") == nil {
		t.Error("an Object in an Object is not walked through")
	}
	if rest.Object(nil).Name() != "" {
		t.Error("nil has a name")
	}
}

func TestNewObject(t *testing.T) {
	c, _ := scripted(t)
	want := &Pod{Kind: "Pod", APIVersion: "v1", Metadata: Meta{Name: "web", Namespace: "default"}}
	if d := cmp.Diff(want, rest.For[Pod](c, "Pod").In("default").New("web")); d != "" {
		t.Error(d)
	}
	object := &rest.Object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{}}
	if d := cmp.Diff(object, rest.For[rest.Object](c, "Deployment").New("")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(new(Pod), rest.For[Pod](c, "Foo").New("web")); d != "" {
		t.Error(d)
	}
}
