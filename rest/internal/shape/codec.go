package shape

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/rest/internal/wire"
)

// encodeOptions give what encoding/json writes.
var encodeOptions = json.JoinOptions(jsonv1.DefaultOptionsV1(), numberWriter)

// typedOptions read what encodeOptions wrote, and what servers send: names are case-sensitive;
// duplicate names and invalid UTF-8 are allowed. Reporting errors as encoding/json does also means
// to tolerate the tags that it tolerates.
var typedOptions = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	json.MatchCaseInsensitiveNames(false),
)

// decodeOptions are typedOptions that keep integers in an any exact, and know json.Number. They are
// only for types with either inside, since they would slow the others down by a tenth.
var decodeOptions = json.JoinOptions(typedOptions, json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFromFunc(unmarshalAny), numberReader)))

// Encode encodes a value as encoding/json does; invalid UTF-8 becomes the replacement character.
func Encode(v any) ([]byte, error) { return json.Marshal(v, encodeOptions) }

// Decode decodes raw into v, a pointer to a value of the type. The error never repeats the value
// that did not fit.
func (s *Shape) Decode(raw []byte, v any) error {
	return hideValue(json.Unmarshal(raw, faster(v), s.options()))
}

// DecodeNext decodes the next value of dec into v, a pointer to a value of the type.
func (s *Shape) DecodeNext(dec *jsontext.Decoder, v any) error {
	return hideValue(json.UnmarshalDecode(dec, faster(v), s.options()))
}

// options returns the options that decode the type.
func (s *Shape) options() json.Options {
	if s.hasAny {
		return decodeOptions
	}
	return typedOptions
}

// faster returns v as a type that decodes itself faster, if there is one.
func faster(v any) any {
	if m, ok := v.(*map[string]any); ok {
		return (*object)(m)
	}
	return v
}

// object decodes itself without a schema.
type object map[string]any

// UnmarshalJSONFrom decodes an object, or null.
func (o *object) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	m, err := DecodeMap(dec)
	*o = m
	return err
}

// DecodeMap decodes an object, or null, without a schema.
func DecodeMap(dec *jsontext.Decoder) (map[string]any, error) {
	switch dec.PeekKind() {
	case 'n':
		return nil, dec.SkipValue()
	case '{':
		v, err := wire.ReadAny(dec)
		if err != nil {
			return nil, err
		}
		return v.(map[string]any), nil
	default:
		var m map[string]any
		return nil, json.UnmarshalDecode(dec, &m) // says what is wrong
	}
}

// hideValue removes the value that did not fit from the error of a decoder: an object may hold
// secrets.
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

// refusedByType reports whether the error comes from a type that decodes itself, and so may repeat
// anything.
func refusedByType(err error) bool {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, wire.ErrRange):
		return false
	}
	if _, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return false
	}
	_, ok := errors.AsType[*jsonv1.SyntaxError](err)
	return !ok
}

// typeError means that a type refused a value. It keeps the type's own error for errors.Is and
// errors.As.
type typeError struct{ err error }

// Error implements error.
func (e *typeError) Error() string {
	return fmt.Sprintf("the type that decodes a value refuses it (%T)", e.err)
}

// Format writes what Error returns, whatever the verb: the type's own error may repeat the value.
func (e *typeError) Format(f fmt.State, verb rune) { line.Format(f, verb, e.Error()) }

// Unwrap returns the error of the type.
func (e *typeError) Unwrap() error { return e.err }

// unmarshalAny decodes into an any that is nil, keeping integers exact.
func unmarshalAny(dec *jsontext.Decoder, v *any) error {
	if *v != nil {
		return errors.ErrUnsupported
	}
	x, err := wire.ReadAny(dec)
	*v = x
	return err
}
