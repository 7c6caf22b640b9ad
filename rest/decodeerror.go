package rest

import (
	"errors"
	"fmt"

	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/rest/internal/wire"
)

// DecodeError reports an object in a list that is valid JSON but does not decode into the type of
// the resource. [ListOptions].KeepGoing lets a list go on after it.
type DecodeError struct {
	Key             Key // of the object
	ResourceVersion string
	Err             error // of the decoder: it names the field, and never repeats the value

	at       int // in the page
	identity wire.Identity
}

// Error returns one line with the place in the page, the object and the decoder's error.
func (e *DecodeError) Error() string {
	return line.Of(fmt.Sprintf("items[%d]: decode %s: %v", e.at, e.Key, e.Err))
}

// Unwrap returns the decoder's error.
func (e *DecodeError) Unwrap() error { return e.Err }

// isUndecoded reports whether the error is that of an object that does not decode.
func isUndecoded(err error) bool {
	_, ok := errors.AsType[*DecodeError](err)
	return ok
}

// undecoded completes the key of an object that does not decode; other errors stay as they are.
func (e *Endpoint) undecoded(err error) error {
	if bad, ok := errors.AsType[*DecodeError](err); ok {
		bad.Key = e.key(bad.identity.Namespace, bad.identity.Name)
	}
	return err
}
