package rest

import (
	"errors"
	"fmt"
)

// Meta is the identity of an object.
type Meta struct {
	APIVersion, Kind                      string
	Name, Namespace, UID, ResourceVersion string
}

// errNoObject is the error of a JSON text that is no object.
var errNoObject = errors.New("the value is no JSON object")

// ReadMeta reads an object's identity from its JSON without decoding the rest.
//
// The members may stand in any order; what is missing or null is "". ReadMeta
// stops as soon as it has seen all six, so that it neither checks what follows
// nor notices a second member of the same name. What it meets that is no JSON,
// or an identity that is no string, is an error.
func ReadMeta(raw []byte) (Meta, error) {
	r := metaReader{scanner: scanner{text: raw}, names: interners.Get().(*interner)}
	err := r.object()
	interners.Put(r.names)
	if err != nil {
		return Meta{}, fmt.Errorf("rest: reading metadata: %w", err)
	}
	return r.meta, nil
}

// metaReader fills in meta; the bits of seen tell which parts are there.
type metaReader struct {
	scanner
	meta  Meta
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

	seenTypes    = seenAPIVersion | seenKind
	seenIdentity = seenName | seenNamespace | seenUID | seenResourceVersion
)

// object reads the members of the whole.
func (r *metaReader) object() error {
	if !r.take('{') {
		return errNoObject
	}
	for first := true; ; first = false {
		name, more, err := r.member(first)
		if err != nil || !more {
			return err
		}
		switch string(name) {
		case "apiVersion":
			err = r.readString(&r.meta.APIVersion, seenAPIVersion, true)
		case "kind":
			err = r.readString(&r.meta.Kind, seenKind, true)
		case "metadata":
			if err = r.metadata(); err == nil {
				r.seen |= seenMetadata
			}
		default:
			if !r.skip() {
				err = errCut
			}
		}
		if err != nil {
			return err
		}
		if r.seen&seenTypes == seenTypes && r.seen&seenMetadata != 0 {
			return nil
		}
	}
}

// metadata reads the members of metadata, or null. Where nothing is left to
// find, it may stop inside.
func (r *metaReader) metadata() error {
	if !r.take('{') {
		return r.null("metadata")
	}
	for first := true; ; first = false {
		name, more, err := r.member(first)
		if err != nil || !more {
			return err
		}
		switch string(name) {
		case "name":
			err = r.readString(&r.meta.Name, seenName, false)
		case "namespace":
			err = r.readString(&r.meta.Namespace, seenNamespace, true)
		case "uid":
			err = r.readString(&r.meta.UID, seenUID, false)
		case "resourceVersion":
			err = r.readString(&r.meta.ResourceVersion, seenResourceVersion, false)
		default:
			if !r.skip() {
				err = errCut
			}
		}
		if err != nil {
			return err
		}
		if r.seen&seenIdentity == seenIdentity {
			if r.seen&seenTypes != seenTypes && !r.leave(1) {
				return errCut
			}
			return nil
		}
	}
}

// readString reads a string, or null, into to. A common one is interned.
func (r *metaReader) readString(to *string, bit int, common bool) error {
	r.seen |= bit
	q := r.quoted()
	if q == nil {
		return r.null("a part of the identity")
	}
	if b := unquote(q); common {
		*to = r.names.of(b)
	} else {
		*to = string(b)
	}
	return nil
}

// null reads null; anything else is an error that says what it should be.
func (r *metaReader) null(what string) error {
	r.peek()
	start := r.pos
	if !r.skip() {
		return errCut
	}
	if string(r.text[start:r.pos]) != "null" {
		return fmt.Errorf("%s has a value of another type", what)
	}
	return nil
}
