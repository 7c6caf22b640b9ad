package rest

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkSegment refuses what cannot be one segment of a path, by the rules of the server; it also
// refuses control characters.
func checkSegment(s string) error {
	switch {
	case s == "":
		return errors.New("is empty")
	case s == "." || s == "..":
		return fmt.Errorf("%q is a relative path", s)
	case strings.ContainsAny(s, "/%"):
		return fmt.Errorf("%q contains '/' or '%%'", s)
	case !utf8.ValidString(s):
		return fmt.Errorf("%q is not UTF-8", s)
	case strings.ContainsFunc(s, unicode.IsControl):
		return fmt.Errorf("%q contains a control character", s)
	}
	return nil
}

// checkNamespaceName refuses what cannot be the name of a namespace.
func checkNamespaceName(s string) error {
	if err := checkSegment(s); err != nil {
		return err
	}
	const most = 63
	for _, c := range s {
		if c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return fmt.Errorf("%q contains other characters than lower-case letters, digits and '-'", s)
		}
	}
	if len(s) > most || s[0] == '-' || s[len(s)-1] == '-' {
		return fmt.Errorf("%.64q is not 1 to %d lower-case letters, digits and '-', with none of the last at an end", s, most)
	}
	return nil
}
