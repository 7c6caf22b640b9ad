package patch_test

import (
	"testing"

	"github.com/tideway-go/tideway/fakeapi/internal/patch"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// A merge patch is applied, and never shares what it is made of.
func FuzzMerge(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":{"b":null}}`, `{"a":null}`, `[]`, `null`, `{"metadata":{"labels":{"x":"y"}}}`, `{`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := rest.Decode[map[string]any]([]byte(text))
		if err != nil {
			return
		}
		before := string(value.Encode(*p))
		out := patch.Merge(map[string]any{"a": map[string]any{"b": "c"}}, *p)
		value.DropNulls(out)
		if after := string(value.Encode(*p)); after != before {
			t.Errorf("the patch was changed: %s, %s", before, after)
		}
	})
}

// A JSON patch and a strategic merge patch are applied or refused, and what they make can be
// encoded.
func FuzzPatch(f *testing.F) {
	for _, text := range []string{
		`{"spec":{"containers":[{"name":"c","env":[{"name":"A","$patch":"delete"}]},{"$patch":"replace"}]}}`,
		`{"metadata":{"$setElementOrder/finalizers":["b/b","a/a"],"$deleteFromPrimitiveList/finalizers":["a/a"],"finalizers":["b/b"]}}`,
		`{"spec":{"$retainKeys":["containers"],"$setElementOrder/containers":[{"name":"d"},{"name":"c"}],"containers":[{"name":"d"}]}}`,
		`{"spec":{"$patch":"delete"},"metadata":{"$patch":"merge"}}`, `{"spec":{"$retainKeys":[{}],"nodeSelector":{"a":["b"]}}}`,
		`[{"op":"test","path":"/a~1b","value":[1]},{"op":"copy","from":"/spec","path":"/spec/copy"},{"op":"move","from":"/spec/containers/0","path":"/spec/containers/-"}]`,
		`[{"op":"add","path":"/spec/containers/-1","value":null},{"op":"replace","path":"","value":{}},{"op":"remove","path":"/metadata/finalizers/0"}]`,
		`[{"op":"add","path":"/","value":1},{"op":"remove","path":"/"}]`, `{`, `[]`, `null`, `[null]`,
		`[{"op":"replace","path":"","value":[1]},{"op":"add","path":"/-","value":2},{"op":"remove","path":"/0"},{"op":"move","from":"/0","path":"/0"}]`,
	} {
		f.Add(text)
	}
	const object = `{"metadata":{"name":"a","finalizers":["a/a"]},"spec":{"nodeSelector":{"a":"b"},"containers":[{"name":"c","args":["x"],"env":[{"name":"A","value":"1"}]}]}}`
	f.Fuzz(func(t *testing.T, text string) {
		target := func() map[string]any { return decode[map[string]any](t, object) }
		if p, err := rest.Decode[map[string]any]([]byte(text)); err == nil {
			if out, err := patch.Strategic(target(), *p, patch.SchemaOf("v1/Pod")); err == nil {
				value.Encode(out)
			}
		}
		if ops, err := rest.Decode[[]map[string]any]([]byte(text)); err == nil {
			if out, err := patch.Operations(any(target()), *ops); err == nil {
				value.Encode(out)
			}
		}
	})
}
