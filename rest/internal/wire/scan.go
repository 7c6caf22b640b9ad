package wire

import (
	"encoding/binary"
	"math/bits"
)

// Results of the scanners below that are not a position. Both are negative.
const (
	cut = -1 // valid so far, but incomplete
	bad = -2 // not JSON
)

// maxDepth bounds how deep arrays and objects may nest, as later decoders do.
const maxDepth = 10000

// value returns the position after the JSON value that begins at i, or cut, or bad. It accepts what
// encoding/json does, and any bytes in strings.
func value(b []byte, i, depth int) int {
	if i = space(b, i); i >= len(b) {
		return cut
	}
	switch c := b[i]; c {
	case '{':
		return object(b, i+1, depth+1, nil)
	case '[':
		return array(b, i+1, depth+1)
	case '"':
		return text(b, i+1)
	case 't':
		return literal(b, i, "true")
	case 'f':
		return literal(b, i, "false")
	case 'n':
		return literal(b, i, "null")
	default:
		return number(b, i)
	}
}

// A visitor sees the members of an object while they are scanned. Names have their quotes.
type visitor interface {
	enter(name []byte) visitor // before the value, an object; nil: nobody sees its members
	member(name, value []byte)
}

// object scans the rest of an object, after its brace. If v is not nil, it sees each member.
func object(b []byte, i, depth int, v visitor) int {
	if depth > maxDepth {
		return bad
	}
	if i = space(b, i); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i = space(b, i); i >= len(b) {
			return cut
		}
		name := i
		if b[i] != '"' {
			return bad
		}
		if i = text(b, i+1); i < 0 {
			return i
		}
		nameEnd := i
		if i = space(b, i); i >= len(b) {
			return cut
		}
		if b[i] != ':' {
			return bad
		}
		start := space(b, i+1)
		if v == nil {
			i = value(b, start, depth)
		} else {
			i = seen(b, start, depth, v, b[name:nameEnd])
		}
		if i < 0 {
			return i
		}
		if i = space(b, i); i >= len(b) {
			return cut
		}
		switch b[i] {
		case ',':
			i++
		case '}':
			return i + 1
		default:
			return bad
		}
	}
}

// seen scans the value of a member, which v sees.
func seen(b []byte, start, depth int, v visitor, name []byte) (end int) {
	var inside visitor
	if start < len(b) && b[start] == '{' {
		inside = v.enter(name)
	}
	if inside != nil {
		end = object(b, start+1, depth+1, inside)
	} else {
		end = value(b, start, depth)
	}
	if end >= 0 {
		v.member(name, b[start:end])
	}
	return end
}

// array scans the rest of an array, after its bracket.
func array(b []byte, i, depth int) int {
	if depth > maxDepth {
		return bad
	}
	if i = space(b, i); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = value(b, i, depth); i < 0 {
			return i
		}
		if i = space(b, i); i >= len(b) {
			return cut
		}
		switch b[i] {
		case ',':
			i++
		case ']':
			return i + 1
		default:
			return bad
		}
	}
}

func space(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// text scans the rest of a string, after its first quote.
func text(b []byte, i int) int {
	for {
		if i = plain(b, i); i >= len(b) {
			return cut
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i = escape(b, i+1); i < 0 {
				return i
			}
		default:
			return bad // a control character
		}
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain returns the position of the next byte that is a quote, a backslash or a control character.
// It looks at eight bytes at a time.
func plain(b []byte, i int) int {
	for i+8 <= len(b) {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, backslash := x^(ones*'"'), x^(ones*'\\')
		// The lowest bit set is exact in each: a borrow reaches only the bytes above a hit.
		hits := ((quote-ones)&^quote | (backslash-ones)&^backslash | (x-ones*' ')&^x) & highs
		if hits != 0 {
			return i + bits.TrailingZeros64(hits)/8
		}
		i += 8
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// escape scans the rest of an escape sequence, after its backslash.
func escape(b []byte, i int) int {
	if i >= len(b) {
		return cut
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		for n := range 4 {
			if i+1+n >= len(b) {
				return cut
			}
			if c := b[i+1+n] | 0x20; !digit(b[i+1+n]) && (c < 'a' || c > 'f') {
				return bad
			}
		}
		return i + 5
	default:
		return bad
	}
}

func literal(b []byte, i int, word string) int {
	for n := range len(word) {
		if i+n >= len(b) {
			return cut
		}
		if b[i+n] != word[n] {
			return bad
		}
	}
	return i + len(word)
}

func digit(c byte) bool { return c-'0' <= 9 }

// number scans a number. One that reaches the end of the text may go on: it is cut.
func number(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return cut
	case b[i] == '0':
		i++
	default:
		if i = digits(b, i); i < 0 {
			return i
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i < 0 {
			return i
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if i = digits(b, i); i < 0 {
			return i
		}
	}
	if i >= len(b) {
		return cut
	}
	return i
}

// digits scans one digit or more.
func digits(b []byte, i int) int {
	switch {
	case i >= len(b):
		return cut
	case !digit(b[i]):
		return bad
	}
	for i < len(b) && digit(b[i]) {
		i++
	}
	return i
}

// structure follows only braces and strings to where an object may end, over any number of pieces.
type structure struct {
	depth           int
	quoted, escaped bool
}

// end returns the position after the brace that closes the first object, or cut: then the next
// piece continues from here.
func (s *structure) end(b []byte) int {
	for i := 0; i < len(b); i++ {
		if s.escaped {
			s.escaped = false
			continue
		}
		if s.quoted {
			if i = plain(b, i); i >= len(b) {
				return cut
			}
		}
		switch b[i] {
		case '"':
			s.quoted = !s.quoted
		case '\\':
			s.escaped = s.quoted
		case '{':
			s.depth++
		case '}':
			if s.depth--; s.depth <= 0 {
				return i + 1
			}
		}
	}
	return cut
}
