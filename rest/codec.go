package rest

import (
	"reflect"

	"github.com/tideway-go/tideway/rest/internal/shape"
)

// Decode decodes one JSON value as the library decodes every object.
//
// Member names are case-sensitive, members that T does not have are skipped, duplicate names and
// invalid UTF-8 are allowed, and integers in an any are int64 (uint64 if only that fits, else
// float64). The error never repeats the value that did not fit.
func Decode[T any](raw []byte) (*T, error) {
	v := new(T)
	if err := shape.Of(reflect.TypeFor[T]()).Decode(raw, v); err != nil {
		return nil, err
	}
	return v, nil
}

// Encode encodes a value as encoding/json does, byte for byte. The one exception is a byte that is
// not UTF-8: it becomes the replacement character itself instead of its escape sequence.
func Encode(v any) ([]byte, error) { return shape.Encode(v) }
