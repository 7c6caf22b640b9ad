// Package line makes one printable line of a text that somebody else wrote: a server, a proxy, a
// certificate, a program. All errors of the library go through it.
package line

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Most is how many bytes the text of an error has at most, apart from the mark of what was cut off.
const Most = 4 << 10

// cut marks what was cut off.
const cut = "..."

// Of returns the text as one line of at most Most bytes.
func Of(text string) string { return Bounded(text, Most) }

// Bounded returns the text as one line of at most that many bytes: valid UTF-8, without control
// characters, without the sequences that terminals obey, and without the characters that change the
// direction of what follows. White space becomes one space. What is longer ends with "...".
func Bounded(text string, most int) string {
	if clean(text) {
		return shortened(text, most)
	}
	const rest = 4 // escape sequences and white space shrink; a text of nothing else may be cut early
	long := len(text) > rest*most
	if long {
		text = text[:rest*most]
	}
	text = strings.Join(strings.Fields(strings.Map(visible, Plain(text))), " ")
	if long && len(text) <= most {
		return text + cut
	}
	return shortened(text, most)
}

// escapes matches what terminals take for commands, in seven bits and in eight.
var escapes = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\x1b[]PX^_]|[\u0090\u0098\u009d-\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)?")

// Plain returns the text in valid UTF-8 and without the sequences that terminals obey. Its lines
// stay.
func Plain(text string) string {
	return escapes.ReplaceAllString(strings.ToValidUTF8(text, ""), "")
}

// Visible reports whether the character can be shown on a line.
func Visible(r rune) bool { return r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// visible returns a space for white space, and drops what cannot be shown.
func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case !Visible(r):
		return -1
	}
	return r
}

// clean reports whether a text is a line already, apart from its length.
func clean(text string) bool {
	space := true
	for _, r := range text {
		if r == utf8.RuneError || !Visible(r) || r == ' ' && space {
			return false
		}
		space = r == ' '
	}
	return !space || text == ""
}

// shortened cuts a line.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + cut
}

// Error returns err, or one with the same causes whose text is a line if that of err is none.
func Error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if short := Of(text); short != text {
		return &lined{short, err}
	}
	return err
}

// As returns an error with the causes of err and another text, as a line.
func As(text string, err error) error { return &lined{Of(text), err} }

// Errorf returns what [fmt.Errorf] returns, with a line for a text.
func Errorf(format string, args ...any) error { return Error(fmt.Errorf(format, args...)) }

// lined is an error whose text is a line.
type lined struct {
	text string
	err  error
}

// Error returns the line.
func (e *lined) Error() string { return e.text }

// Unwrap returns the error with the whole text.
func (e *lined) Unwrap() error { return e.err }

// Format writes the line, whatever the verb: the whole text is in a field.
func (e *lined) Format(f fmt.State, verb rune) { Format(f, verb, e.text) }

// Format writes the text, quoted for the verb q.
func Format(f fmt.State, verb rune, text string) {
	if verb == 'q' {
		text = fmt.Sprintf("%q", text)
	}
	_, _ = f.Write([]byte(text))
}
