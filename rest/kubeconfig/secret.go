package kubeconfig

import "fmt"

// redacted is what every printed Secret looks like.
const redacted = "[redacted]"

// Secret is a string that never prints.
//
// Every verb of fmt, every encoder that asks for text, and slog show "[redacted]" ("" when there is
// nothing to hide). A conversion, string(s), gives the value to code that has to send it.
type Secret string

// String returns "[redacted]", or "" when the secret is empty.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// GoString returns what String returns, so that %#v hides the value too.
func (s Secret) GoString() string { return s.String() }

// Format writes what String returns, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText returns what String returns; JSON and YAML encoders use it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalBinary returns what String returns; gob uses it.
func (s Secret) MarshalBinary() ([]byte, error) { return []byte(s.String()), nil }
