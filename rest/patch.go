package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tideway-go/tideway/stream"
)

// PatchType is the media type of a patch. The zero value stands for the type that suits the resource:
// a strategic merge patch for a built-in kind, a merge patch for all others, and for the subresources
// status and scale.
type PatchType string

// The types of patches.
const (
	// TypeStrategicPatch is the strategic merge patch of Kubernetes: a merge patch that knows which
	// lists are to be merged, and by which key. Only built-in kinds have it.
	TypeStrategicPatch PatchType = "application/strategic-merge-patch+json"
	// TypeMergePatch is JSON merge patch, RFC 7386: members are set, null removes one, arrays are
	// replaced.
	TypeMergePatch PatchType = "application/merge-patch+json"
	// TypeJSONPatch is JSON patch, RFC 6902: an array of operations.
	TypeJSONPatch PatchType = "application/json-patch+json"
)

// typeApplyPatch is a server-side apply; [Resource.Apply] sends it.
const typeApplyPatch = "application/apply-patch+yaml"

// Patch is a document that changes an object. [NewPatch] and its siblings make one.
type Patch struct {
	// Type says how the document is to be understood. Default: what suits the resource.
	Type PatchType
	// Data is the document, which is sent unchanged.
	Data []byte

	err error // of making it
}

// NewPatch returns a patch of the type that suits the resource; see [PatchType].
//
// A string, and any kind of []byte, is the document itself, and is sent byte for byte; so it is with
// all constructors. Anything else is encoded now: a nil in a map removes a member; a struct leaves out
// what its tags say, so it cannot remove.
func NewPatch(doc any) Patch { return newPatch("", doc) }

// StrategicPatch returns a strategic merge patch. Custom kinds refuse it before any request, as every
// server does.
func StrategicPatch(doc any) Patch { return newPatch(TypeStrategicPatch, doc) }

// MergePatch returns a merge patch. [NewPatch] says what doc may be.
func MergePatch(doc any) Patch { return newPatch(TypeMergePatch, doc) }

// JSONPatch returns a JSON patch: ops is an array of operations, such as a slice of structs or maps with
// op, path and value.
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

// Patch changes the object called name by the document of p, which is sent unchanged, and answers with
// the object as the server stored it.
//
// A document that is not a patch of its type is an error before any request. It is encoded when the
// patch is made: it may be changed afterwards.
func (r Resource[T]) Patch(ctx context.Context, name string, p Patch) <-chan stream.Result[*T] {
	return r.ask(ctx, r.endpoint, &request{op: "patch", method: http.MethodPatch, name: name, patch: &p})
}

// PatchObject is [Resource.Patch] for the object that obj names: by its name, and by its namespace if
// the resource covers all. Nothing else of obj is sent.
func (r Resource[T]) PatchObject(ctx context.Context, obj *T, p Patch) <-chan stream.Result[*T] {
	b, e, err := r.encode("patch", obj)
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	return Resource[T]{e}.Patch(ctx, b.name(), p)
}

// PatchStatus is [Resource.Patch] for the status of the object: it changes the subresource.
func (r Resource[T]) PatchStatus(ctx context.Context, name string, p Patch) <-chan stream.Result[*T] {
	return Sub[T](r, subStatus).Patch(ctx, name, p)
}

// checkPatch chooses the type of a patch and refuses a document that cannot be one. While the kind is
// not resolved, a patch without a type is only known to be an object.
func (e *Endpoint) checkPatch(q *request) error {
	p := *q.patch
	custom := !e.pending && e.kind.isCustom()
	var err error
	switch {
	case p.Type == "" && (e.pending || custom || e.subresource == subStatus || e.subresource == subScale):
		p.Type = TypeMergePatch
	case p.Type == "":
		p.Type = TypeStrategicPatch
	case p.Type == TypeStrategicPatch && custom:
		err = errors.New("custom resources have no strategic merge patch; use a merge patch")
	}
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return e.bad("patch", q.name, err)
	}
	q.contentType, q.body = string(p.Type), p.Data
	return nil
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
	case len(doc) == 0 || doc.Kind() == 'n':
		return errors.New("the patch is empty")
	case !doc.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)):
		return errors.New("the patch is not JSON")
	case doc.Kind() != want:
		return fmt.Errorf("%s must be %s", name, article)
	}
	return nil
}

// isCustom reports whether the group is not one of Kubernetes' own, so that its kinds are not known to
// have a strategic merge patch.
func (k *Kind) isCustom() bool {
	if !strings.Contains(k.Group, ".") {
		return false // custom groups have a dot
	}
	return !slices.ContainsFunc(builtin, func(s Served) bool { return s.Kind.Group == k.Group })
}
