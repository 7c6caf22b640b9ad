package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"

	"github.com/tideway-go/tideway/stream"
)

// Get answers with the object called name.
//
// An empty name, and one that would reach another path, is an error before any
// request. An object that does not exist matches [ErrNotFound].
func (r Resource[T]) Get(ctx context.Context, name string) <-chan stream.Result[*T] {
	return r.object(ctx, "get", http.MethodGet, name, r.endpoint, nil, "")
}

// Create stores a new object and answers with it as the server stored it.
//
// The object needs a name or a generateName. What it leaves out of apiVersion
// and kind is filled in; a resource that covers all namespaces takes the
// namespace from the object. A nil, a list, a value without metadata, and an
// object that contradicts the resource are errors before any request. An
// object that exists matches [ErrAlreadyExists].
//
// The object is encoded before Create returns: it may be changed afterwards.
func (r Resource[T]) Create(ctx context.Context, obj *T) <-chan stream.Result[*T] {
	b, e, err := r.encode("create", obj)
	if err == nil && b.metadata.Name == "" && b.metadata.GenerateName == "" {
		err = e.bad("create", "", errors.New("metadata.name and metadata.generateName are missing"))
	}
	if err == nil && b.metadata.Name != "" {
		err = e.checkName("create", b.metadata.Name)
	}
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	name := cmp.Or(b.metadata.Name, b.metadata.GenerateName+"*")
	req, err := e.Request(ctx, http.MethodPost, "", "", nil, b.raw)
	return r.send(ctx, "create", name, e, req, err)
}

// Update replaces the object by obj and answers with it as the server stored
// it.
//
// The object needs a name, and is checked and completed as by
// [Resource.Create]. With a resource version in it the update happens only if
// the stored object still has that version; otherwise the error matches
// [ErrConflict]. What T does not know is lost: T should be a complete type, or
// [Object].
//
// The object is encoded before Update returns: it may be changed afterwards.
func (r Resource[T]) Update(ctx context.Context, obj *T) <-chan stream.Result[*T] {
	b, e, err := r.encode("update", obj)
	if err == nil && b.metadata.Name == "" {
		err = e.bad("update", "", errors.New("metadata.name is missing"))
	}
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	return r.object(ctx, "update", http.MethodPut, b.metadata.Name, e, b.raw, "")
}

// Patch changes the object called name by the document of p, which is sent
// unchanged, and answers with the object as the server stored it.
//
// The document is encoded when the patch is made: it may be changed afterwards.
func (r Resource[T]) Patch(ctx context.Context, name string, p Patch) <-chan stream.Result[*T] {
	if err := p.check(); err != nil {
		return stream.Answer[*T](nil, r.endpoint.bad("patch", name, err))
	}
	return r.object(ctx, "patch", http.MethodPatch, name, r.endpoint, p.Data, string(p.Type))
}

// Decode decodes an object as the verbs do: kind and apiVersion are filled in
// where the JSON says nothing.
func (r Resource[T]) Decode(raw []byte) (*T, error) {
	s := shapeOf(reflect.TypeFor[T]())
	v := new(T)
	if err := decode(raw, v, s); err != nil {
		return nil, err
	}
	s.fill(v, &r.endpoint.kind)
	return v, nil
}

// encode encodes an object to be sent.
func (r Resource[T]) encode(op string, obj *T) (*body, Endpoint, error) {
	if r.endpoint.err == nil && obj == nil {
		return nil, r.endpoint, r.endpoint.bad(op, "", errors.New("the object is nil"))
	}
	return r.endpoint.encodeObject(op, obj)
}

// object sends a request to the object called name.
func (r Resource[T]) object(ctx context.Context, op, method, name string, e Endpoint, body []byte, contentType string) <-chan stream.Result[*T] {
	if err := e.checkName(op, name); err != nil {
		return stream.Answer[*T](nil, err)
	}
	req, err := e.Request(ctx, method, name, "", nil, body)
	if err == nil && contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	return r.send(ctx, op, name, e, req, err)
}

// send sends a request that is answered by an object.
func (r Resource[T]) send(ctx context.Context, op, name string, e Endpoint, req *http.Request, err error) <-chan stream.Result[*T] {
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	return stream.Go(ctx, func(context.Context) (*T, error) {
		a, err := e.do(op, name, req)
		if err != nil {
			return nil, err
		}
		v, err := r.Decode(a.body)
		if err != nil {
			return nil, e.failed(op, name, fmt.Errorf("decoding the answer: %w", err))
		}
		return v, nil
	})
}

// checkName refuses a name that is none. The error of the endpoint comes first.
func (e Endpoint) checkName(op, name string) error {
	if e.err != nil {
		return e.err
	}
	if err := checkSegment(name); err != nil {
		return e.bad(op, "", fmt.Errorf("name %w", err))
	}
	if e.kind.Namespaced && e.namespace == "" {
		return e.bad(op, name, errors.New("no namespace is given; In names one"))
	}
	return nil
}

// addNonEmpty sets a query parameter that says something.
func addNonEmpty(q url.Values, key, value string) {
	if value != "" {
		q.Set(key, value)
	}
}
