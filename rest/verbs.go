package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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
	return r.ask(ctx, r.endpoint, ask{op: "get", method: http.MethodGet, name: name})
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
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	a := ask{op: "create", method: http.MethodPost, name: b.metadata.Name, body: b.raw, object: true}
	if e.subresource == "" {
		if a.name == "" && b.metadata.GenerateName == "" {
			err = e.bad("create", "", errors.New("metadata.name and metadata.generateName are missing"))
			return stream.Answer[*T](nil, err)
		}
		a.collection = true
		a.shown = cmp.Or(a.name, b.metadata.GenerateName+"*")
	}
	return r.ask(ctx, e, a)
}

// Patch changes the object called name by the document of p, which is sent
// unchanged, and answers with the object as the server stored it.
//
// A document that is no patch of its type is an error before any request; see
// [StrategicPatch], [MergePatch], [JSONPatch] and [ApplyPatch], and
// [PatchDocument] for the type that suits the resource. The document is encoded
// when the patch is made: it may be changed afterwards.
func (r Resource[T]) Patch(ctx context.Context, name string, p Patch) <-chan stream.Result[*T] {
	a, err := r.endpoint.patch(name, &p)
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	return r.ask(ctx, r.endpoint, a)
}

// PatchObject is [Resource.Patch] of the object that obj names: its name, and
// its namespace where the resource covers all. Nothing else of obj is sent.
func (r Resource[T]) PatchObject(ctx context.Context, obj *T, p Patch) <-chan stream.Result[*T] {
	b, e, err := r.encode("patch", obj)
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	return Resource[T]{e}.Patch(ctx, b.metadata.Name, p)
}

// PatchStatus changes the status of the object called name, and answers with
// the object as the server stored it. It is [Resource.Patch] of the subresource,
// where a [PatchDocument] is a merge patch.
func (r Resource[T]) PatchStatus(ctx context.Context, name string, p Patch) <-chan stream.Result[*T] {
	return Sub[T](r, subStatus).Patch(ctx, name, p)
}

// Decode decodes an object as the verbs do: kind and apiVersion are filled in
// where the JSON says nothing.
func (r Resource[T]) Decode(raw []byte) (*T, error) {
	s := shapeOf(reflect.TypeFor[T]())
	v := new(T)
	if err := decode(raw, v, s); err != nil {
		return nil, err
	}
	s.fill(v, r.endpoint.types())
	return v, nil
}

// ask is a request that an object answers.
type ask struct {
	op, method  string
	name        string // of the object
	collection  bool   // the request goes to the collection
	shown       string // the name in errors, where it is another one
	contentType string // of the body, where it is not JSON
	query       url.Values
	body        []byte
	object      bool // the body is an object of the kind
}

// encode encodes an object to be sent.
func (r Resource[T]) encode(op string, obj *T) (*body, Endpoint, error) {
	if r.endpoint.err == nil && obj == nil {
		return nil, r.endpoint, r.endpoint.bad(op, "", errors.New("the object is nil"))
	}
	return r.endpoint.encodeObject(op, obj)
}

// ask sends a request that an object answers.
func (r Resource[T]) ask(ctx context.Context, e Endpoint, a ask) <-chan stream.Result[*T] {
	req, err := e.prepare(ctx, &a)
	if errors.Is(err, errPending) {
		return r.askLater(ctx, e, a)
	}
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	return stream.Go(ctx, func(context.Context) (*T, error) { return r.fetch(e, &a, req) })
}

// askLater is ask of a kind that has to be resolved before. What needs no kind
// has been checked.
func (r Resource[T]) askLater(ctx context.Context, e Endpoint, a ask) <-chan stream.Result[*T] {
	return stream.Go(ctx, func(ctx context.Context) (*T, error) {
		return resolved(ctx, e, func(e Endpoint) (*T, error) {
			a := a // each kind completes the object as it was given
			if a.object {
				b, in, err := e.completeObject(a.op, a.body)
				if err != nil {
					return nil, err
				}
				a.body, e = b.raw, in
			}
			req, err := e.prepare(ctx, &a)
			if err != nil {
				return nil, err
			}
			return Resource[T]{e}.fetch(e, &a, req)
		})
	})
}

// fetch sends the request and decodes the answer.
func (r Resource[T]) fetch(e Endpoint, a *ask, req *http.Request) (*T, error) {
	got, err := e.do(a.op, a.shown, req)
	if err != nil {
		return nil, err
	}
	if _, ok := readStatus(got.body); ok && e.subresource != "" && a.method == http.MethodPost {
		got.body = a.body
	}
	v, err := r.Decode(got.body)
	if err != nil {
		return nil, e.failed(a.op, a.shown, fmt.Errorf("decoding the answer: %w", err))
	}
	return v, nil
}

// prepare makes the request.
func (e Endpoint) prepare(ctx context.Context, a *ask) (*http.Request, error) {
	if a.name != "" || !a.collection {
		if err := e.checkName(a.op, a.name); err != nil {
			return nil, err
		}
	}
	path := a.name
	if a.collection {
		path = ""
	}
	a.shown = cmp.Or(a.shown, a.name)
	query := e.options().query(a.method)
	maps.Copy(query, a.query)
	req, err := e.Request(ctx, a.method, path, "", query, a.body)
	if err == nil && a.contentType != "" {
		req.Header.Set("Content-Type", a.contentType)
	}
	return req, err
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
