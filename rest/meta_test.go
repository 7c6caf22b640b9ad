package rest_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
)

func TestReadMeta(t *testing.T) {
	whole := rest.Meta{APIVersion: "v1", Kind: "Pod", Name: "web", Namespace: "default", UID: "u", ResourceVersion: "7"}
	for name, test := range map[string]struct {
		raw  string
		want rest.Meta
	}{
		"usual order":     {`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","uid":"u","resourceVersion":"7","labels":{}},"spec":{}}`, whole},
		"types last":      {`{"metadata":{"labels":{"name":"no"},"resourceVersion":"7","uid":"u","namespace":"default","name":"web","x":[{"}":"\"{"}]},"spec":{"kind":"No"},"apiVersion":"v1","kind":"Pod"}`, whole},
		"white space":     {" {\n\t\"kind\" : \"Pod\" , \"apiVersion\":\"v1\",\r\n \"metadata\" : { \"name\": \"web\" , \"namespace\":\"default\",\"uid\":\"u\",\"resourceVersion\":\"7\" } } ", whole},
		"escapes":         {`{"k\u0069nd":"P\u006fd","apiVersion":"v1","metadata":{"n\u0061me":"web","namespace":"default","uid":"u","resourceVersion":"7"}}`, whole},
		"escaped quotes":  {`{"kind":"a\\","apiVersion":"\"","metadata":{"name":"\\\""}}`, rest.Meta{Kind: `a\`, APIVersion: `"`, Name: `\"`}},
		"stops early":     {`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","uid":"u","resourceVersion":"7",!`, whole},
		"empty":           {`{}`, rest.Meta{}},
		"null":            {`{"kind":null,"metadata":null}`, rest.Meta{}},
		"null inside":     {`{"metadata":{"name":null,"namespace":"x"}}`, rest.Meta{Namespace: "x"}},
		"case":            {`{"Kind":"Pod","Metadata":{"name":"x"},"metadata":{"Name":"y"}}`, rest.Meta{}},
		"other scalars":   {`{"a":1,"b":-1.5e3,"c":true,"d":false,"e":null,"f":[],"g":{},"kind":"Pod"}`, rest.Meta{Kind: "Pod"}},
		"invalid UTF-8":   {"{\"kind\":\"P\xff\"}", rest.Meta{Kind: "P\ufffd"}},
		"nested metadata": {`{"spec":{"metadata":{"name":"no"}},"metadata":{"name":"web"}}`, rest.Meta{Name: "web"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := rest.ReadMeta([]byte(test.raw))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	for _, raw := range []string{"", "null", "[]", `"x"`, "{", `{"kind"`, `{"kind":`, `{"kind":}`, `{"kind":"Pod"`, `{"kind":1}`, `{"metadata":"x"}`, `{"metadata":{"name":[]}}`, `{"metadata":{"name":"x"`, `{"a":"\"}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":[}`} {
		if got, err := rest.ReadMeta([]byte(raw)); err == nil {
			t.Errorf("%s: no error, but %+v", raw, got)
		}
	}
}

// FuzzReadMeta compares with a decode of everything: wherever that succeeds,
// and no name is there twice, the answers are the same.
func FuzzReadMeta(f *testing.F) {
	f.Add([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","uid":"u","resourceVersion":"7"},"spec":{}}`))
	f.Add([]byte(`{"metadata":{"labels":{"a":"\\\""},"name":"w\u00e9b"},"spec":[{},[]],"kind":"Pod"}`))
	f.Add([]byte(`{"metadata":null,"kind":""}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := rest.ReadMeta(raw)
		want, ok := slowMeta(raw)
		if !ok {
			return // ReadMeta may stop before it sees what is wrong
		}
		if err != nil {
			t.Fatalf("%q: %v, want %+v", raw, err, want)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", raw, d)
		}
	})
}

func slowMeta(raw []byte) (rest.Meta, bool) {
	o, err := rest.Decode[rest.Object](raw)
	if err != nil || *o == nil || strings.Count(string(raw), `:`) != members(map[string]any(*o)) {
		return rest.Meta{}, false // the last: names that are there twice, or colons in strings
	}
	m, isMap := (*o)["metadata"].(map[string]any)
	if v, there := (*o)["metadata"]; there && v != nil && !isMap {
		return rest.Meta{}, false
	}
	text := func(v any) string {
		s, isString := v.(string)
		ok := isString || v == nil
		if !ok {
			err = errors.New("no string")
		}
		return s
	}
	meta := rest.Meta{
		APIVersion: text((*o)["apiVersion"]), Kind: text((*o)["kind"]), Name: text(m["name"]), Namespace: text(m["namespace"]),
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

// Encode is encoding/json, byte for byte.
func TestEncode(t *testing.T) {
	type inner struct {
		B bool `json:"b"`
	}
	for _, v := range []any{
		map[string]any{"b": "<&>\u2028", "a": []string(nil), "c": map[string]int{}, "d": 1e21, "e": nil},
		struct {
			inner
			S []string       `json:"s"`
			O []string       `json:"o,omitempty"`
			M map[string]int `json:"m,omitempty"`
			F bool           `json:"f,omitempty"`
			P *int           `json:"p,omitempty"`
			D []byte         `json:"d"`
			A [2]byte        `json:"a"`
			I inner          `json:"i,omitzero"`
		}{D: []byte("x")},
		rest.Object{"b": int64(1) << 60, "a": "\ufffd"},
		rest.Object(nil),
	} {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rest.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Error(d)
		}
	}
}

// Integers in an any are exact, wherever the any is.
func TestIntegersStayExact(t *testing.T) {
	const raw = `{"i":9007199254740993,"n":-9223372036854775808,"u":18446744073709551615,"b":18446744073709551616,"f":1.0,"e":1e2,"s":[1,null,true,"x\n"]}`
	want := map[string]any{
		"i": int64(9007199254740993), "n": int64(-9223372036854775808), "u": uint64(18446744073709551615),
		"b": float64(18446744073709551616), "f": float64(1), "e": float64(100), "s": []any{int64(1), nil, true, "x\n"},
	}
	type holder struct {
		Spec any            `json:"spec"`
		Map  map[string]any `json:"map"`
	}
	h, err := rest.Decode[holder]([]byte(`{"spec":` + raw + `,"map":` + raw + `}`))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(holder{want, want}, *h); d != "" {
		t.Error(d)
	}
	var viaStd rest.Object
	if err := json.Unmarshal([]byte(raw), &viaStd); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]any{"Object": mustDecode[rest.Object](t, raw), "map": rest.Object(mustDecode[map[string]any](t, raw)), "any": rest.Object(mustDecode[any](t, raw).(map[string]any)), "encoding/json": viaStd} {
		if d := cmp.Diff(any(rest.Object(want)), got); d != "" {
			t.Error(name, d)
		}
	}
	if _, err := rest.Decode[rest.Object]([]byte(`{"a":1e999}`)); err == nil {
		t.Error("a number out of range is let through")
	}
	for _, raw := range []string{`[]`, `1`, `{`, `{"a":1}}`} {
		if o, err := rest.Decode[rest.Object]([]byte(raw)); err == nil {
			t.Errorf("%s is an object: %v", raw, o)
		}
	}
}

func mustDecode[T any](t *testing.T, raw string) T {
	t.Helper()
	v, err := rest.Decode[T]([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return *v
}

// Names are case-sensitive; what is there twice, or no UTF-8, is let through.
func TestDecodeIsTolerant(t *testing.T) {
	got := mustDecode[Pod](t, "{\"Kind\":\"no\",\"kind\":\"a\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"x\xff\",\"unknown\":1}}")
	if d := cmp.Diff(Pod{Kind: "Pod", Metadata: Meta{Name: "x\ufffd"}}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(rest.Object{"a": int64(2)}, mustDecode[rest.Object](t, `{"a":1,"a":2}`)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]any{"a": int64(2)}, mustDecode[map[string]any](t, `{"a":1,"a":2}`)); d != "" {
		t.Error(d)
	}
}

func FuzzObject(f *testing.F) {
	f.Add([]byte(`{"a":[1,-2.5e3,"\u00e9\ud83d\ude00",{"b":null}],"c":true}`))
	f.Add([]byte("{\"\xff\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, err := rest.Decode[rest.Object](raw)
		var std map[string]any
		stdErr := json.Unmarshal(raw, &std)
		if err != nil {
			return // version 2 is stricter in places
		}
		if stdErr != nil {
			t.Fatalf("%q is let through, and encoding/json says %v", raw, stdErr)
		}
		// The same once the numbers are floats.
		ours, err := json.Marshal(*o)
		if err != nil {
			t.Fatal(err)
		}
		var again map[string]any
		if err := json.Unmarshal(ours, &again); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(std, again); d != "" {
			t.Errorf("%q: %s", raw, d)
		}
	})
}

func BenchmarkReadMeta(b *testing.B) {
	raw := []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-7c5ddbdf54-abcde","generateName":"web-7c5ddbdf54-","namespace":"default","uid":"8c3f9a52-0b07-4d71-9fd7-1b9a6d2f7f10","resourceVersion":"123456789"},"spec":{}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rest.ReadMeta(raw); err != nil {
			b.Fatal(err)
		}
	}
}
