package rest

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// errCut is the error of a text that ends, or breaks off, inside a value.
var errCut = errors.New("the JSON is cut off, or none")

// scanner walks over JSON without decoding it. It checks only what it needs to
// find its way: who wants to know whether all of it is JSON decodes it.
type scanner struct {
	text []byte
	pos  int
}

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// take skips white space and the byte c, and reports whether it was there.
func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

// quoted returns the next value, a string with its quotes; nil if it is none.
func (s *scanner) quoted() []byte {
	if s.peek() != '"' {
		return nil
	}
	start := s.pos
	if !s.skipString() {
		return nil
	}
	return s.text[start:s.pos]
}

// skipString moves from the opening quote of a string behind the closing one.
func (s *scanner) skipString() bool {
	for i := s.pos + 1; ; {
		n := bytes.IndexByte(s.text[i:], '"')
		if n < 0 {
			return false
		}
		// The quote counts if an even number of backslashes stands before it.
		i += n
		even := true
		for j := i - 1; s.text[j] == '\\'; j-- {
			even = !even
		}
		i++
		if even {
			s.pos = i
			return true
		}
	}
}

// skip moves behind the next value.
func (s *scanner) skip() bool {
	switch s.peek() {
	case 0, ',', ':', '}', ']':
		return false
	case '"':
		return s.skipString()
	case '{', '[':
		s.pos++
		return s.leave(1)
	}
	for s.pos < len(s.text) && !delimiter[s.text[s.pos]] {
		s.pos++
	}
	return true
}

// leave moves behind the end of depth objects or arrays around the position.
func (s *scanner) leave(depth int) bool {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '"':
			if !s.skipString() {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.pos++
		if depth == 0 {
			return true
		}
	}
	return false
}

// delimiter tells the bytes that end a number or a word.
var delimiter = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, ',': true, ']': true, '}': true, ':': true}

// member moves behind the name of the next member and its colon, and returns
// the name. At the end of the object it moves behind the brace, and more is
// false. first tells that no member was read yet.
func (s *scanner) member(first bool) (name []byte, more bool, err error) {
	if s.take('}') {
		return nil, false, nil
	}
	if !first && !s.take(',') {
		return nil, false, errCut
	}
	q := s.quoted()
	if q == nil || !s.take(':') {
		return nil, false, errCut
	}
	return unquote(q), true, nil
}

// unquote returns the content of a string in quotes, without a copy where
// nothing is escaped.
func unquote(q []byte) []byte {
	content := q[1 : len(q)-1]
	if bytes.IndexByte(content, '\\') < 0 && valid(content) {
		return content
	}
	b, _ := jsontext.AppendUnquote(nil, q) // the error is invalid UTF-8, which is let through
	return b
}
