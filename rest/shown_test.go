package rest_test

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// shown returns what a program shows of a value: with each verb of fmt, in each handler of slog,
// and in each encoding of the standard library that is not asked for single fields.
func shown(v any) map[string]string {
	texts := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%t"} {
		texts[verb] = fmt.Sprintf(verb, v)
	}
	raw, err := json.Marshal(v)
	texts["JSON"] = string(raw) + errText(err)
	texts["indented JSON"] = func() string { raw, _ := json.MarshalIndent(map[string]any{"v": v}, "", " "); return string(raw) }()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err == nil {
		texts["gob"] = b.String()
	}
	var text, structured bytes.Buffer
	for _, l := range []*slog.Logger{slog.New(slog.NewTextHandler(&text, nil)), slog.New(slog.NewJSONHandler(&structured, nil))} {
		l.Info("seen", slog.Any("value", v), slog.Group("group", "value", v))
		l.With("value", v).Info("seen")
	}
	texts["slog text"], texts["slog JSON"] = text.String(), structured.String()
	if m, ok := v.(encoding.TextMarshaler); ok {
		raw, err := m.MarshalText()
		texts["MarshalText"] = string(raw) + errText(err)
	}
	if m, ok := v.(encoding.BinaryMarshaler); ok {
		raw, err := m.MarshalBinary()
		texts["MarshalBinary"] = string(raw) + errText(err)
	}
	if s, ok := v.(fmt.Stringer); ok {
		texts["String"] = s.String()
	}
	if s, ok := v.(fmt.GoStringer); ok {
		texts["GoString"] = s.GoString()
	}
	if err, ok := v.(error); ok {
		joined := errors.Join(errors.New("first"), fmt.Errorf("wrapped: %w", err))
		texts["errors.Join"] = fmt.Sprintf("%v %+v %#v %q", joined, joined, joined, joined)
	}
	return texts
}

// hasSecret reports whether a text shows the secret, in any of the forms that the ways to show a
// value have.
func hasSecret(text string) bool {
	for _, form := range []string{
		secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret), fmt.Sprintf("%d", []byte(secret)), fmt.Sprintf("%o", []byte(secret)),
		strings.Trim(fmt.Sprintf("%#v", []byte(secret)), "[]byte{}"), base64.RawStdEncoding.EncodeToString([]byte(secret)),
	} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}
