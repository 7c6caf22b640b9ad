package rest

import (
	"fmt"
	"strings"
)

// FieldSelector selects objects by fields. The zero value selects everything.
type FieldSelector []FieldTerm

// FieldTerm is one condition on one field.
type FieldTerm struct {
	Path  string // "metadata.name"
	Not   bool   // the value must differ
	Value string
}

// ParseFields parses a field selector: path=value, path==value and path!=value, joined by commas.
// In a value, write a backslash before ',', '=' and a backslash. The server decides which paths it
// supports.
func ParseFields(s string) (FieldSelector, error) {
	sel, err := parseFields(s)
	if err != nil {
		return nil, invalid(fmt.Errorf("rest: %w", err))
	}
	return sel, nil
}

func parseFields(s string) (FieldSelector, error) {
	var sel FieldSelector
	for pos := 0; pos < len(s); {
		n := unescaped(s[pos:], ",")
		if n > 0 {
			t, err := parseFieldTerm(s[pos : pos+n])
			if err != nil {
				return nil, fmt.Errorf("field selector %q: at %d: %w", s, pos, err)
			}
			sel = append(sel, t)
		}
		pos += n + 1
	}
	return sel, nil
}

// fieldsOf adds the name of an object to a field selector.
func fieldsOf(name, selector string) string {
	if name == "" {
		return selector
	}
	byName := FieldTerm{Path: "metadata.name", Value: name}.String()
	if selector == "" {
		return byName
	}
	return byName + "," + selector
}

// Matches reports whether an object fulfils every condition. The function returns the object's
// value at a path, or "".
func (s FieldSelector) Matches(value func(path string) string) bool {
	for _, t := range s {
		if (value(t.Path) == t.Value) == t.Not {
			return false
		}
	}
	return true
}

// String returns the selector in the syntax of [ParseFields].
func (s FieldSelector) String() string {
	parts := make([]string, len(s))
	for i, t := range s {
		parts[i] = t.String()
	}
	return strings.Join(parts, ",")
}

// String returns the condition in the syntax of [ParseFields].
func (t FieldTerm) String() string {
	op := "="
	if t.Not {
		op = "!="
	}
	return t.Path + op + fieldEscaper.Replace(t.Value)
}

var fieldEscaper = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`)

// unescaped returns the index of the first character of chars in s without a backslash before it,
// or the length of s.
func unescaped(s, chars string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case strings.IndexByte(chars, s[i]) >= 0:
			return i
		}
	}
	return len(s)
}

func parseFieldTerm(s string) (FieldTerm, error) {
	path, value, ok := strings.Cut(s, "=")
	if !ok {
		return FieldTerm{}, fmt.Errorf("%q has no operator (=, ==, !=)", s)
	}
	t := FieldTerm{Path: path}
	if head, ok := strings.CutSuffix(path, "!"); ok {
		t.Path, t.Not = head, true
	}
	if !t.Not {
		value = strings.TrimPrefix(value, "=")
	}
	if t.Path == "" {
		return FieldTerm{}, fmt.Errorf("%q does not name a field", s)
	}
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		switch c := value[i]; c {
		case '\\':
			i++
			if i == len(value) || !strings.ContainsRune(`\,=`, rune(value[i])) {
				return FieldTerm{}, fmt.Errorf(`%q: a backslash must precede ',', '=' or a backslash`, s)
			}
			b.WriteByte(value[i])
		case ',', '=':
			return FieldTerm{}, fmt.Errorf("%q: '%c' in a value needs a backslash before it", s, c)
		default:
			b.WriteByte(c)
		}
	}
	t.Value = b.String()
	return t, nil
}
