package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
)

// Encode writes the same bytes as encoding/json.
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

// Integers in an any stay exact, wherever the any is.
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

// Names are case-sensitive. Duplicate names and invalid UTF-8 are accepted.
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
		// The values are the same once all numbers are floats.
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
