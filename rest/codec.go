package rest

import (
	"fmt"
	"reflect"

	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/rest/internal/shape"
	"github.com/tideway-go/tideway/rest/internal/wire"
)

// Decode decodes one JSON value as the library decodes every object: names are case-sensitive,
// unknown members are skipped, duplicate names and invalid UTF-8 are allowed, and integers in an
// any are int64 (else uint64, else float64). The error never repeats the value that did not fit.
func Decode[T any](raw []byte) (*T, error) {
	v := new(T)
	if err := shape.Of(reflect.TypeFor[T]()).Decode(raw, v); err != nil {
		return nil, line.Error(err)
	}
	return v, nil
}

// Encode encodes a value as encoding/json does, except that a byte that is not UTF-8 becomes the
// replacement character itself, not its escape sequence.
func Encode(v any) ([]byte, error) {
	raw, err := shape.Encode(v)
	return raw, line.Error(err)
}

// readText reads a string or null.
func readText(name string, value []byte, to *string) error {
	switch {
	case string(value) == "null":
	case value[0] != '"':
		return fmt.Errorf("%s is not a string", name)
	default:
		*to = string(wire.Unquote(value))
	}
	return nil
}
