package rest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// maxBegun is how much of an answer that is not JSON an error shows, in bytes.
const maxBegun = 256

// answerBody is the body of an answer of status 200 to 299. It remembers how the body begins, for
// the error of one that is not JSON.
type answerBody struct {
	io.ReadCloser

	resp  *http.Response
	begun []byte
	hide  hiding
}

// hiding returns a text without the secrets that the requests of a client carry.
type hiding func(text string, complete bool) string

// Read implements [io.Reader].
func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if room := maxBegun - len(b.begun); room > 0 && n > 0 {
		b.begun = append(b.begun, p[:min(n, room)]...)
	}
	if err != nil && err != io.EOF { //nolint:errorlint // only the bare one is the end
		if text := b.hide(err.Error(), true); text != err.Error() { // a trailer may be malformed
			err = line.As(text, err)
		}
	}
	return n, err
}

// notJSON is the error of the answer.
func (b *answerBody) notJSON() error {
	return notJSON(b.resp.StatusCode, b.resp.Header.Get("Content-Type"), b.begun, b.hide)
}

// notJSON returns the error of a whole answer that is not JSON, nil if it is.
func (a *answer) notJSON() error {
	if jsontext.Value(a.body).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return nil
	}
	return notJSON(a.code, a.contentType, a.body, a.hide)
}

// wrong returns the error of an answer that could not be taken.
func (a *answer) wrong(err error) error {
	if text := a.notJSON(); text != nil {
		err = text
	}
	return fmt.Errorf("decoding the answer: %w", err)
}

// notJSON describes an answer as a refusal is described: status, content type, and the beginning of
// a text that people can read. What was meant as JSON is not repeated, since it may be an object
// with secrets.
func notJSON(code int, contentType string, body []byte, hide hiding) error {
	text := fmt.Sprintf("not JSON (%d", code)
	if contentType != "" {
		text += ", " + shorten(contentType)
	}
	text += ")"
	if len(body) >= maxBegun {
		body = wholeRunes(body[:maxBegun])
	}
	switch begin := plain(textOf("", body)); {
	case len(body) == 0:
		text += ": empty"
	case looksLikeJSON(body):
		text += ": it begins like JSON, and is malformed or cut off" // it may be a Secret
	case begin != "":
		text += ": " + begin
	default:
		text += ": not a text"
	}
	if hide != nil {
		text = hide(text, len(body) < maxBegun)
	}
	return &answerError{text}
}

// wholeRunes cuts off the beginning of a character at the end of a text.
func wholeRunes(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// notJSON returns the error of a list that does not begin as JSON: that of the answer, if there is
// one.
func (r *itemReader) notJSON(err error) error {
	body, ok := r.source.r.(interface{ reading() *answerBody })
	if !ok || body.reading() == nil {
		return err
	}
	return body.reading().notJSON()
}

// looksLikeJSON reports whether a text begins like a value of JSON that is not a bare word.
func looksLikeJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && (strings.IndexByte(`{["`, b[0]) >= 0 || bytes.HasPrefix(b, []byte("null")))
}

// plain returns a text as one line without control characters.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// reading returns the body of the answer that is being read, nil if there is none.
func (b *timedBody) reading() *answerBody {
	body, _ := b.body.(*answerBody)
	return body
}
