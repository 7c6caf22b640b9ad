package rest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/tideway-go/tideway/stream"
)

// Deletions is the answer to [Resource.DeleteAll].
type Deletions[T any] struct {
	Items  []T    // those marked for deletion still exist; nil if the server answered with a Status
	Status Status // what the server said instead of objects
}

// DeleteAll deletes all objects that which selects, in one request: without selectors, everything
// in the namespace.
//
// It is not atomic: some objects may be deleted when it fails, and objects created in the meantime
// may stay. Namespaced kinds need a namespace. Only the selectors of which may be set, and o may
// have no preconditions.
func (r Resource[T]) DeleteAll(ctx context.Context, which ListOptions, o DeleteOptions) <-chan stream.Result[Deletions[T]] {
	needContext(ctx)
	e := r.endpoint
	raw, err := o.body(e.options().DryRun)
	err = cmp.Or(which.check(), err)
	selection := ListOptions{Name: which.Name, LabelSelector: which.LabelSelector, FieldSelector: which.FieldSelector}
	switch {
	case err != nil:
	case which != selection:
		err = errors.New("DeleteAll takes only selectors")
	case o.UID != "" || o.ResourceVersion != "":
		err = errors.New("DeleteAll takes no preconditions")
	}
	if bad := e.whole("delete"); bad != nil {
		err = bad
	} else if err != nil {
		err = e.bad("delete", "", err)
	}
	if err != nil {
		return stream.Answer(Deletions[T]{}, err)
	}
	query := selection.query()
	query.Del("limit")
	q := &request{op: "delete", method: http.MethodDelete, collection: true, narrow: true, query: query, body: raw}
	return run(ctx, e, q, func(e *Endpoint, _ *request, a answer) (Deletions[T], error) {
		return Resource[T]{*e}.deletions(which.Name, a.body)
	})
}

// deletions reads the answer.
func (r Resource[T]) deletions(name string, raw []byte) (d Deletions[T], err error) {
	if len(raw) == 0 {
		return d, nil
	}
	if s, ok := readStatus(raw); ok {
		d.Status = s
		return d, nil
	}
	items := newItemReader(bytes.NewReader(raw), 0) // the answer itself was bounded
	items.asked = r.endpoint.asks(name)
	for {
		var v T
		err := r.item(items, &v)
		if err == io.EOF { //nolint:errorlint // the bare one is the end of the list
			return d, nil
		}
		if err != nil {
			return d, err
		}
		d.Items = append(d.Items, v)
	}
}
