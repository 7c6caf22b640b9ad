package redact

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// view is a text as a reader may decode it, with the place of each byte in the text itself.
type view struct {
	text       []byte
	start, end []int
}

// decoder returns what the beginning of s stands for, and how long that beginning is; 0 for
// nothing.
type decoder func(s string) (decoded string, length int)

// decoders are the ways in which a text may spell a value.
var decoders = []decoder{
	func(string) (string, int) { return "", 0 },
	percent, plus, backslash, entity,
}

// spelled are the characters without which a decoder changes nothing.
var spelled = []string{"", "%", "+", `\`, "&"}

// viewOf returns the text without what cannot be seen and, if tight, without white space.
func viewOf(s string, decode decoder, tight bool) *view {
	v := &view{}
	for i := 0; i < len(s); {
		text, n := decode(s[i:])
		if n == 0 {
			var r rune
			r, n = utf8.DecodeRuneInString(s[i:])
			if text = s[i : i+n]; r == utf8.RuneError && n == 1 {
				text = ""
			}
		}
		for _, r := range text {
			switch {
			case unicode.IsSpace(r) && tight, !unicode.IsSpace(r) && !line.Visible(r):
				continue
			case unicode.IsSpace(r):
				r = ' '
			}
			at := len(v.text)
			v.text = utf8.AppendRune(v.text, r)
			for range len(v.text) - at {
				v.start, v.end = append(v.start, i), append(v.end, i+n)
			}
		}
		i += n
	}
	return v
}

// find calls found with each place of the value in the text.
func (v *view) find(value []byte, found func(start, end int)) {
	for at := 0; ; {
		i := bytes.Index(v.text[at:], value)
		if i < 0 || len(value) == 0 {
			return
		}
		at += i
		found(v.start[at], v.end[at+len(value)-1])
		at++ // the next one may overlap
	}
}

// plus decodes "%2F", and the "+" of a query.
func plus(s string) (string, int) {
	if s[0] == '+' {
		return " ", 1
	}
	return percent(s)
}

// percent decodes "%2F".
func percent(s string) (string, int) {
	const length = len("%2F")
	var raw []byte
	for len(s) >= length && s[0] == '%' {
		b, err := strconv.ParseUint(s[1:length], 16, 8)
		if err != nil {
			break
		}
		raw, s = append(raw, byte(b)), s[length:]
		if utf8.FullRune(raw) {
			break
		}
	}
	return string(raw), length * len(raw)
}

// backslash decodes the escapes of JSON, Go and shells.
func backslash(s string) (string, int) {
	if s[0] != '\\' || len(s) == 1 {
		return "", 0
	}
	for prefix, length := range map[string]int{`\u`: 6, `\x`: 4, `\U`: 10} {
		if strings.HasPrefix(s, prefix) && len(s) >= length {
			if r, err := strconv.ParseUint(s[2:length], 16, 32); err == nil {
				return string(rune(r)), length
			}
		}
	}
	switch s[1] {
	case 'n', 'r', 't', 'b', 'f':
		return " ", 2
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	return s[1 : 1+n], 1 + n
}

// entity decodes the character references of HTML.
func entity(s string) (string, int) {
	if s[0] != '&' {
		return "", 0
	}
	for name, char := range map[string]string{"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": `"`, "&apos;": "'"} {
		if strings.HasPrefix(s, name) {
			return char, len(name)
		}
	}
	end := strings.IndexByte(s[:min(len(s), len("&#x10ffff;"))], ';')
	if end < 0 || !strings.HasPrefix(s, "&#") {
		return "", 0
	}
	digits, base := s[2:end], 10
	if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
		digits, base = digits[1:], 16
	}
	r, err := strconv.ParseUint(digits, base, 32)
	if err != nil {
		return "", 0
	}
	return string(rune(r)), end + 1
}
