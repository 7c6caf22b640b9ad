package valid_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNames(t *testing.T) {
	long := strings.Repeat("a", 254)
	for _, test := range []struct {
		rule     func(string) []string
		name     string
		problems []string // the beginning of each
	}{
		{valid.Subdomain, "a.b-c", nil},
		{valid.Subdomain, "A", []string{"a lowercase RFC 1123 subdomain"}},
		{valid.Subdomain, long, []string{"must be no more than 253 characters"}},
		{valid.Label, "a-b", nil},
		{valid.Label, "a.b", []string{"must not contain dots"}},
		{valid.Label, "", []string{"a lowercase RFC 1123 label"}},
		{valid.Label, long, []string{"must be no more than 63 characters"}},
		{valid.Segment, "A:b", nil},
		{valid.Segment, "..", []string{"may not be '..'"}},
		{valid.Segment, "a/%", []string{"may not contain '/'", "may not contain '%'"}},
		{valid.Qualified, "example.org/A_b", nil},
		{valid.Qualified, "/a", []string{"prefix part must be non-empty"}},
		{valid.Qualified, "A/b", []string{"prefix part a lowercase RFC 1123 subdomain"}},
		{valid.Qualified, "a/", []string{"name part must be non-empty", "name part must consist of"}},
		{valid.Qualified, long, []string{"name part must be no more than 63 bytes"}},
	} {
		got := test.rule(test.name)
		if len(got) != len(test.problems) {
			t.Errorf("%q: got %q", test.name, got)
			continue
		}
		for i, p := range test.problems {
			if !strings.HasPrefix(got[i], p) {
				t.Errorf("%q: got %q", test.name, got)
			}
		}
	}
}

func TestValuesAndKeys(t *testing.T) {
	for v, want := range map[string]string{"": "", "a_B.c": "", "-a": "a valid label must", strings.Repeat("a", 64): "must be no more than 63 bytes"} {
		if got := valid.LabelValue(v); got != want && (want == "" || !strings.HasPrefix(got, want)) {
			t.Errorf("%q: got %q", v, got)
		}
	}
	if valid.DataKey("a_B.c-d") != nil || valid.DataKey("a/b") == nil || valid.DataKey("") == nil {
		t.Error("keys of data are not judged as they should be")
	}
}

func TestCauses(t *testing.T) {
	want := []rest.StatusCause{
		{Type: "FieldValueForbidden", Field: "f", Message: "Forbidden: m"},
		{Type: "FieldValueInvalid", Field: "f", Message: `Invalid value: "v": m`},
		{Type: "FieldValueNotSupported", Field: "f", Message: `Unsupported value: "v": supported values: "a", ""`},
		{Type: "FieldValueRequired", Field: "f", Message: "Required value"},
		{Type: "FieldValueRequired", Field: "f", Message: "Required value: m"},
		{Type: "FieldValueTooLong", Field: "f", Message: "Too long: may not be more than 5 bytes"},
	}
	supported := []string{"a", ""}
	got := []rest.StatusCause{
		valid.Forbidden("f", "m"), valid.Invalid("f", `"v"`, "m"), valid.Unsupported("f", `"v"`, supported...),
		valid.Required("f", ""), valid.Required("f", "m"), valid.TooLong("f", 5),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if supported[0] != "a" {
		t.Error("the caller's values were changed")
	}
}

func TestJoin(t *testing.T) {
	if got := valid.Join([]string{"a", "a"}); got != "a" {
		t.Error(got)
	}
	if got := valid.Join([]string{"b", "a", "b"}); got != "[b, a]" {
		t.Error(got)
	}
}

func TestSelectors(t *testing.T) {
	for text, want := range map[string]string{
		"a=b=c":     `found '=', expected: ',' or 'end of string'`,
		"a in b":    `unable to parse requirement: found 'b' expected: '('`,
		"a>b":       `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
		"a=b,":      `found '', expected: identifier after ','`,
		"(":         `found '(', expected: !, identifier, or 'end of string'`,
		"a in (b c": `unable to parse requirement: found 'c', expected: ',' or ')'`,
	} {
		if diff := cmp.Diff(want, valid.LabelSelector(text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"a":        `invalid selector: 'a'; can't understand 'a'`,
		"=b":       `"" is not a known field selector: only "metadata.name", "metadata.namespace"`,
		"a=b=c":    "invalid field selector: unescaped character in value: 61",
		`a=b\c`:    `invalid field selector: invalid escape sequence: \c`,
		`a=b\`:     `invalid field selector: invalid escape sequence: \`,
		"z,a==b=c": "invalid field selector: unescaped character in value: 61",
	} {
		if diff := cmp.Diff(want, valid.FieldSelector(text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestEmptyTerms(t *testing.T) {
	for text, want := range map[string]string{"=": "", "==,a=b,!=": "a=b", `a=\,=`: `a=\,=`, `a=\\,=`: `a=\\`, "=b": "=b"} {
		if diff := cmp.Diff(want, valid.EmptyTerms(text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// A selector that cannot be read gets words, whatever it is.
func FuzzLabelSelectorProblem(f *testing.F) {
	for _, text := range []string{"a=b=c", "!a=b", "a in b", "a in (b", "=a", "a>b", "a=b,", ",", "!", "a notin (x,y) z", "\x00", "é=ü", "a in (,", "(((", "a=!"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := rest.ParseLabels(text); err != nil && valid.LabelSelector(text) == "" {
			t.Errorf("%q: nothing is said of %v", text, err)
		}
	})
}
