package rest_test

import (
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
)

// TypeMeta is embedded below, in the ways in which custom resources embed it.
type TypeMeta struct {
	Kind string `json:"kind,omitempty"`
}

// Decode accepts all tags that encoding/json accepts: what can be created can be read.
func TestDecodeTakesTheTagsOfEncodingJSON(t *testing.T) {
	const text = `{"kind":"Pod","data":"x"}`
	check := func(name string, want, got any, err error) {
		t.Helper()
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: %v (-encoding/json +rest)\n%s", name, err, d)
		}
	}
	type omit struct {
		TypeMeta `json:",omitempty"` //nolint:modernize // what is tested
		Data     string              `json:"data,omitempty"`
	}
	type inline struct {
		TypeMeta `json:",inline,omitempty"` //nolint:modernize // what is tested
		Data     string                     `json:"data,omitempty,"` //nolint:staticcheck // what is tested
	}
	type camel struct {
		TypeMeta
		Data string `json:"data,omitEmpty"` //nolint:staticcheck // what is tested
	}
	var a omit
	var b inline
	var c camel
	for _, v := range []any{&a, &b, &c} {
		if err := json.Unmarshal([]byte(text), v); err != nil {
			t.Fatal(err)
		}
	}
	gotA, errA := rest.Decode[omit]([]byte(text))
	check("embedded with omitempty", &a, gotA, errA)
	gotB, errB := rest.Decode[inline]([]byte(text))
	check("embedded with inline and omitempty", &b, gotB, errB)
	gotC, errC := rest.Decode[camel]([]byte(text))
	check("misspelt option", &c, gotC, errC)
}

func TestDecodeErrorsHideValues(t *testing.T) {
	type object struct {
		N    int                   `json:"n"`
		When time.Time             `json:"when"`
		Addr netip.Addr            `json:"addr"`
		Many map[string]netip.Addr `json:"many"`
		Any  rest.Object           `json:"any"`
		Text []byte                `json:"text"`
	}
	for _, text := range []string{
		`{"n":"hunter2"}`, `{"n":4711.5}`, `{"when":"hunter2"}`, `{"addr":"hunter2"}`, `{"many":{"a":"hunter2"}}`,
		`{"any":"hunter2"}`, `{"text":"hunter2!"}`, `{"n":471111111111111111111}`,
	} {
		_, err := rest.Decode[object]([]byte(text))
		if err == nil {
			t.Errorf("%s is taken", text)
			continue
		}
		if s := err.Error(); strings.Contains(s, "hunter2") || strings.Contains(s, "4711") {
			t.Errorf("%s: the error repeats the value: %s", text, s)
		}
	}
	_, err := rest.Decode[object]([]byte(`{"when":"hunter2"}`))
	if _, ok := errors.AsType[*time.ParseError](err); !ok {
		t.Errorf("%v has lost its cause", err)
	}
}
