package wire

import (
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrRange means that no float64 can hold a number.
var ErrRange = errors.New("a number is out of range")

// ReadAny decodes the next value of dec into maps, slices and scalars, as [ParseAny] does.
func ReadAny(dec *jsontext.Decoder) (any, error) {
	raw, err := dec.ReadValue()
	if err != nil {
		return nil, err
	}
	return ParseAny(raw)
}

// ParseAny decodes a text that is known to be valid. Integers become int64, or uint64 if only that
// fits; other numbers float64.
func ParseAny(raw []byte) (any, error) {
	r := anyReader{Cursor: Cursor{Text: raw}, names: interners.Get().(*interner)}
	v, err := r.value()
	interners.Put(r.names)
	return v, err
}

// anyReader turns valid JSON into maps, slices and scalars. Decoding without a schema is mostly
// allocation: names are interned, and reading the text itself saves what a token would cost.
type anyReader struct {
	Cursor

	names *interner
}

func (r *anyReader) value() (any, error) {
	switch r.Peek() {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return string(Unquote(r.Quoted())), nil
	case 't':
		r.Pos += len("true")
		return true, nil
	case 'f':
		r.Pos += len("false")
		return false, nil
	case 'n':
		r.Pos += len("null")
		return nil, nil
	}
	return r.number()
}

func (r *anyReader) object() (map[string]any, error) {
	r.Pos++
	m := make(map[string]any)
	for first := true; ; first = false {
		name, more, err := r.Member(first)
		if err != nil || !more {
			return m, err
		}
		key := r.names.of(name)
		if m[key], err = r.value(); err != nil {
			return nil, err
		}
	}
}

func (r *anyReader) array() ([]any, error) {
	r.Pos++
	s := []any{}
	for !r.Take(']') {
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		s = append(s, v)
		r.Take(',')
	}
	return s, nil
}

func (r *anyReader) number() (any, error) {
	start := r.Pos
	for r.Pos < len(r.Text) && partOfNumber(r.Text[r.Pos]) {
		r.Pos++
	}
	text := string(r.Text[start:r.Pos])
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, nil
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return u, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, ErrRange
	}
	return f, nil
}

func partOfNumber(c byte) bool {
	return digit(c) || c == '.' || c == '-' || c == '+' || c|0x20 == 'e'
}
