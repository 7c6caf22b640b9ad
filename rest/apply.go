package rest

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/stream"
)

// ApplyOptions change a server-side apply.
type ApplyOptions struct {
	// FieldManager is who wants the fields. Default: the handle's or the
	// client's, [CallOptions].FieldManager; without one the apply is refused.
	FieldManager string

	// Force takes over the fields that other managers own. Default: they are a
	// conflict.
	Force bool
}

// Apply has the server merge obj into the stored object, or create it, and
// answers with the object as the server stored it.
//
// Obj holds all fields that the field manager wants, and nothing else: fields
// that it set before and that obj leaves out are removed, unless another
// manager owns them too. A field that another manager has set to another value
// is a conflict: the error matches [ErrConflict], and [StatusError.Conflicts]
// lists the fields and their managers. An object that a get has given holds
// managedFields, and is refused before any request: apply an object of your
// own, or use [Resource.Modify].
//
// The object needs a name, and is checked and completed as by
// [Resource.Create]. It is encoded before Apply returns.
func (r Resource[T]) Apply(ctx context.Context, obj *T, o ApplyOptions) <-chan stream.Result[*T] {
	b, e, err := r.encode("apply", obj)
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	a := ask{op: "apply", method: http.MethodPatch, name: b.metadata.Name, contentType: string(TypeApplyPatch), body: b.raw, object: true}
	switch {
	case a.name == "":
		err = errors.New("metadata.name is missing")
	case !empty(b.metadata.ManagedFields):
		err = errors.New("metadata.managedFields must not be set")
	default:
		a.query, err = e.options().applyQuery(o.FieldManager, o.Force)
	}
	if err != nil {
		return stream.Answer[*T](nil, e.bad("apply", a.name, err))
	}
	return r.ask(ctx, e, a)
}

// CauseFieldManagerConflict is the type of the causes of a refused apply: a
// field is another manager's.
const CauseFieldManagerConflict = "FieldManagerConflict"

// FieldConflict is a field that an apply could not set.
type FieldConflict struct {
	// Field is its path: ".spec.replicas".
	Field string
	// Manager is who owns it.
	Manager string
	// Subresource is what the manager set it by, "" for the object itself.
	Subresource string
	// Message is what the server says of it.
	Message string
}

// Conflicts lists the fields that an apply could not set, and who owns them; nil
// when the refusal is another one.
func (e *StatusError) Conflicts() []FieldConflict {
	if e.Status.Details == nil {
		return nil
	}
	var found []FieldConflict
	for _, c := range e.Status.Details.Causes {
		if c.Type != CauseFieldManagerConflict {
			continue
		}
		f := FieldConflict{Field: c.Field, Message: c.Message}
		rest := strings.TrimPrefix(c.Message, "conflict with ")
		f.Manager, rest = cutQuoted(rest)
		if rest, ok := strings.CutPrefix(rest, " with subresource "); ok {
			f.Subresource, _ = cutQuoted(rest)
		}
		found = append(found, f)
	}
	return found
}

// cutQuoted returns the Go string at the beginning of a text, and what follows.
func cutQuoted(s string) (text, rest string) {
	q, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", s
	}
	text, _ = strconv.Unquote(q) // it is one
	return text, s[len(q):]
}
