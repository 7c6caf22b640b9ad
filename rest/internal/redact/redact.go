// Package redact hides secrets in what a credential plugin printed: the values that it was given,
// values of telling names, what lets one in in addresses and headers, and tokens that are known by
// their form. When in doubt it hides.
package redact

import (
	"strings"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// Mark stands for what is hidden.
const Mark = "[redacted]"

// place stands for it until the end: a bracket could become a part of something else.
const place = "\ufffc"

// Text returns the text without secrets, in valid UTF-8 and without escape sequences. Its lines
// stay. A text whose end is missing may end inside a secret: its last word is hidden.
func Text(text string, given Values, complete bool) string {
	// The values are looked for before anything is removed: an escape sequence may swallow a
	// letter.
	text = given.hide(strings.ReplaceAll(text, place, ""), complete)
	text = given.hide(printable(line.Plain(text)), complete)
	text = joined(text)
	m := newMask(text)
	m.headers()
	m.members()
	m.addresses()
	m.markup()
	m.tokens()
	for i := range text {
		if strings.HasPrefix(text[i:], place) {
			m.hide(i, i+len(place))
		}
	}
	if !complete {
		m.end()
	}
	return m.with(Mark)
}

// printable removes what cannot be shown, except for line ends and tabs.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || line.Visible(r):
			return r
		case r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return '\n'
		case r == '\u00a0':
			return ' '
		}
		return -1
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

// mask is a text of which some parts are hidden.
type mask struct {
	text   string
	hidden []bool // by byte
}

func newMask(text string) *mask { return &mask{text, make([]bool, len(text))} }

// hide hides the bytes from start to end.
func (m *mask) hide(start, end int) {
	for i := start; i < min(end, len(m.text)); i++ {
		m.hidden[i] = true
	}
}

// end hides the last word.
func (m *mask) end() {
	m.hide(strings.LastIndexAny(m.text, " \n\t")+1, len(m.text))
}

// with returns the text with a mark for each hidden part.
func (m *mask) with(mark string) string {
	var b strings.Builder
	for i := 0; i < len(m.text); i++ {
		if !m.hidden[i] {
			b.WriteByte(m.text[i])
			continue
		}
		for i+1 < len(m.text) && m.hidden[i+1] {
			i++
		}
		b.WriteString(mark)
	}
	return b.String()
}
