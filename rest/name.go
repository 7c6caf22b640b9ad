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
