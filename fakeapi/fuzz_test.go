package fakeapi

import (
	"encoding/json"
	"testing"

	"github.com/tideway-go/tideway/rest"
)

// A continue token is one that the server wrote, or it is refused.
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

// An object that is taken for plain has no value of a wrong type, and says what it is as
// encoding/json reads it.
func FuzzIsPlain(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","labels":{"x":"y"},"creationTimestamp":null},"data":{"k":"v"}}`,
		`{"Kind":"ConfigMap"}`, `{"METADATA":{"name":1}}`, `{"metadata":{"Name":1}}`, `{"metadata":{"generation":1,"finalizers":["a/b",null]}}`,
		`{"metadata":{"ownerReferences":"x"}}`, `{"data":{"k":null}}`, `{"Data":{"k":1}}`, `{"immutable":"yes"}`, `{"metadata":null}`, `{"kind":null}`,
		`{"metadata":{"generation":1e3,"deletionGracePeriodSeconds":1.0}}`, `{"spec":{"replicas":1.5}}`, "{\"metadata\":{\"name\":\"\xff\"}}",
	} {
		f.Add(text)
	}
	names := []string{"v1/ConfigMap", "v1/Secret", "v1/Pod"}
	resources := make([]*resource, 0, 2*len(names)+1)
	for _, name := range names {
		k, err := rest.Lookup(name)
		if err != nil {
			f.Fatal(err)
		}
		resources = append(resources, newResource(&rest.Served{Kind: k}, false), newResource(&rest.Served{Kind: k}, true))
	}
	resources = append(resources, partOf(scaleKind))
	f.Fuzz(func(t *testing.T, text string) {
		content, err := decodeObject([]byte(text))
		if err != nil || hasDuplicates([]byte(text)) {
			return
		}
		for _, r := range resources {
			if !r.isPlain(content) {
				continue
			}
			var have typeMeta
			if err := json.Unmarshal([]byte(text), &have); err != nil {
				t.Errorf("%s: %q: %v", r.kind, text, err)
			}
			if want := (typeMeta{content.APIVersion(), content.Kind()}); have != want {
				t.Errorf("%s: %q: got %v, want %v", r.kind, text, have, want)
			}
			if err := r.typeError([]byte(text)); err != nil {
				t.Errorf("%s: %q: %v", r.kind, text, err)
			}
		}
	})
}
