package patch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/fakeapi/internal/patch"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	v, err := rest.Decode[T]([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return *v
}

// check compares a result with JSON, or an error with a text that it contains.
func check(t *testing.T, what, want string, got any, err error) {
	t.Helper()
	if problem, ok := strings.CutPrefix(want, "error: "); ok {
		if err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: got %v, want an error about %s", what, err, problem)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if diff := cmp.Diff(want, string(value.Encode(got))); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestMerge(t *testing.T) {
	for _, test := range []struct{ target, patch, want string }{
		{`{"a":1}`, `{}`, `{"a":1}`},
		{`{"a":1,"b":2}`, `{"a":null,"c":null}`, `{"b":2}`},
		{`{"a":{"b":1}}`, `{"a":{"c":2}}`, `{"a":{"b":1,"c":2}}`},
		{`{"a":[1]}`, `{"a":[2]}`, `{"a":[2]}`},
		{`{"a":"x"}`, `{"a":{"b":{"c":null}}}`, `{"a":{"b":{}}}`},
		{`{"a":{"b":1}}`, `{"a":"x"}`, `{"a":"x"}`},
	} {
		p := decode[map[string]any](t, test.patch)
		check(t, test.patch, test.want, patch.Merge(decode[map[string]any](t, test.target), p), nil)
	}
	if got := patch.Merge(nil, map[string]any{"a": "b"}); len(got) != 1 {
		t.Errorf("a nil target: %v", got)
	}
}

func TestOperations(t *testing.T) {
	const doc = `{"m":{"a/b":1,"n":null},"l":["x","y"]}`
	for _, test := range []struct{ patch, want string }{
		{`[]`, `{"l":["x","y"],"m":{"a/b":1,"n":null}}`},
		{`[{"op":"test","path":"/m/a~1b","value":1},{"op":"remove","path":"/m"}]`, `{"l":["x","y"]}`},
		{`[{"op":"add","path":"/l/-","value":"z"},{"op":"add","path":"/l/0","value":"w"}]`, `{"l":["w","x","y","z"],"m":{"a/b":1,"n":null}}`},
		{`[{"op":"remove","path":"/l/-1"},{"op":"replace","path":"/l/0","value":"z"}]`, `{"l":["z"],"m":{"a/b":1,"n":null}}`},
		{`[{"op":"move","from":"/l/0","path":"/m/x"},{"op":"copy","from":"/m/x","path":"/l/-"}]`, `{"l":["y","x"],"m":{"a/b":1,"n":null,"x":"x"}}`},
		{`[{"op":"replace","path":"/m/none","value":2}]`, `{"l":["x","y"],"m":{"a/b":1,"n":null,"none":2}}`},
		{`[{"op":"test","path":"/m/none"}]`, `{"l":["x","y"],"m":{"a/b":1,"n":null}}`},
		{`[{"op":"replace","path":"","value":[1]},{"op":"add","path":"/-","value":2}]`, `[1,2]`},
		{`[{"op":"replace","path":"/l/2","value":1}]`, "error: there is nothing at the path"},
		{`[{"op":"replace","path":"","value":"x"}]`, "error: there is nothing at the path"},
		{`[{"op":"add","path":"","value":{}}]`, "error: there is nothing at the path"},
		{`[{"op":"remove","path":"/m/none"}]`, "error: there is nothing at the path"},
		{`[{"op":"add","path":"/l/0/deep","value":1}]`, "error: there is nothing at the path"},
		{`[{"op":"add","path":"/l/x","value":1}]`, "error: invalid syntax"},
		{`[{"op":"test","path":"/l/0","value":"y"}]`, "error: the test failed"},
		{`[{"op":"move","path":"/l"}]`, "error: an operation lacks a member"},
		{`[{"op":"add","value":1}]`, "error: an operation lacks a member"},
		{`[{"op":"jump","path":"/l"}]`, "error: the operation is not known"},
	} {
		got, err := patch.Operations(any(decode[map[string]any](t, doc)), decode[[]map[string]any](t, test.patch))
		check(t, test.patch, test.want, got, err)
	}
}

// A patch cannot grow a document without limit.
func TestOperationsThatCopyTooMuch(t *testing.T) {
	ops := decode[[]map[string]any](t, "["+strings.Repeat(`{"op":"copy","from":"/a","path":"/a/-"},`, 40)+`{"op":"test","path":"/b"}]`)
	_, err := patch.Operations(any(map[string]any{"a": []any{"x", []any{}}}), ops)
	check(t, "forty copies", "error: too much is copied", nil, err)
}

func TestUnknownMembers(t *testing.T) {
	ops := decode[[]map[string]any](t, `[{"op":"add","path":"/a","value":1},{"op":"copy","from":"/a","path":"/b","more":1}]`)
	if diff := cmp.Diff([]string{"[1].more"}, patch.UnknownMembers(ops)); diff != "" {
		t.Error(diff)
	}
}

func TestStrategic(t *testing.T) {
	const doc = `{"metadata":{"finalizers":["a/a","b/b"]},"spec":{"nodeSelector":{"a":"b"},"containers":[{"name":"c","args":["x"]},{"name":"d"}]}}`
	containers := func(list string) string { return `{"spec":{"containers":[` + list + `]}}` }
	with := func(list string) string {
		return strings.ReplaceAll(`{"metadata":{"finalizers":["a/a","b/b"]},"spec":{"containers":[LIST],"nodeSelector":{"a":"b"}}}`, "LIST", list)
	}
	for _, test := range []struct{ patch, want string }{
		{containers(`{"name":"d","image":"i"}`), with(`{"args":["x"],"name":"c"},{"image":"i","name":"d"}`)},
		{containers(`{"name":"e"}`), with(`{"name":"e"},{"args":["x"],"name":"c"},{"name":"d"}`)},
		{containers(`{"name":"c","$patch":"delete"}`), with(`{"name":"d"}`)},
		{containers(`{"$patch":"replace"},{"name":"e"}`), with(`{"name":"e"}`)},
		{containers(`{"name":"c","args":["y"]}`), with(`{"args":["y"],"name":"c"},{"name":"d"}`)},
		{`{"spec":{"$setElementOrder/containers":[{"name":"d"},{"name":"c"}]}}`, with(`{"name":"d"},{"args":["x"],"name":"c"}`)},
		{`{"metadata":{"$deleteFromPrimitiveList/finalizers":["a/a"]}}`, strings.Replace(with(`{"args":["x"],"name":"c"},{"name":"d"}`), `"a/a",`, "", 1)},
		{`{"spec":{"$retainKeys":["containers"],"containers":null,"$patch":"replace"}}`, `{"metadata":{"finalizers":["a/a","b/b"]},"spec":{"$retainKeys":["containers"],"containers":null}}`},
		{`{"spec":{"nodeSelector":{"a":null}}}`, strings.Replace(with(`{"args":["x"],"name":"c"},{"name":"d"}`), `,"nodeSelector":{"a":"b"}`, "", 1)},
		{`{"$patch":"delete"}`, `{}`},
		{`{"spec":{"$patch":"sometimes"}}`, "error: unknown patch type: sometimes"},
		{containers(`{"image":"i"}`), "error: does not contain declared merge key: name"},
		{containers(`"c"`), "error: list element types are not identical"},
	} {
		got, err := patch.Strategic(decode[map[string]any](t, doc), decode[map[string]any](t, test.patch), patch.SchemaOf("v1/Pod"))
		check(t, test.patch, test.want, got, err)
	}
}

// Some errors of strategic patches can be told apart.
func TestStrategicErrors(t *testing.T) {
	for text, want := range map[string]error{
		`{"$retainKeys":"a"}`:                            patch.ErrFormat,
		`{"$setElementOrdera":[]}`:                       patch.ErrFormat,
		`{"$deleteFromPrimitiveLista":[]}`:               patch.ErrFormat,
		`{"metadata":{"finalizers":[["a"]]}}`:            patch.ErrListOfLists,
		`{"$setElementOrder/none":[],"none":["a"]}`:      patch.ErrUnknownOrder,
		`{"metadata":{"$setElementOrder/a":["a"]}}`:      patch.ErrUnknownOrder,
		`{"metadata":{"$setElementOrder/a":"a string"}}`: nil,
	} {
		o := map[string]any{"metadata": map[string]any{"finalizers": []any{}}}
		_, err := patch.Strategic(o, decode[map[string]any](t, text), patch.SchemaOf("v1/Pod"))
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", text, err, want)
		}
	}
}

// Of a kind that is not known, objects are merged and lists replaced.
func TestStrategicWithoutSchema(t *testing.T) {
	got, err := patch.Strategic(map[string]any{"a": map[string]any{"b": "c"}, "l": []any{"x"}},
		map[string]any{"a": map[string]any{"d": "e"}, "l": []any{"y"}}, patch.SchemaOf("example.com/v1/Widget"))
	check(t, "no schema", `{"a":{"b":"c","d":"e"},"l":["y"]}`, got, err)
}
