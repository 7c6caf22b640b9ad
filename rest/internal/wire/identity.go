package wire

import (
	"errors"
	"fmt"
)

// Identity names an object and its version.
type Identity struct {
	APIVersion, Kind                      string
	Name, Namespace, UID, ResourceVersion string
	// KindAt and APIVersionAt are the places of the values of kind and apiVersion in the text.
	KindAt, APIVersionAt Span
}

// Span is a part of a text; the zero value is no part.
type Span struct{ Start, End int }

// Of returns the part of the text.
func (s Span) Of(text []byte) []byte { return text[s.Start:s.End] }

// ErrNotObject means that a JSON text is not an object.
var ErrNotObject = errors.New("the value is not a JSON object")

// ReadIdentity reads an object's identity from its JSON without decoding the rest.
//
// The members may come in any order; what is missing or null is "". ReadIdentity stops once it has
// seen all of them: it neither checks what follows nor notices a second member of the same name. It
// fails if it meets something that is not JSON, or an identity that is not a string.
func ReadIdentity(raw []byte) (Identity, error) {
	r := identityReader{Cursor: Cursor{Text: raw}, names: interners.Get().(*interner)}
	err := r.object()
	interners.Put(r.names)
	return r.is, err
}

// identityReader fills in is; the bits of seen say which parts are there.
type identityReader struct {
	Cursor

	is    Identity
	names *interner
	seen  int
}

const (
	seenAPIVersion = 1 << iota
	seenKind
	seenName
	seenNamespace
	seenUID
	seenResourceVersion
	seenMetadata

	seenTypes = seenAPIVersion | seenKind
	seenAll   = seenTypes | seenName | seenNamespace | seenUID | seenResourceVersion
)

// object reads the members of the whole.
func (r *identityReader) object() error {
	if !r.Take('{') {
		return ErrNotObject
	}
	for first := true; ; first = false {
		name, more, err := r.Member(first)
		if err != nil || !more {
			return err
		}
		switch string(name) {
		case "apiVersion":
			r.is.APIVersionAt, err = r.readString(&r.is.APIVersion, seenAPIVersion, true)
		case "kind":
			r.is.KindAt, err = r.readString(&r.is.Kind, seenKind, true)
		case "metadata":
			r.seen |= seenMetadata
			err = r.metadata()
		default:
			_, err = r.Value()
		}
		if err != nil {
			return err
		}
		if r.seen&seenAll == seenAll || r.seen&(seenTypes|seenMetadata) == seenTypes|seenMetadata {
			return nil
		}
	}
}

// metadata reads the members of metadata, or null. Once nothing is left to find, it stops.
func (r *identityReader) metadata() error {
	if !r.Take('{') {
		_, err := r.null("metadata")
		return err
	}
	for first := true; ; first = false {
		name, more, err := r.Member(first)
		if err != nil || !more {
			return err
		}
		switch string(name) {
		case "name":
			_, err = r.readString(&r.is.Name, seenName, false)
		case "namespace":
			_, err = r.readString(&r.is.Namespace, seenNamespace, true)
		case "uid":
			_, err = r.readString(&r.is.UID, seenUID, false)
		case "resourceVersion":
			_, err = r.readString(&r.is.ResourceVersion, seenResourceVersion, false)
		default:
			_, err = r.Value()
		}
		if err != nil || r.seen&seenAll == seenAll {
			return err
		}
	}
}

// readString reads a string, or null, into to, and returns its place. Common strings are interned.
func (r *identityReader) readString(to *string, bit int, common bool) (Span, error) {
	r.seen |= bit
	q := r.Quoted()
	if q == nil {
		return r.null("a part of the identity")
	}
	if b := Unquote(q); common {
		*to = r.names.of(b)
	} else {
		*to = string(b)
	}
	return Span{r.Pos - len(q), r.Pos}, nil
}

// null reads null; anything else is an error about what.
func (r *identityReader) null(what string) (Span, error) {
	v, err := r.Value()
	if err == nil && string(v) != "null" {
		err = fmt.Errorf("%s has the wrong type", what)
	}
	return Span{r.Pos - len(v), r.Pos}, err
}
