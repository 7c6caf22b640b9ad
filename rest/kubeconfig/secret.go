package kubeconfig

import "fmt"

// redacted is how every Secret is printed.
const redacted = "[redacted]"

// Secret is a string that never prints.
//
// Every verb of fmt, every encoder that asks for text, and slog show "[redacted]", or "" for an
// empty secret. Code that has to send the value gets it by conversion: string(s).
type Secret string

// String returns "[redacted]", or "" if the secret is empty.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// GoString returns the result of String, so that %#v hides the value as well.
func (s Secret) GoString() string { return s.String() }

// Format writes the result of String, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText returns the result of String; encoders of JSON and YAML use it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalBinary returns the result of String; gob uses it.
func (s Secret) MarshalBinary() ([]byte, error) { return []byte(s.String()), nil }
