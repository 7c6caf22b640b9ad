package fakeapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStrictProblems(t *testing.T) {
	for text, want := range map[string][]string{
		`{}`:                            nil,
		`{"a":{"b":1,"c":[{"b":1}]}}`:   nil,
		`{"a":1,"a":1,"a":1}`:           {`duplicate field "a"`},
		`{"a":{"b":1,"b":2},"a":3}`:     {`duplicate field "a.b"`, `duplicate field "a"`},
		`{"a":[{"b":1},{"b":1,"b":2}]}`: {`duplicate field "a[1].b"`},
		`{"no":{"x":1,"x":2},"no":1}`:   {`unknown field "no"`},
		`{"b":1,"no":1,"b":2}`:          {`unknown field "no"`, `duplicate field "b"`},
		`{"a":{"no":1},"b":{}}`:         {`unknown field "a.no"`},
	} {
		if diff := cmp.Diff(want, strictProblems([]byte(text), []string{"no", "a.no"})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// Whatever the text is, the end is found.
func FuzzStrictProblems(f *testing.F) {
	for _, text := range []string{`{"a":1,"a":{"b":[1,{}]}}`, `[`, `{"a"`, `{"a":}`, "\xff", `{"\ud800":1}`} {
		f.Add(text)
	}
	f.Fuzz(func(_ *testing.T, text string) { strictProblems([]byte(text), []string{"a"}) })
}
