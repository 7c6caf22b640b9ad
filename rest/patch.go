package rest

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// PatchType is the media type of a patch.
type PatchType string

// The types of patches.
const (
	// TypeStrategicPatch is the strategic merge patch of Kubernetes: a merge
	// patch that knows which lists are to be merged, by which key. Only built-in
	// kinds have it.
	TypeStrategicPatch PatchType = "application/strategic-merge-patch+json"
	// TypeMergePatch is JSON merge patch, RFC 7386: members are set, null
	// removes one, arrays are replaced.
	TypeMergePatch PatchType = "application/merge-patch+json"
	// TypeJSONPatch is JSON patch, RFC 6902: an array of operations.
	TypeJSONPatch PatchType = "application/json-patch+json"
	// TypeApplyPatch is a server-side apply: an object with the fields that its
	// field manager wants.
	TypeApplyPatch PatchType = "application/apply-patch+yaml"
)

// Patch is a document that changes an object. [MergePatch] and its siblings
// make one.
type Patch struct {
	// Type says how the document is to be understood. The zero value is what
	// suits the resource, as [PatchDocument] tells.
	Type PatchType
	// Data is the document, which is sent unchanged.
	Data []byte
	// Force is for an apply: it takes over the fields of other managers, which
	// are a conflict otherwise.
	Force bool

	err error // of making it
}

// PatchDocument returns a patch of the type that suits the resource: a strategic
// merge patch for a built-in kind, a merge patch for all others, and for the
// subresources status and scale.
//
// A string, and what is []byte underneath, is the document itself, and is sent
// byte for byte; this is so for all constructors. Anything else is encoded now:
// a nil in a map removes a member; a struct leaves out what its tags say, so
// that it cannot remove.
func PatchDocument(doc any) Patch { return newPatch("", doc) }

// StrategicPatch returns a strategic merge patch. A kind of a group that is none
// of Kubernetes' own is custom, and refuses it before any request, as every
// server does for custom resources.
func StrategicPatch(doc any) Patch { return newPatch(TypeStrategicPatch, doc) }

// MergePatch returns a merge patch. What doc may be, [PatchDocument] tells.
func MergePatch(doc any) Patch { return newPatch(TypeMergePatch, doc) }

// JSONPatch returns a JSON patch: ops is an array of operations, such as a slice
// of structs or maps with op, path and value.
func JSONPatch(ops any) Patch { return newPatch(TypeJSONPatch, ops) }

// ApplyPatch returns a server-side apply of a document in JSON, which holds
// apiVersion, kind, and the fields that the field manager wants. The handle
// needs a field manager; [Resource.Apply] is for typed objects.
func ApplyPatch(doc any) Patch { return newPatch(TypeApplyPatch, doc) }

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

// check refuses a document that is no patch of its type.
func (p *Patch) check() error {
	want, article := jsontext.Kind('{'), "an object"
	name := ""
	switch p.Type {
	case TypeStrategicPatch:
		name = "a strategic merge patch"
	case TypeMergePatch:
		name = "a merge patch"
	case TypeApplyPatch:
		name = "an apply patch"
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
	case p.Force && p.Type != TypeApplyPatch:
		return errors.New("only an apply can be forced")
	}
	return nil
}

// patch returns the request of a patch. The error of the endpoint comes first.
func (e Endpoint) patch(name string, p *Patch) (ask, error) {
	if err := e.checkName("patch", name); err != nil {
		return ask{}, err
	}
	own := *p
	custom := e.kind.isCustom()
	var err error
	switch {
	case own.Type == "" && (custom || e.subresource == subStatus || e.subresource == subScale):
		own.Type = TypeMergePatch
	case own.Type == "":
		own.Type = TypeStrategicPatch
	case own.Type == TypeStrategicPatch && custom:
		err = errors.New("custom resources have no strategic merge patch; use a merge patch")
	}
	if err == nil {
		err = own.check()
	}
	a := ask{op: "patch", method: http.MethodPatch, name: name, contentType: string(own.Type), body: own.Data}
	if err == nil && own.Type == TypeApplyPatch {
		a.op = "apply"
		a.query, err = e.options().applyQuery("", own.Force)
	}
	if err != nil {
		return a, e.bad("patch", name, err)
	}
	return a, nil
}

// applyQuery returns the parameters of an apply.
func (c *CallOptions) applyQuery(manager string, force bool) (url.Values, error) {
	if manager == "" {
		manager = c.FieldManager
	}
	if manager == "" {
		return nil, errors.New("an apply needs a field manager")
	}
	q := url.Values{"fieldManager": {manager}}
	if force {
		q.Set("force", "true")
	}
	return q, checkManager(manager)
}

// isCustom reports whether the group is not one of Kubernetes' own, so that its kinds are not known to
// have a strategic merge patch.
func (k *Kind) isCustom() bool {
	if !strings.Contains(k.Group, ".") {
		return false // custom groups have a dot
	}
	return !slices.ContainsFunc(builtin, func(s Served) bool { return s.Kind.Group == k.Group })
}
