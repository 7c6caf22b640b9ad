package shape

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The encoder treats a json.Number of the standard library as the string that it is. These write
// and read it as encoding/json does.

// writeNumber writes a number; the empty one is 0.
func writeNumber(enc *jsontext.Encoder, n stdjson.Number) error {
	if n == "" {
		n = "0"
	}
	if !isNumber(string(n)) {
		return errors.New("invalid number literal in a json.Number")
	}
	return enc.WriteValue(jsontext.Value(n))
}

// readNumber reads a number, or a string that holds one; null changes nothing.
func readNumber(dec *jsontext.Decoder, n *stdjson.Number) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch v.Kind() {
	case 'n':
	case '0':
		*n = stdjson.Number(v)
	case '"':
		s, err := jsontext.AppendUnquote(nil, v)
		if err != nil || !isNumber(string(s)) {
			return errors.New("invalid number literal for a json.Number")
		}
		*n = stdjson.Number(s)
	default:
		return fmt.Errorf("a json.Number cannot be made of %v", v.Kind())
	}
	return nil
}

// isNumber reports whether s is a number as JSON writes it.
func isNumber(s string) bool {
	v := jsontext.Value(s)
	return v.Kind() == '0' && v.IsValid() && strings.TrimSpace(s) == s
}

var (
	numberWriter = json.WithMarshalers(json.MarshalToFunc(writeNumber))
	numberReader = json.UnmarshalFromFunc(readNumber)
)
