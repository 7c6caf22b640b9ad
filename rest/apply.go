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

// Apply makes the server merge obj into the stored object, or create it, and answers with the
// object as stored: server-side apply. The object needs a name, and is checked and completed as by
// [Resource.Create].
//
// Obj must hold all fields that the field manager wants, and nothing else: the server removes
// fields that the manager set before and obj leaves out, unless another manager owns them too.
// [CallOptions].FieldManager is required. If another manager has set a field to another value, the
// error matches [ErrConflict], and [StatusError.Conflicts] lists the fields; [CallOptions].Force
// takes them over. An object from a get has managedFields and is refused: build one yourself, or
// use [Resource.Modify].
func (r Resource[T]) Apply(ctx context.Context, obj *T) <-chan stream.Result[*T] {
	needContext(ctx)
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
	Field       string // its path: ".spec.replicas"
	Manager     string // who owns it
	Subresource string // where the manager set it, "" for the object itself
	Message     string // the server's words
}

// Conflicts lists the fields that an apply could not set; nil if the refusal has another reason.
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
