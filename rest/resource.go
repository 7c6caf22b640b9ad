package rest

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
)

// Resource asks for the objects of one kind, as values of type T, in one
// namespace or in all. It is a small value: copy it freely.
type Resource[T any] struct{ endpoint Endpoint }

// For returns the resource of a kind by its name: "Pod", "apps/v1/Deployment",
// as [Lookup] reads it. [Options].Kinds of the client are asked first, then the
// built-in table. It covers all namespaces; In narrows it.
//
// For sends nothing and does not fail: an unknown kind, or a type that cannot
// hold an object, is told by the first request, and by Endpoint().Err().
//
// With [Options].Discovery, a name that is not known yet is not an error: each
// request, and each attempt of a watch, begins by asking the server for it
// unless it was told before. Plurals and short names resolve so, too. Where the
// server then refuses the resource as unknown, discovery is asked once more: it
// may be served by another version since. What can only be checked once the kind
// is known, such as a missing namespace, is then told after that.
func For[T any](c *Client, kind string) Resource[T] {
	k, ask, err := c.lookup(kind)
	switch {
	case ask:
		e := Endpoint{client: c, kind: pendingKind(kind), pending: kind}
		if err := shapeOf(reflect.TypeFor[T]()).err; err != nil {
			e.err = fmt.Errorf("rest: %s: %w", kind, err)
		}
		return Resource[T]{e}
	case err != nil:
		return Resource[T]{Endpoint{client: c, kind: Kind{Kind: kind}, err: err}}
	}
	return ForKind[T](c, k)
}

// ForKind returns the resource that k describes, be it built-in or custom.
func ForKind[T any](c *Client, k Kind) Resource[T] {
	e := Endpoint{client: c, kind: k}
	if err := k.check(); err != nil {
		e.err = fmt.Errorf("rest: %w", err)
	} else if err := shapeOf(reflect.TypeFor[T]()).err; err != nil {
		e.err = fmt.Errorf("rest: %s: %w", k.Resource(), err)
	} else if c == nil {
		e.err = errors.New("rest: the client is nil")
	}
	return Resource[T]{e}
}

// In returns the resource in one namespace, or in all when namespace is empty.
func (r Resource[T]) In(namespace string) Resource[T] {
	return Resource[T]{r.endpoint.in(namespace)}
}

// New returns a new object of the resource, with apiVersion, kind, name and
// namespace set, wherever T has a place for them. It asks nobody.
//
// Of a resource that cannot be used it returns an empty object; the first
// request tells why.
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

// Endpoint returns what the resource is without T.
func (r Resource[T]) Endpoint() Endpoint { return r.endpoint }
