package rest

import (
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// errRange is the error of a number that no float64 can hold.
var errRange = errors.New("a number is out of range")

// anyReader turns JSON that is known to be valid into maps, slices and scalars.
//
// Decoding without a schema is mostly allocation: names are interned, and what
// a token would have cost is saved by reading the text itself.
type anyReader struct {
	scanner
	names *interner
}

// readAny decodes the next value of dec.
func readAny(dec *jsontext.Decoder) (any, error) {
	raw, err := dec.ReadValue()
	if err != nil {
		return nil, err
	}
	return parseAny(raw)
}

// parseAny decodes a valid value.
func parseAny(raw []byte) (any, error) {
	r := anyReader{scanner: scanner{text: raw}, names: interners.Get().(*interner)}
	v, err := r.value()
	interners.Put(r.names)
	return v, err
}

func (r *anyReader) value() (any, error) {
	switch r.peek() {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return string(unquote(r.quoted())), nil
	case 't':
		r.pos += len("true")
		return true, nil
	case 'f':
		r.pos += len("false")
		return false, nil
	case 'n':
		r.pos += len("null")
		return nil, nil
	}
	return r.number()
}

func (r *anyReader) object() (map[string]any, error) {
	r.pos++
	m := make(map[string]any)
	for first := true; ; first = false {
		name, more, err := r.member(first)
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
	r.pos++
	s := []any{}
	for !r.take(']') {
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		s = append(s, v)
		r.take(',')
	}
	return s, nil
}

// number returns a number as int64, else uint64, else float64.
func (r *anyReader) number() (any, error) {
	start := r.pos
	r.skip()
	text := string(r.text[start:r.pos])
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, nil
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return u, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, errRange
	}
	return f, nil
}
