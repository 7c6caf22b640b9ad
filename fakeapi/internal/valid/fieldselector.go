package valid

import (
	"fmt"
	"slices"
	"strings"
)

// FieldSelector returns what kube-apiserver says about a field selector that it cannot read. Like
// LabelSelector, it is only asked about selectors that have been refused.
func FieldSelector(text string) string {
	terms := splitFieldTerms(text)
	slices.Sort(terms) // the first one in order is complained about
	for _, term := range terms {
		_, v, ok := strings.Cut(term, "=")
		switch {
		case term == "":
			continue
		case !ok:
			return fmt.Sprintf("invalid selector: '%s'; can't understand '%s'", text, term)
		}
		if !strings.HasSuffix(term[:len(term)-len(v)-1], "!") { // after !=, a second = is part of the value
			v = strings.TrimPrefix(v, "=")
		}
		if problem := escapeProblem(v); problem != "" {
			return "invalid field selector: " + problem
		}
	}
	return `"" is not a known field selector: only "metadata.name", "metadata.namespace"`
}

// EmptyTerms removes the terms of a field selector that have neither a field nor a value. They
// select everything.
func EmptyTerms(text string) string {
	isEmpty := func(term string) bool { return slices.Contains([]string{"=", "==", "!="}, term) }
	return strings.Join(slices.DeleteFunc(splitFieldTerms(text), isEmpty), ",")
}

// splitFieldTerms splits a selector at the commas that have no backslash in front.
func splitFieldTerms(text string) []string {
	var out []string
	start, escaped := 0, false
	for i := range len(text) {
		switch {
		case escaped:
			escaped = false
		case text[i] == '\\':
			escaped = true
		case text[i] == ',':
			out = append(out, text[start:i])
			start = i + 1
		}
	}
	return append(out, text[start:])
}

// escapeProblem returns what is wrong with the backslashes of a value, or "".
func escapeProblem(v string) string {
	escaped := false
	for _, c := range v {
		switch {
		case escaped && !strings.ContainsRune(`\,=`, c):
			return `invalid escape sequence: \` + string(c)
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == ',' || c == '=':
			return fmt.Sprintf("unescaped character in value: %d", c)
		}
	}
	if escaped {
		return `invalid escape sequence: \`
	}
	return ""
}
