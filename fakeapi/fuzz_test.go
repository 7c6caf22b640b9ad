package fakeapi

import (
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
