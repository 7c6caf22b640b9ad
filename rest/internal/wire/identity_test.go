package wire_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest/internal/wire"
)

func TestReadIdentity(t *testing.T) {
	whole := wire.Identity{APIVersion: "v1", Kind: "Pod", Name: "web", Namespace: "default", UID: "u", ResourceVersion: "7"}
	for name, test := range map[string]struct {
		raw  string
		want wire.Identity
	}{
		"usual order":     {`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","uid":"u","resourceVersion":"7","labels":{}},"spec":{}}`, whole},
		"types last":      {`{"metadata":{"labels":{"name":"no"},"resourceVersion":"7","uid":"u","namespace":"default","name":"web","x":[{"}":"\"{"}]},"spec":{"kind":"No"},"apiVersion":"v1","kind":"Pod"}`, whole},
		"white space":     {" {\n\t\"kind\" : \"Pod\" , \"apiVersion\":\"v1\",\r\n \"metadata\" : { \"name\": \"web\" , \"namespace\":\"default\",\"uid\":\"u\",\"resourceVersion\":\"7\" } } ", whole},
		"escapes":         {`{"k\u0069nd":"P\u006fd","apiVersion":"v1","metadata":{"n\u0061me":"web","namespace":"default","uid":"u","resourceVersion":"7"}}`, whole},
		"escaped quotes":  {`{"kind":"a\\","apiVersion":"\"","metadata":{"name":"\\\""}}`, wire.Identity{Kind: `a\`, APIVersion: `"`, Name: `\"`}},
		"stops early":     {`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","uid":"u","resourceVersion":"7",!`, whole},
		"empty":           {`{}`, wire.Identity{}},
		"null":            {`{"kind":null,"metadata":null}`, wire.Identity{}},
		"null inside":     {`{"metadata":{"name":null,"namespace":"x"}}`, wire.Identity{Namespace: "x"}},
		"case":            {`{"Kind":"Pod","Metadata":{"name":"x"},"metadata":{"Name":"y"}}`, wire.Identity{}},
		"other scalars":   {`{"a":1,"b":-1.5e3,"c":true,"d":false,"e":null,"f":[],"g":{},"kind":"Pod"}`, wire.Identity{Kind: "Pod"}},
		"invalid UTF-8":   {"{\"kind\":\"P\xff\"}", wire.Identity{Kind: "P\ufffd"}},
		"nested metadata": {`{"spec":{"metadata":{"name":"no"}},"metadata":{"name":"web"}}`, wire.Identity{Name: "web"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := wire.ReadIdentity([]byte(test.raw))
			if err != nil {
				t.Fatal(err)
			}
			got.KindAt, got.APIVersionAt = wire.Span{}, wire.Span{}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	for _, raw := range []string{"", "null", "[]", `"x"`, "{", `{"kind"`, `{"kind":`, `{"kind":}`, `{"kind":"Pod"`, `{"kind":1}`, `{"metadata":"x"}`, `{"metadata":{"name":[]}}`, `{"metadata":{"name":"x"`, `{"a":"\"}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":[}`} {
		if got, err := wire.ReadIdentity([]byte(raw)); err == nil {
			t.Errorf("%s: no error, but %+v", raw, got)
		}
	}
}

// Kind and apiVersion are filled in, or replaced in place.
func TestTypes(t *testing.T) {
	for _, test := range []struct{ raw, complete, set string }{
		{`{}`, `{"apiVersion":"apps/v1","kind":"Pod"}`, `{"apiVersion":"apps/v1","kind":"Pod"}`},
		{` { "a":1}`, `{"apiVersion":"apps/v1","kind":"Pod", "a":1}`, `{"apiVersion":"apps/v1","kind":"Pod", "a":1}`},
		{`{"kind":"X","a":{}}`, `{"apiVersion":"apps/v1","kind":"X","a":{}}`, `{"apiVersion":"apps/v1","kind":"Pod","a":{}}`},
		{`{"a":1,"kind": "","apiVersion" : null }`, `{"a":1,"kind": "Pod","apiVersion" : "apps/v1" }`, `{"a":1,"kind": "Pod","apiVersion" : "apps/v1" }`},
		{`{"apiVersion":"v1","metadata":{},"kind":"P\u006fd"}`, `{"apiVersion":"v1","metadata":{},"kind":"P\u006fd"}`, `{"apiVersion":"apps/v1","metadata":{},"kind":"Pod"}`},
	} {
		is, err := wire.ReadIdentity([]byte(test.raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(wire.Complete([]byte(test.raw), &is, "Pod", "apps/v1")); got != test.complete {
			t.Errorf("%s is completed to %s, want %s", test.raw, got, test.complete)
		}
		if got := string(wire.SetTypes([]byte(test.raw), &is, "Pod", "apps/v1")); got != test.set {
			t.Errorf("%s is set to %s, want %s", test.raw, got, test.set)
		}
	}
}

// FuzzReadIdentity compares with a full decode: if that succeeds, and no name is there twice, the
// results are the same.
func FuzzReadIdentity(f *testing.F) {
	f.Add([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","uid":"u","resourceVersion":"7"},"spec":{}}`))
	f.Add([]byte(`{"metadata":{"labels":{"a":"\\\""},"name":"w\u00e9b"},"spec":[{},[]],"kind":"Pod"}`))
	f.Add([]byte(`{"metadata":null,"kind":""}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := wire.ReadIdentity(raw)
		got.KindAt, got.APIVersionAt = wire.Span{}, wire.Span{}
		want, ok := slowIdentity(raw)
		if !ok {
			return // ReadIdentity may stop before it sees the error
		}
		if err != nil {
			t.Fatalf("%q: %v, want %+v", raw, err, want)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", raw, d)
		}
	})
}

func slowIdentity(raw []byte) (wire.Identity, bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := wire.ReadAny(dec)
	o, isObject := v.(map[string]any)
	if _, end := dec.ReadToken(); err != nil || end != io.EOF || !isObject || strings.Count(string(raw), `:`) != members(o) { //nolint:errorlint // the bare one is the end
		return wire.Identity{}, false // the last condition: duplicate names, or colons in strings
	}
	m, isMap := o["metadata"].(map[string]any)
	if v, there := o["metadata"]; there && v != nil && !isMap {
		return wire.Identity{}, false
	}
	text := func(v any) string {
		s, isString := v.(string)
		ok := isString || v == nil
		if !ok {
			err = errors.New("no string")
		}
		return s
	}
	meta := wire.Identity{
		APIVersion: text(o["apiVersion"]), Kind: text(o["kind"]), Name: text(m["name"]), Namespace: text(m["namespace"]),
		UID: text(m["uid"]), ResourceVersion: text(m["resourceVersion"]),
	}
	return meta, err == nil
}

// members counts the members of all objects in a value.
func members(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += 1 + members(e)
		}
	case []any:
		for _, e := range v {
			n += members(e)
		}
	}
	return n
}

func BenchmarkReadIdentity(b *testing.B) {
	raw := []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-7c5ddbdf54-abcde","generateName":"web-7c5ddbdf54-","namespace":"default","uid":"8c3f9a52-0b07-4d71-9fd7-1b9a6d2f7f10","resourceVersion":"123456789"},"spec":{}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.ReadIdentity(raw); err != nil {
			b.Fatal(err)
		}
	}
}

// However often a member of the identity is there, a decoder and the identity see the same one.
func TestSingle(t *testing.T) {
	for raw, want := range map[string]string{
		`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"x":1,"x":2},"metadata":{"name":"b"}}`: `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"},"spec":{"x":1,"x":2}}`,
		`{"kind":"Pod","kind":"Node","metadata":{}}`:                                                            `{"kind":"Node","metadata":{}}`,
		`{"metadata":{"name":"a","uid":"1","n\u0061me":"b"},"a\"b":1}`:                                          `{"metadata":{"name":"b","uid":"1"},"a\"b":1}`,
		`{"metadata":{"name":"a"},"metadata":null}`:                                                             `{"metadata":null}`,
		`{"metadata":{"resourceVersion":"1","resourceVersion":"2"}}`:                                            `{"metadata":{"resourceVersion":"2"}}`,
		`{ "spec":{"metadata":{"name":"x","name":"y"}}, "metadata":{} }`:                                        `{ "spec":{"metadata":{"name":"x","name":"y"}}, "metadata":{} }`,
		`{"metadata":{"labels":{"name":"x","name":"y"},"name":"a"}}`:                                            `{"metadata":{"labels":{"name":"x","name":"y"},"name":"a"}}`,
	} {
		if got := string(wire.Single([]byte(raw))); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", raw, got, want)
		}
		frames := wire.NewFrames(strings.NewReader(`{"type":"ADDED","object":`+raw+`}`), 0)
		f, err := frames.Next()
		if err != nil || string(f.Object) != want {
			t.Errorf("%s\nis read as %s, %v\nwant       %s", raw, f.Object, err, want)
		}
	}
}
