package rest_test

import (
	"encoding"
	"encoding/json"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
)

// Types that a field may have.
type (
	upper    string // encodes itself as text
	pair     struct{ A, B string }
	wrapped  struct{ raw string } // encodes itself as JSON
	Base     struct{ A, B string }
	Deep     struct{ Base }
	hidden   struct{ C string }
	node     struct{ Next *node }
	tree     map[string]tree
	byteKind byte
	anInt    interface{ isInt() }
)

func (u upper) MarshalText() ([]byte, error) { return []byte(strings.ToUpper(string(u))), nil }
func (u *upper) UnmarshalText(b []byte) error {
	*u = upper(strings.ToLower(string(b)))
	return nil
}
func (p pair) MarshalText() ([]byte, error) { return []byte(p.A + "/" + p.B), nil }
func (p *pair) UnmarshalText(b []byte) error {
	p.A, p.B, _ = strings.Cut(string(b), "/")
	return nil
}
func (w wrapped) MarshalJSON() ([]byte, error)  { return json.Marshal([]string{w.raw}) }
func (w *wrapped) UnmarshalJSON(b []byte) error { w.raw = string(b); return nil }

// check compares with encoding/json: what a struct with a field F of type T reads from a text, and
// what it writes afterwards.
func check[T any](t *testing.T, name string, texts ...string) {
	t.Helper()
	for _, text := range append(texts, `null`, `""`, `"x"`, `1`, `-1`, `1.5`, `1e2`, `true`, `{}`, `[]`, `[1]`, `["a"]`, `{"x":"b"}`, `{"A":"1","B":"2"}`) {
		raw := []byte(`{"F":` + text + `}`)
		type holder struct{ F T }
		var want holder
		wantErr := json.Unmarshal(raw, &want)
		got, err := rest.Decode[holder](raw)
		if (err != nil) != (wantErr != nil) {
			t.Errorf("%s of %s: the error is %v, of encoding/json %v", name, text, err, wantErr)
			continue
		}
		if err != nil {
			continue
		}
		if !reflect.DeepEqual(*got, want) { //nolint:forbidigo // the types have unexported parts
			t.Errorf("%s of %s is %#v, with encoding/json %#v", name, text, *got, want)
		}
		wantRaw, wantErr := json.Marshal(want)
		gotRaw, err := rest.Encode(*got)
		if (err != nil) != (wantErr != nil) {
			t.Errorf("%s of %s: encoding fails with %v, of encoding/json %v", name, text, err, wantErr)
			continue
		}
		if d := cmp.Diff(string(wantRaw), string(gotRaw)); d != "" {
			t.Errorf("%s of %s is written (-encoding/json +rest)\n%s", name, text, d)
		}
	}
}

// A field may have any type that encoding/json takes, and is read and written as it does. Two
// differences are intended: names are case-sensitive, as they are for the server, and integers in
// an any stay exact.
func TestFieldTypes(t *testing.T) {
	check[string](t, "string", `"é\u0041<>&"`, `"\ud800"`)
	check[*string](t, "*string")
	check[**int](t, "**int")
	check[int8](t, "int8", `127`, `128`, `-129`)
	check[uint16](t, "uint16", `65535`, `65536`)
	check[int64](t, "int64", `9223372036854775807`, `9223372036854775808`, `1.0`)
	check[uint64](t, "uint64", `18446744073709551615`)
	check[float32](t, "float32", `1e39`, `0.1`)
	check[float64](t, "float64", `1e400`, `1e21`, `1e-7`, `-0`)
	check[bool](t, "bool")
	check[byteKind](t, "a kind of byte", `255`, `256`)
	check[[]byte](t, "[]byte", `"aGk="`, `"aGk"`, `"!"`, `[104,105]`)
	check[[]byteKind](t, "[]byteKind", `"aGk="`)
	check[[3]byte](t, "[3]byte", `[1,2,3]`, `[1]`, `[1,2,3,4]`)
	check[[2]string](t, "[2]string", `["a","b"]`, `["a","b","c"]`)
	check[[]string](t, "[]string", `["a",null]`)
	check[[]*string](t, "[]*string", `["a",null]`)
	check[map[string]string](t, "map[string]string", `{"b":"2","a":"1","a":"3"}`, `{"a":null}`)
	check[map[string]*int](t, "map[string]*int", `{"a":null,"b":1}`)
	check[map[int]string](t, "map[int]string", `{"1":"a","-2":"b"}`, `{"x":"a"}`)
	check[map[uint8]bool](t, "map[uint8]bool", `{"255":true}`, `{"256":true}`)
	check[map[upper]int](t, "map with text keys", `{"AB":1}`)
	check[map[pair]int](t, "map with struct keys", `{"a/b":1}`)
	check[map[string]any](t, "map[string]any", `{"a":{"b":[1.5,"x",null,true]}}`)
	check[upper](t, "TextMarshaler", `"ABC"`)
	check[*upper](t, "*TextMarshaler", `"ABC"`)
	check[[]upper](t, "[]TextMarshaler", `["ABC"]`)
	check[wrapped](t, "Marshaler", `{"x": [1, 2]}`)
	check[*wrapped](t, "*Marshaler")
	check[[]wrapped](t, "[]Marshaler", `[1,null]`)
	check[map[string]wrapped](t, "map of Marshalers", `{"a":1}`)
	check[json.RawMessage](t, "RawMessage", `{"a" : [1, 2]}`)
	check[*json.RawMessage](t, "*RawMessage", `{"a":1}`)
	check[json.Number](t, "Number", `12345678901234567890`, `"12"`, `1e5`)
	check[time.Time](t, "Time", `"2006-01-02T15:04:05Z"`, `"2006-01-02T15:04:05.123456789+02:00"`, `"2006-01-02"`)
	check[*time.Time](t, "*Time", `"2006-01-02T15:04:05Z"`)
	check[time.Duration](t, "Duration", `1000`, `"1s"`)
	check[netip.Addr](t, "Addr", `"10.0.0.1"`, `"::1"`)
	check[url.URL](t, "URL")
	check[*big.Int](t, "*big.Int", `123456789012345678901234567890`)
	check[struct{}](t, "struct{}")
	check[Base](t, "struct", `{"A":"1","A":"2"}`, `{"A":null}`)
	check[*Base](t, "*struct")
	check[Deep](t, "embedded", `{"A":"1"}`)
	check[struct{ *Base }](t, "embedded pointer", `{"A":"1"}`)
	check[struct{ hidden }](t, "unexported embedded", `{"C":"1"}`)
	check[struct {
		Base

		A int
	}](t, "shadowed", `{"A":1,"B":"2"}`)
	check[struct {
		Base `json:"base"`
	}](t, "embedded with a name", `{"base":{"A":"1"}}`)
	check[*node](t, "recursive struct", `{"Next":{"Next":null}}`)
	check[tree](t, "recursive map", `{"a":{"b":{}}}`)
	check[struct {
		N int     `json:",string"`
		F float64 `json:",string"`
		B bool    `json:",string"`
	}](t, "as strings", `{"N":"1","F":"1.5","B":"true"}`, `{"N":1}`, `{"N":"x"}`, `{"N":null}`, `{"N":""}`)
	check[struct {
		A string         `json:"fa,omitempty"`
		B int            `json:"fb,omitempty"`
		C *int           `json:"fc,omitempty"`
		D []string       `json:"fd,omitempty"`
		E map[string]int `json:"fe,omitempty"`
		F Base           `json:"ff,omitempty"` //nolint:modernize // what is tested
		G [0]int         `json:"fg,omitempty"`
		H any            `json:"fh,omitempty"`
		I bool           `json:"fi,omitempty"`
	}](t, "omitempty", `{"fb":0,"fc":0,"fd":[],"fe":{},"fh":0.5}`, `{"fa":"x","fb":1,"fc":1,"fd":["x"],"fe":{"x":1},"ff":{"A":"x"},"fh":null,"fi":true}`)
	check[struct {
		A time.Time `json:"fa,omitzero"`
		B Base      `json:"fb,omitzero"`
		C int       `json:"fc,omitzero"`
		D *int      `json:"fd,omitzero"`
	}](t, "omitzero", `{"fa":"0001-01-01T00:00:00Z","fc":0}`, `{"fa":"2006-01-02T15:04:05Z","fb":{"A":"1"},"fc":1,"fd":0}`)
	check[struct {
		A string `json:"-"`
		B string `json:"-,"` //nolint:staticcheck // what is tested
		c string
	}](t, "left out", `{"A":"1","-":"2","c":"3"}`)
}

// A json.Number in an object without a schema is written as a number.
func TestNumbersInObjects(t *testing.T) {
	raw, err := rest.Encode(rest.Object{"a": json.Number("12345678901234567890"), "b": []any{json.Number("1.50")}, "c": json.Number("")})
	if want := `{"a":12345678901234567890,"b":[1.50],"c":0}`; string(raw) != want || err != nil {
		t.Errorf("%s, %v, want %s", raw, err, want)
	}
	if raw, err := rest.Encode(rest.Object{"a": json.Number("1 2")}); err == nil {
		t.Errorf("a malformed number is written as %s", raw)
	}
}

// Types that encoding/json refuses are refused.
func TestFieldTypesThatCannotBe(t *testing.T) {
	for name, v := range map[string]any{"chan": struct{ C chan int }{make(chan int)}, "func": struct{ F func() }{func() {}}, "complex": struct{ C complex128 }{1}} {
		_, want := json.Marshal(v)
		if _, err := rest.Encode(v); (err != nil) != (want != nil) {
			t.Errorf("%s: %v, of encoding/json %v", name, err, want)
		}
	}
}

var (
	_ encoding.TextMarshaler = pair{}
	_ anInt                  = nil
)
