package rest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
)

func TestLabelSelector(t *testing.T) {
	sets := map[string]map[string]string{
		"none": nil, "a=b": {"a": "b"}, "a=": {"a": ""}, "a=5": {"a": "5"}, "a=b,c=d": {"a": "b", "c": "d"}, "in=x": {"in": "x"},
	}
	for _, test := range []struct{ selector, want string }{
		{"", "none a=b a= a=5 a=b,c=d in=x"},
		{"  ", "none a=b a= a=5 a=b,c=d in=x"},
		{"a=b", "a=b a=b,c=d"},
		{" a == b ", "a=b a=b,c=d"},
		{"a!=b", "none a= a=5 in=x"},
		{"a in (b, 5)", "a=b a=5 a=b,c=d"},
		{"a in ()", "a="},
		{"a in (b,)", "a=b a= a=b,c=d"},
		{"a notin (b,5)", "none a= in=x"},
		{"a", "a=b a= a=5 a=b,c=d"},
		{"!a", "none in=x"},
		{"a,!c", "a=b a= a=5"},
		{"a=", "a="},
		{"a=,a", "a="},
		{"a>4", "a=5"},
		{"a<6", "a=5"},
		{"a>5", ""},
		{"in in (x)", "in=x"},
		{"in=x", "in=x"},
		{"!in,a=b,c notin (x)", "a=b a=b,c=d"},
		{"example.com/a!=b,A_b.c-d!=", "none a=b a= a=5 a=b,c=d in=x"},
	} {
		s, err := rest.ParseLabels(test.selector)
		if err != nil {
			t.Error(err)
			continue
		}
		again, err := rest.ParseLabels(s.String())
		if err != nil {
			t.Errorf("%s as text: %v", test.selector, err)
		}
		for name, set := range sets {
			want := strings.Contains(" "+test.want+" ", " "+name+" ")
			if got := s.Matches(set); got != want {
				t.Errorf("%q on %s: %v", test.selector, name, got)
			}
			if again.Matches(set) != want {
				t.Errorf("%q, written as %q, on %s differs", test.selector, s, name)
			}
		}
		if s.Empty() != (strings.TrimSpace(test.selector) == "") {
			t.Errorf("%q: Empty is %v", test.selector, s.Empty())
		}
	}
}

func TestBadLabelSelector(t *testing.T) {
	long := strings.Repeat("x", 64)
	for selector, want := range map[string]string{
		",":                `at 0: found "," where a key should be`,
		"a,":               `at 2: it ends where a key should follow`,
		"a,,b":             `at 2: found "," where a key should be`,
		"a b":              `at 2: found "b" where an operator (=, ==, !=, in, notin, <, >) should be`,
		"a=b c":            `at 4: found "c" where ',' should be`,
		"a in":             `at 4: it ends where '(' should follow`,
		"a in (b":          `at 7: it ends where ',' or ')' should follow`,
		"a in b":           `at 5: found "b" where '(' should be`,
		"a=(":              `at 2: found "(" where a value should be`,
		"a>x":              `at 3: "x" is not an integer, and > compares integers`,
		"a>":               `at 2: "" is not an integer, and > compares integers`,
		"!":                `at 1: it ends where a key should follow`,
		"!a=b":             `at 2: found "=" where ',' should be`,
		"-a":               `at 0: key "-a": the name must start and end with a letter or digit`,
		"a/":               `at 0: key "a/": the name is empty`,
		"A/b":              `at 0: key "A/b": the part before '/' is not a lower-case DNS subdomain`,
		"a/b/c":            `at 0: key "a/b/c": the name has characters other than letters, digits, '-', '_' and '.'`,
		"a=b@c":            `at 5: value "b@c" has characters other than letters, digits, '-', '_' and '.'`,
		"a=" + long:        `at 66: value "` + long + `" has more than 63 characters`,
		"=":                `at 0: found "=" where a key should be`,
		"a===b":            `at 3: found "=" where a value should be`,
		"a..b/c":           `at 0: key "a..b/c": the part before '/' is not a lower-case DNS subdomain`,
		long + ".x/" + "a": "",
	} {
		_, err := rest.ParseLabels(selector)
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", selector, err)
			}
			continue
		}
		if got, want := errText(err), "rest: label selector "+quote(selector)+": "+want; got != want {
			t.Errorf("error is\n\t%s, want\n\t%s", got, want)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return "nil"
	}
	return err.Error()
}

func quote(s string) string { return `"` + s + `"` }

func TestFieldSelector(t *testing.T) {
	value := func(path string) string {
		return map[string]string{"metadata.name": "web", "spec.x": `a,b=c\d`}[path]
	}
	for selector, want := range map[string]bool{
		"":                                true,
		"metadata.name=web":               true,
		"metadata.name==web":              true,
		"metadata.name!=web":              false,
		"metadata.name!=x":                true,
		"metadata.name=web,spec.x=y":      false,
		`spec.x=a\,b\=c\\d`:               true,
		`spec.x!=a\,b\=c\\d`:              false,
		"spec.none=":                      true,
		"spec.none!=":                     false,
		",metadata.name=web,,spec.none=,": true,
	} {
		s, err := rest.ParseFields(selector)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := s.Matches(value); got != want {
			t.Errorf("%q: %v", selector, got)
		}
		again, err := rest.ParseFields(s.String())
		if err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(s, again); d != "" {
			t.Error(d)
		}
	}
	for selector, want := range map[string]string{
		"a":       `at 0: "a" has no operator (=, ==, !=)`,
		"a=b,c":   `at 4: "c" has no operator (=, ==, !=)`,
		"=b":      `at 0: "=b" does not name a field`,
		"a=b=c":   `at 0: "a=b=c": '=' in a value needs a backslash before it`,
		`a=\x`:    `at 0: "a=\\x": a backslash must precede ',', '=' or a backslash`,
		`a=\`:     `at 0: "a=\\": a backslash must precede ',', '=' or a backslash`,
		"a=b,!=c": `at 4: "!=c" does not name a field`,
	} {
		_, err := rest.ParseFields(selector)
		if got := errText(err); !strings.HasSuffix(got, want) {
			t.Errorf("error is\n\t%s, want\n\t... %s", got, want)
		}
	}
}

func FuzzLabels(f *testing.F) {
	for _, s := range []string{"a=b,c!=d", "a in (b,c),!d", "a notin (),x>5", "a.b/c==", "!", "(,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := rest.ParseLabels(text)
		if err != nil {
			return
		}
		again, err := rest.ParseLabels(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q is written as %q, and read as %q, %v", text, s, again, err)
		}
		if s.Matches(nil) != again.Matches(nil) {
			t.Errorf("%q matches differently as %q", text, s)
		}
	})
}

func FuzzFields(f *testing.F) {
	for _, s := range []string{"a=b,c!=d", `a==\,\=\\`, "a", "=", "a=b=c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := rest.ParseFields(text)
		if err != nil {
			return
		}
		again, err := rest.ParseFields(s.String())
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, s, err)
		}
		if d := cmp.Diff(s.String(), again.String()); d != "" {
			t.Error(d)
		}
	})
}
