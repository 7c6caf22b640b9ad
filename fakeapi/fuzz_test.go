package fakeapi

import (
	"testing"
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
