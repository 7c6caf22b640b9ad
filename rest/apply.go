package rest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/rest/internal/wire"
	"github.com/tideway-go/tideway/stream"
)

// Apply has the server merge obj into the stored object, or create it, and answers with the object as
// the server stored it: server-side apply.
//
// Obj holds all fields that the field manager wants, and nothing else: fields that it set before and
// that obj leaves out are removed, unless another manager owns them too. The manager is
// [CallOptions].FieldManager; without one the apply is refused. If another manager has set a field to
// another value, the error matches [ErrConflict], and [StatusError.Conflicts] lists the fields and
// their managers; [CallOptions].Force takes the fields over. An object that came from a get holds
// managedFields, and is refused before any request: apply an object of your own, or use
// [Resource.Modify].
//
// The object needs a name, and is checked and completed as by [Resource.Create]. It is encoded before
// Apply returns.
func (r Resource[T]) Apply(ctx context.Context, obj *T) <-chan stream.Result[*T] {
	b, e, err := r.encode("apply", obj)
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	q := &request{op: "apply", method: http.MethodPatch, name: b.name(), contentType: typeApplyPatch, body: b.raw, object: true}
	switch {
	case q.name == "":
		err = errors.New("metadata.name is missing")
	case !wire.IsEmpty(b.metadata.ManagedFields):
		err = errors.New("metadata.managedFields must not be set")
	case e.options().FieldManager == "":
		err = errors.New("an apply needs a field manager: set CallOptions.FieldManager")
	}
	if err != nil {
		return stream.Answer[*T](nil, e.bad("apply", q.name, err))
	}
	if e.options().Force {
		q.query = url.Values{"force": {"true"}}
	}
	return r.ask(ctx, e, q)
}

// FieldConflict is a field that an apply could not set.
type FieldConflict struct {
	// Field is its path: ".spec.replicas".
	Field string
	// Manager owns it.
	Manager string
	// Subresource is where the manager set it, "" for the object itself.
	Subresource string
	// Message is what the server says about it.
	Message string
}

// Conflicts lists the fields that an apply could not set, and their managers; nil if the refusal has
// another reason.
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
