package rest

import (
	"errors"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// encodeOptions give what encoding/json writes.
var encodeOptions = jsonv1.DefaultOptionsV1()

// decodeOptions read what encodeOptions wrote, and what servers send: names
// are case-sensitive, duplicate names and invalid UTF-8 are let through, and
// integers in an any stay exact.
var decodeOptions = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	json.MatchCaseInsensitiveNames(false),
	jsonv1.ReportErrorsWithLegacySemantics(false),
	json.WithUnmarshalers(json.UnmarshalFromFunc(unmarshalAny)),
)

// Decode decodes one JSON value as the library decodes every object.
//
// Member names are case-sensitive, members that T does not know are skipped,
// duplicate names and invalid UTF-8 are allowed, and integers in an any are
// int64 (uint64 where only that fits, else float64). The error never repeats
// the value that did not fit.
func Decode[T any](raw []byte) (*T, error) {
	v := new(T)
	if err := decode(raw, v); err != nil {
		return nil, err
	}
	return v, nil
}

// Encode encodes a value exactly as encoding/json does.
func Encode(v any) ([]byte, error) { return json.Marshal(v, encodeOptions) }

// decode is Decode into a value that exists.
func decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v, decodeOptions)
	if err == nil {
		return nil
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		semantic.JSONValue = nil // an object may hold secrets
	}
	return err
}

// unmarshalAny decodes into an any that is nil, keeping integers exact.
func unmarshalAny(dec *jsontext.Decoder, v *any) error {
	if *v != nil {
		return errors.ErrUnsupported
	}
	x, err := readAny(dec)
	*v = x
	return err
}

// readAny reads the next value as maps, slices and scalars.
func readAny(dec *jsontext.Decoder) (any, error) {
	switch dec.PeekKind() {
	case '{':
		return readMap(dec)
	case '[':
		return readSlice(dec)
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case 't', 'f':
		return tok.Bool(), nil
	case '"':
		return tok.String(), nil
	case '0':
		return number(tok.String())
	}
	return nil, nil
}

// readMap reads the next value, an object.
func readMap(dec *jsontext.Decoder) (map[string]any, error) {
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	m := make(map[string]any)
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		if m[key], err = readAny(dec); err != nil {
			return nil, err
		}
	}
	_, err := dec.ReadToken()
	return m, err
}

// readSlice reads the next value, an array.
func readSlice(dec *jsontext.Decoder) ([]any, error) {
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	s := []any{}
	for dec.PeekKind() != ']' {
		v, err := readAny(dec)
		if err != nil {
			return nil, err
		}
		s = append(s, v)
	}
	_, err := dec.ReadToken()
	return s, err
}

// number returns a JSON number as int64, else uint64, else float64.
func number(s string) (any, error) {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, nil
	}
	if u, err := strconv.ParseUint(s, 10, 64); err == nil {
		return u, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, errors.New("number out of range")
	}
	return f, nil
}
