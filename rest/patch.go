package rest

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

// PatchType is the media type of a patch.
type PatchType string

// TypeMergePatch is JSON merge patch, RFC 7386: members are set, null removes
// one, arrays are replaced.
const TypeMergePatch PatchType = "application/merge-patch+json"

// Patch is a document that changes an object. [MergePatch] makes one.
type Patch struct {
	// Type says how the document is to be understood.
	Type PatchType
	// Data is the document, which is sent unchanged.
	Data []byte

	err error // of making it
}

// MergePatch returns a merge patch.
//
// A string, and what is []byte underneath, is the document itself, and is sent
// byte for byte. Anything else is encoded now: a nil in a map removes a member;
// a struct leaves out what its tags say, so that it cannot remove.
func MergePatch(doc any) Patch {
	p := Patch{Type: TypeMergePatch}
	switch v := reflect.ValueOf(doc); {
	case v.Kind() == reflect.String:
		p.Data = []byte(v.String())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		p.Data = append([]byte(nil), v.Bytes()...)
	default:
		p.Data, p.err = Encode(doc)
	}
	return p
}

// check refuses a document that is no patch of its type.
func (p *Patch) check() error {
	switch {
	case p.err != nil:
		return fmt.Errorf("encoding the patch: %w", p.err)
	case p.Type != TypeMergePatch:
		return fmt.Errorf("patch type %q is not supported", p.Type)
	}
	switch doc := jsontext.Value(p.Data); {
	case len(doc) == 0 || doc.Kind() == 'n':
		return errors.New("the patch is empty")
	case !doc.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)):
		return errors.New("the patch is not JSON")
	case doc.Kind() != '{':
		return errors.New("a merge patch must be an object")
	}
	return nil
}
