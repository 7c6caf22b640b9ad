package rest_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// zeroed has a field of each kind, which its tag leaves out if it is empty.
type zeroed struct {
	zeroedBase

	Metadata rest.ObjectMeta `json:"metadata"`
	Bool     bool            `json:"bool,omitempty"`
	String   string          `json:"string,omitempty"`
	Named    phase           `json:"named,omitempty"`
	Int      int32           `json:"int,omitempty"`
	Uint     uint8           `json:"uint,omitzero"`
	Float    float64         `json:"float,omitempty"`
	Quoted   int64           `json:"quoted,omitempty,string"`
	Spec     zeroedSpec      `json:"spec,omitzero"`
	Port     []zeroedPort    `json:"ports,omitempty"`
	Lines    []zeroedLine    `json:"lines,omitempty"`
	Map      map[string]zeroedSpec
	Deep     *zeroedSpec     `json:"deep,omitempty"`
	Any      any             `json:"any,omitempty"`
	Raw      json.RawMessage `json:"raw,omitempty"`
	Slice    []string        `json:"slice,omitempty"`
	Labels   map[string]int  `json:"labels,omitempty"`
	Pointer  *int            `json:"pointer,omitempty"`
	Time     time.Time       `json:"time,omitzero"`
	Pair     [2]int          `json:"pair,omitzero"`
	Always   int             `json:"always"`
}

type phase string

type zeroedBase struct {
	Inherited int `json:"inherited,omitempty"`
}

type zeroedSpec struct {
	Replicas int         `json:"replicas,omitempty"`
	Paused   bool        `json:"paused,omitempty"`
	Limit    *int        `json:"limit,omitempty"`
	Inner    zeroedInner `json:"inner,omitzero"`
}

type zeroedInner struct {
	Count int `json:"count,omitempty"`
}

type zeroedPort struct {
	Name   string `json:"name"`
	Port   int    `json:"port,omitempty"`
	Weight int    `json:"weight,omitempty"`
}

type zeroedLine struct {
	Text string `json:"text,omitempty"`
	Last bool   `json:"last,omitempty"`
}

const fullObject = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n","resourceVersion":"7"},"inherited":1,"bool":true,"string":"s","named":"p",` +
	`"int":3,"uint":4,"float":1.5,"quoted":"5","spec":{"replicas":3,"paused":true,"limit":1,"inner":{"count":2}},` +
	`"ports":[{"name":"a","port":1,"weight":2},{"name":"b","port":3,"weight":4}],"lines":[{"text":"x","last":true},{"text":"y"}],` +
	`"Map":{"k":{"replicas":1}},"deep":{"replicas":1,"inner":{"count":1}},"any":1,"raw":{"a":1},"slice":["a"],"labels":{"a":1,"b":2},` +
	`"pointer":1,"time":"2026-01-01T00:00:00Z","pair":[1,2],"always":9}`

// A field that was there and now holds the zero value is sent as that, unless its type can mean
// that nothing is there.
func TestModifySendsZeros(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*zeroed)
		want   string // without the resource version
	}{
		"a bool":               {func(o *zeroed) { o.Bool = false }, `"bool":false`},
		"a string":             {func(o *zeroed) { o.String = "" }, `"string":""`},
		"a string of a type":   {func(o *zeroed) { o.Named = "" }, `"named":""`},
		"an int":               {func(o *zeroed) { o.Int = 0 }, `"int":0`},
		"an unsigned int":      {func(o *zeroed) { o.Uint = 0 }, `"uint":0`},
		"a float":              {func(o *zeroed) { o.Float = 0 }, `"float":0`},
		"a quoted int":         {func(o *zeroed) { o.Quoted = 0 }, `"quoted":"0"`},
		"an array":             {func(o *zeroed) { o.Pair = [2]int{} }, `"pair":[0,0]`},
		"an embedded field":    {func(o *zeroed) { o.Inherited = 0 }, `"inherited":0`},
		"a field of a struct":  {func(o *zeroed) { o.Spec.Replicas = 0 }, `"spec":{"replicas":0}`},
		"a struct":             {func(o *zeroed) { o.Spec = zeroedSpec{} }, `"spec":{"inner":{"count":0},"limit":null,"paused":false,"replicas":0}`},
		"an inner struct":      {func(o *zeroed) { o.Spec.Inner = zeroedInner{} }, `"spec":{"inner":{"count":0}}`},
		"behind a pointer":     {func(o *zeroed) { o.Deep.Replicas = 0 }, `"deep":{"replicas":0}`},
		"in a map":             {func(o *zeroed) { o.Map["k"] = zeroedSpec{} }, `"Map":{"k":{"replicas":0}}`},
		"in a list":            {func(o *zeroed) { o.Port[1].Weight = 0 }, `"ports":[{"name":"a","port":1,"weight":2},{"name":"b","port":3,"weight":0}]`},
		"in a list, moved":     {func(o *zeroed) { o.Port[0], o.Port[1] = o.Port[1], o.Port[0]; o.Port[0].Port = 0 }, `"ports":[{"name":"b","port":0,"weight":4},{"name":"a","port":1,"weight":2}]`},
		"in a list, unnamed":   {func(o *zeroed) { o.Lines[0].Last = false }, `"lines":[{"last":false,"text":"x"},{"text":"y"}]`},
		"a new element":        {func(o *zeroed) { o.Port[0] = zeroedPort{Name: "c"} }, `"ports":[{"name":"c"},{"name":"b","port":3,"weight":4}]`},
		"a nil pointer":        {func(o *zeroed) { o.Pointer = nil }, `"pointer":null`},
		"a nil inner pointer":  {func(o *zeroed) { o.Spec.Limit = nil }, `"spec":{"limit":null}`},
		"a nil struct pointer": {func(o *zeroed) { o.Deep = nil }, `"deep":null`},
		"a nil slice":          {func(o *zeroed) { o.Slice = nil }, `"slice":null`},
		"a nil any":            {func(o *zeroed) { o.Any = nil }, `"any":null`},
		"a zero in an any":     {func(o *zeroed) { o.Any = 0 }, `"any":0`},
		"a nil map":            {func(o *zeroed) { o.Labels = nil }, `"labels":null`},
		"an entry":             {func(o *zeroed) { delete(o.Labels, "a") }, `"labels":{"a":null}`},
		"an entry of zero":     {func(o *zeroed) { o.Labels["a"] = 0 }, `"labels":{"a":0}`},
		"no text":              {func(o *zeroed) { o.Raw = nil }, `"raw":null`},
		"no time":              {func(o *zeroed) { o.Time = time.Time{} }, `"time":null`},
		"what is always there": {func(o *zeroed) { o.Always = 0 }, `"always":0`},
		"a pointer to zero":    {func(o *zeroed) { *o.Pointer = 0 }, `"pointer":0`},
	} {
		c, s := scripted(t, ok(fullObject), ok(fullObject))
		_, err := one(t, rest.For[zeroed](c, "Node").Modify(t.Context(), "n", func(o *zeroed) error { test.change(o); return nil }))
		if err != nil || len(s.requests()) != 2 {
			t.Errorf("%s: %v after %d requests", name, err, len(s.requests()))
			continue
		}
		sent := strings.Replace(s.requests()[1].Body, `"metadata":{"resourceVersion":"7"}`, "", 1)
		if got := strings.Trim(strings.ReplaceAll(sent, ",,", ","), "{,}"); got != strings.Trim(test.want, "{,}") {
			t.Errorf("%s: sent %s, want %s", name, got, test.want)
		}
	}
}

// A zero that was there before, or nowhere, is no change.
func TestModifyWithoutAChangeSendsNoZeros(t *testing.T) {
	for _, body := range []string{
		`{"metadata":{"name":"n","resourceVersion":"7"}}`,
		`{"metadata":{"name":"n","resourceVersion":"7"},"bool":false,"int":0,"string":"","spec":{"replicas":0},"ports":[{"name":"a"}],"pointer":null}`,
		fullObject,
	} {
		c, s := scripted(t, ok(body))
		if _, err := one(t, rest.For[zeroed](c, "Node").Modify(t.Context(), "n", func(*zeroed) error { return nil })); err != nil || len(s.requests()) != 1 {
			t.Errorf("%s: %v after %d requests", body, err, len(s.requests()))
		}
	}
}
