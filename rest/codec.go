package rest

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// encodeOptions give what encoding/json writes.
var encodeOptions = jsonv1.DefaultOptionsV1()

// typedOptions read what encodeOptions wrote, and what servers send: names are
// case-sensitive, duplicate names and invalid UTF-8 are let through. Tags that
// encoding/json tolerates are tolerated, which is a part of its way to report
// errors.
var typedOptions = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	json.MatchCaseInsensitiveNames(false),
)

// decodeOptions are typedOptions that keep integers in an any exact. They are
// for types that have an any inside: asking each value for its function costs
// the others a tenth.
var decodeOptions = json.JoinOptions(typedOptions, json.WithUnmarshalers(json.UnmarshalFromFunc(unmarshalAny)))

// Decode decodes one JSON value as the library decodes every object.
//
// Member names are case-sensitive, members that T does not know are skipped,
// duplicate names and invalid UTF-8 are allowed, and integers in an any are
// int64 (uint64 where only that fits, else float64). The error never repeats
// the value that did not fit.
func Decode[T any](raw []byte) (*T, error) {
	v := new(T)
	if err := decode(raw, v, shapeOf(reflect.TypeFor[T]())); err != nil {
		return nil, err
	}
	return v, nil
}

// Encode encodes a value as encoding/json does, to the byte. The one exception
// is a byte that is no UTF-8: it becomes the replacement character itself, and
// not the escape of it.
func Encode(v any) ([]byte, error) { return json.Marshal(v, encodeOptions) }

// decode decodes raw into v, a pointer to a value of the shape.
func decode(raw []byte, v any, s *shape) error {
	return hideValue(json.Unmarshal(raw, faster(v), s.options()))
}

// faster returns v as a type that decodes itself, and faster, if there is one.
func faster(v any) any {
	if m, ok := v.(*map[string]any); ok {
		return (*Object)(m)
	}
	return v
}

// hideValue removes the value that did not fit from the error of a decoder: an
// object may hold secrets.
func hideValue(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*jsonv1.UnmarshalTypeError](err); ok {
		hidden := *e
		hidden.Value, _, _ = strings.Cut(e.Value, " ") // "number 12"
		hidden.Err = nil
		return &hidden
	}
	if refusedByType(err) {
		return &typeError{err}
	}
	return err
}

// refusedByType tells whether the error is one of a type that decodes itself:
// then nobody knows what it repeats.
func refusedByType(err error) bool {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errRange):
		return false
	}
	if _, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return false
	}
	_, ok := errors.AsType[*jsonv1.SyntaxError](err)
	return !ok
}

// typeError says that a type refused a value, and keeps what it said about it
// for errors.Is and errors.As.
type typeError struct{ err error }

// Error implements error.
func (e *typeError) Error() string {
	return fmt.Sprintf("a value is refused by the type that decodes it (%T)", e.err)
}

// Unwrap returns what the type said.
func (e *typeError) Unwrap() error { return e.err }

// unmarshalAny decodes into an any that is nil, keeping integers exact.
func unmarshalAny(dec *jsontext.Decoder, v *any) error {
	if *v != nil {
		return errors.ErrUnsupported
	}
	x, err := readAny(dec)
	*v = x
	return err
}
