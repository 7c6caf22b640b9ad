package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/tideway-go/tideway/stream"
)

// Deletions is the answer to the deletion of a collection.
type Deletions[T any] struct {
	// Items are the objects as the server answered with them; nil when it
	// answered with a Status. Those with a deletion timestamp go on to exist
	// while they have finalizers, or a grace period runs.
	Items []T
	// Status is what the server said instead.
	Status Status
}

// DeleteAll deletes all objects that which selects by labels and fields, in one
// request: an empty selection is everything in the namespace.
//
// It is not atomic: some may be deleted when it fails, and what is created
// meanwhile may stay. A resource of a namespaced kind needs a namespace. Of
// which only the selectors are used, and the rest has to be zero;
// preconditions make no sense here, and are refused.
func (r Resource[T]) DeleteAll(ctx context.Context, which ListOptions, o DeleteOptions) <-chan stream.Result[Deletions[T]] {
	req, err := r.endpoint.deletionOfAll(ctx, &which, &o)
	if errors.Is(err, errPending) {
		o = o.clone()
		return later(ctx, r, func(r Resource[T]) <-chan stream.Result[Deletions[T]] { return r.DeleteAll(ctx, which, o) })
	}
	if err != nil {
		return stream.Answer(Deletions[T]{}, err)
	}
	return stream.Go(ctx, func(context.Context) (Deletions[T], error) {
		a, err := r.endpoint.do("delete", "", req)
		if err != nil {
			return Deletions[T]{}, err
		}
		d, err := r.deletions(a.body)
		if err != nil {
			return d, r.endpoint.failed("delete", "", fmt.Errorf("decoding the answer: %w", err))
		}
		return d, nil
	})
}

// deletionOfAll returns the request.
func (e Endpoint) deletionOfAll(ctx context.Context, which *ListOptions, o *DeleteOptions) (*http.Request, error) {
	if err := e.whole("delete"); err != nil {
		return nil, err
	}
	err := errors.Join(which.check(), o.check())
	selection := ListOptions{LabelSelector: which.LabelSelector, FieldSelector: which.FieldSelector}
	switch {
	case err != nil:
	case *which != selection:
		err = errors.New("a deletion of all takes only selectors")
	case o.UID != "" || o.ResourceVersion != "":
		err = errors.New("a deletion of all takes no preconditions")
	case e.kind.Namespaced && e.namespace == "":
		err = errors.New("no namespace is given; In names one")
	}
	if err != nil {
		return nil, e.bad("delete", "", err)
	}
	raw, err := o.encode(e.options().DryRun)
	if err != nil {
		return nil, err
	}
	query := selection.query()
	query.Del("limit")
	return e.Request(ctx, http.MethodDelete, "", "", query, raw)
}

// deletions reads the answer.
func (r Resource[T]) deletions(raw []byte) (Deletions[T], error) {
	var d Deletions[T]
	if len(raw) == 0 {
		return d, nil
	}
	if s, ok := readStatus(raw); ok {
		d.Status = s
		return d, nil
	}
	items := NewItemReader(bytes.NewReader(raw))
	for {
		item, err := items.Next()
		if err == io.EOF { //nolint:errorlint // the bare one is the end of the list
			return d, nil
		}
		if err != nil {
			return d, err
		}
		v, err := r.Decode(item)
		if err != nil {
			return d, err
		}
		d.Items = append(d.Items, *v)
	}
}
