package line_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/rest/internal/line"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A text becomes one line; what is one already stays as it is.
func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"not found":                          "not found",
		"größer als 3 €":                     "größer als 3 €",
		"a\nb\r\nc\td":                       "a b c d",
		"  a   b ":                           "a b",
		"a\u2028b\u2029c\u0085d\u00a0":       "a b c d",
		"a\x00b\x07c\x7fd\u0080e":            "abcde",
		"\x1b[31mred\x1b[0m":                 "red",
		"\u009b31mred\u009b0m":               "red",
		"\x1b]0;title\x07text":               "text",
		"\x1b]8;;http://x\x1b\\text":         "text",
		"\x1bPdevice\x1b\\text":              "text",
		"\x1bctext":                          "ctext",
		"a\u202eb\u2066c\u200fd\ufeffe":      "abcde",
		"a\xffb\xc3":                         "ab",
		strings.Repeat("x", line.Most):       strings.Repeat("x", line.Most),
		strings.Repeat("é", line.Most):       strings.Repeat("é", line.Most/2) + "...",
		"a" + strings.Repeat("é", line.Most): "a" + strings.Repeat("é", line.Most/2-1) + "...",
		strings.Repeat("\n", 1<<20) + "x":    "...",
	} {
		if got := line.Of(text); got != want {
			t.Errorf("%.40q is %.60q, want %.60q", text, got, want)
		}
	}
}

// Whatever a text holds, the line has none of what a terminal or a log would take for something
// else, it is bounded, and it stays as it is when it is made again.
func FuzzOf(f *testing.F) {
	for _, s := range []string{"a\nb", "\x1b[1m", "\u202e", "\xff\xfe", "\x1b\x1b[[1mm", "\u009b\u009b1m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := line.Bounded(text, 100)
		switch {
		case !utf8.ValidString(got), strings.ContainsFunc(got, unicode.IsControl), strings.ContainsAny(got, "\u2028\u2029\u202e\u2066"):
			t.Errorf("%q is %q", text, got)
		case len(got) > 100+len("..."):
			t.Errorf("%q has %d bytes", got, len(got))
		case len(got) <= 100 && line.Bounded(got, 100) != got:
			t.Errorf("%q is not a line", got)
		}
	})
}

// An error keeps its causes, and shows its whole text with no verb.
func TestErrorKeepsItsCauses(t *testing.T) {
	plain := errors.New("plain")
	if got := line.Error(plain); got != plain { //nolint:errorlint // it must be the same
		t.Errorf("it is %v", got)
	}
	if line.Error(nil) != nil {
		t.Error("nil is an error")
	}
	err := line.Errorf("a\nb: %w", io.EOF)
	if !errors.Is(err, io.EOF) {
		t.Error("the cause is lost")
	}
	for verb, want := range map[string]string{"%v": "a b: EOF", "%+v": "a b: EOF", "%#v": "a b: EOF", "%s": "a b: EOF", "%q": `"a b: EOF"`} {
		if got := fmt.Sprintf(verb, err); got != want {
			t.Errorf("%s is %s", verb, got)
		}
	}
}
