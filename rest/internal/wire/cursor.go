package wire

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNotJSON means that a text ends inside a value, or is not JSON.
var ErrNotJSON = errors.New("the JSON is cut off or malformed")

// Cursor walks over the values and members of a JSON text.
type Cursor struct {
	Text []byte
	Pos  int
}

// Peek skips white space and returns the next byte, 0 at the end.
func (c *Cursor) Peek() byte {
	if c.Pos = space(c.Text, c.Pos); c.Pos < len(c.Text) {
		return c.Text[c.Pos]
	}
	return 0
}

// Take skips white space and the given byte, and reports whether it was there.
func (c *Cursor) Take(b byte) bool {
	if c.Peek() != b {
		return false
	}
	c.Pos++
	return true
}

// Quoted returns the next value, a string, with its quotes; nil if it is not a string.
func (c *Cursor) Quoted() []byte {
	if c.Peek() != '"' {
		return nil
	}
	start := c.Pos
	end := text(c.Text, start+1)
	if end < 0 {
		return nil
	}
	c.Pos = end
	return c.Text[start:end]
}

// Value returns the next value as it is written.
func (c *Cursor) Value() ([]byte, error) {
	c.Peek()
	start := c.Pos
	if c.Pos = value(c.Text, start, 0); c.Pos < 0 {
		c.Pos = start
		return nil, ErrNotJSON
	}
	return c.Text[start:c.Pos], nil
}

// Member moves past the name of the next member and its colon, and returns the name. At the end of
// the object it moves past the brace and returns false. first means that no member has been read
// yet.
func (c *Cursor) Member(first bool) (name []byte, more bool, err error) {
	if c.Take('}') {
		return nil, false, nil
	}
	if !first && !c.Take(',') {
		return nil, false, ErrNotJSON
	}
	q := c.Quoted()
	if q == nil || !c.Take(':') {
		return nil, false, ErrNotJSON
	}
	return Unquote(q), true, nil
}

// Unquote returns the content of a string in quotes, without a copy if nothing in it is escaped.
// Bytes that are not UTF-8 become the replacement character.
func Unquote(q []byte) []byte {
	content := q[1 : len(q)-1]
	if bytes.IndexByte(content, '\\') < 0 && utf8.Valid(content) {
		return content
	}
	b, _ := jsontext.AppendUnquote(nil, q) // the error is invalid UTF-8, which is let through
	return b
}
