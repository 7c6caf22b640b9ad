package fakeapi

import (
	"encoding/json"
	"testing"

	"github.com/tideway-go/tideway/rest"
)

// A selector that cannot be read gets words, whatever it is.
func FuzzLabelSelectorProblem(f *testing.F) {
	for _, text := range []string{"a=b=c", "!a=b", "a in b", "a in (b", "=a", "a>b", "a=b,", ",", "!", "a notin (x,y) z", "\x00", "é=ü", "a in (,", "(((", "a=!"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := rest.ParseLabels(text); err != nil && labelSelectorProblem(text) == "" {
			t.Errorf("%q: nothing is said of %v", text, err)
		}
	})
}

// A token is what the server wrote, or is refused.
func FuzzParseToken(f *testing.F) {
	for _, text := range []string{"", "abc", "e30", continueToken{Version: 5, Start: "/a\x00"}.String(), continueToken{Version: -1, Start: "../x"}.String()} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		token, err := parseToken(text)
		if err == nil && (token.Version == 0 || token.Start == "") {
			t.Errorf("%q: %+v", text, token)
		}
	})
}

// A merge patch is applied or refused, and never shares what it is made of.
func FuzzMergePatch(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":{"b":null}}`, `{"a":null}`, `[]`, `null`, `{"metadata":{"labels":{"x":"y"}}}`, `{`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, st := readMergePatch([]byte(text))
		if st != nil {
			return
		}
		before := string(encodeSorted(p))
		out := mergePatch(map[string]any{"a": map[string]any{"b": "c"}}, p)
		dropNulls(out)
		if after := string(encodeSorted(p)); after != before {
			t.Errorf("the patch was changed: %s, %s", before, after)
		}
	})
}

// A JSON patch and a strategic merge patch are applied or refused, and what they
// make can be encoded.
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
		if !json.Valid([]byte(text)) {
			return
		}
		target := func() map[string]any {
			o, err := rest.Decode[map[string]any]([]byte(object))
			if err != nil {
				t.Fatal(err)
			}
			return *o
		}
		if p, st := readStrategicPatch([]byte(text)); st == nil {
			if out, err := strategicMerge(target(), p, mergeSchema(mergeTypes["v1/Pod"])); err == nil {
				encodeSorted(out)
			}
		}
		if ops, st := readJSONPatch([]byte(text), ""); st == nil {
			if out, err := applyJSONPatch(target(), ops); err == nil {
				encodeSorted(out)
			}
		}
	})
}
