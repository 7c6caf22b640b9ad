package rest

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"

	"github.com/tideway-go/tideway/rest/internal/shape"
)

// Resource is one kind of object on a server, as values of type T, in one namespace or in all. It is a
// small value: copy it freely.
type Resource[T any] struct{ endpoint Endpoint }

// For returns the resource of a kind by its name: "Pod", "apps/v1/Deployment", as [Lookup] reads it.
// [Options].Kinds of the client come first, then the built-in table. It covers all namespaces; In
// narrows it.
//
// For sends nothing and does not fail: the first request reports an unknown kind, or a type that cannot
// hold an object, and so does Endpoint().Err().
//
// With [Options].Discovery, an unknown name is not an error: each request, and each attempt of a watch,
// first asks the server for it, unless it is known from before. Plurals and short names work, too. If
// the server then refuses the resource as unknown, discovery is read once more: another version may
// serve it now. What can only be checked once the kind is known, such as a missing namespace, is
// reported after that.
func For[T any](c *Client, kind string) Resource[T] {
	k, ask, err := c.lookup(kind)
	switch {
	case ask:
		return Resource[T]{holding[T](Endpoint{client: c, kind: pendingKind(kind), named: kind, pending: true})}
	case err != nil:
		return Resource[T]{Endpoint{client: c, kind: Kind{Kind: kind}, err: err}}
	}
	return ForKind[T](c, k)
}

// ForKind returns the resource that k describes, built-in or custom.
func ForKind[T any](c *Client, k Kind) Resource[T] {
	e := Endpoint{client: c, kind: k}
	if err := k.check(); err != nil {
		e.err = invalid(fmt.Errorf("rest: %w", err))
	} else if e = holding[T](e); e.err == nil && c == nil {
		e.err = invalid(errors.New("rest: the client is nil"))
	}
	return Resource[T]{e}
}

// holding returns the endpoint, which cannot be used if T cannot hold an object.
func holding[T any](e Endpoint) Endpoint {
	if err := shape.Of(reflect.TypeFor[T]()).Err; err != nil && e.err == nil {
		e.err = invalid(fmt.Errorf("rest: %s: %w", e.resource(), err))
	}
	return e
}

// In returns the resource in one namespace, or in all if namespace is empty.
func (r Resource[T]) In(namespace string) Resource[T] {
	return Resource[T]{r.endpoint.in(namespace)}
}

// With returns the resource with the options that o sets; the others stay as they are. The first
// request reports options that no server accepts.
func (r Resource[T]) With(o CallOptions) Resource[T] {
	e := r.endpoint
	if e.err != nil {
		return r
	}
	merged := e.options().with(&o)
	if err := merged.check(); err != nil {
		e.err = invalid(fmt.Errorf("rest: %s: %w", e.resource(), err))
	}
	e.call = &merged
	return Resource[T]{e}
}

// New returns a new object of the resource, with apiVersion, kind, name and namespace set if T has a
// place for them. It sends nothing.
//
// If the resource cannot be used, New returns an empty object; the first request says why.
func (r Resource[T]) New(name string) *T {
	type metadata struct {
		Name      string `json:"name,omitempty"`
		Namespace string `json:"namespace,omitempty"`
	}
	k := cmp.Or(r.endpoint.types(), &Kind{})
	raw, err := Encode(struct {
		APIVersion string   `json:"apiVersion,omitempty"`
		Kind       string   `json:"kind,omitempty"`
		Metadata   metadata `json:"metadata"`
	}{k.APIVersion(), k.Kind, metadata{name, r.endpoint.namespace}})
	if err == nil && r.endpoint.err == nil {
		if v, err := Decode[T](raw); err == nil {
			return v
		}
	}
	return new(T)
}

// Endpoint returns the resource without its type, for streams that are built on it.
func (r Resource[T]) Endpoint() Endpoint { return r.endpoint }
