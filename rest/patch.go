package rest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

// PatchType is the media type of a patch. The zero value is a strategic merge patch for built-in
// kinds, and a merge patch for all others and for the subresources status and scale.
type PatchType string

// The types of patches.
const (
	// TypeStrategicPatch is a merge patch that merges lists by keys. Only built-in kinds have it.
	TypeStrategicPatch PatchType = "application/strategic-merge-patch+json"
	// TypeMergePatch sets members, removes those that are null, and replaces arrays: RFC 7386.
	TypeMergePatch PatchType = "application/merge-patch+json"
	// TypeJSONPatch is an array of operations: RFC 6902.
	TypeJSONPatch PatchType = "application/json-patch+json"
)

// typeApplyPatch is a server-side apply; [Resource.Apply] sends it.
const typeApplyPatch = "application/apply-patch+yaml"

// Patch is a document that changes an object.
type Patch struct {
	Type PatchType // Default: what suits the resource
	Data []byte    // the document, which is sent unchanged
	err  error     // of making it
}

// NewPatch returns a patch of the default [PatchType].
//
// In all constructors, a string or any kind of []byte is the document itself, byte for byte.
// Anything else is encoded now: a nil in a map removes a member, but a struct cannot remove what
// its tags omit.
func NewPatch(doc any) Patch { return newPatch("", doc) }

// StrategicPatch returns a strategic merge patch. Custom kinds refuse it.
func StrategicPatch(doc any) Patch { return newPatch(TypeStrategicPatch, doc) }

// MergePatch returns a merge patch; see [NewPatch].
func MergePatch(doc any) Patch { return newPatch(TypeMergePatch, doc) }

// JSONPatch returns a JSON patch: an array of values with op, path and value.
func JSONPatch(ops any) Patch { return newPatch(TypeJSONPatch, ops) }

func newPatch(t PatchType, doc any) Patch {
	p := Patch{Type: t}
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

// check refuses a document that is not a patch of its type.
func (p *Patch) check() error {
	want, article := jsontext.Kind('{'), "an object"
	name := ""
	switch p.Type {
	case TypeStrategicPatch:
		name = "a strategic merge patch"
	case TypeMergePatch:
		name = "a merge patch"
	case TypeJSONPatch:
		name, want, article = "a JSON patch", '[', "an array"
	default:
		return fmt.Errorf("patch type %q is not supported", p.Type)
	}
	switch doc := jsontext.Value(p.Data); {
	case p.err != nil:
		return fmt.Errorf("encoding the patch: %w", p.err)
	case len(bytes.TrimSpace(doc)) == 0, string(bytes.TrimSpace(doc)) == "null":
		return errors.New("the patch is empty")
	case !doc.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)):
		return errors.New("the patch is not JSON")
	case doc.Kind() != want:
		return fmt.Errorf("%s must be %s", name, article)
	}
	return nil
}
