package rest

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"

	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/rest/internal/shape"
)

// Resource is one kind of object on a server, as values of type T, in one namespace or in all. It
// is a small value: copy it freely.
type Resource[T any] struct{ endpoint Endpoint }

// For returns the resource of a kind by its name, such as "Pod" or "apps/v1/Deployment": see
// [Lookup]. [Options].Kinds come before the built-in table. The resource covers all namespaces; In
// narrows it. For sends nothing and does not fail: the first request reports an unknown kind, or a
// type that cannot hold an object, and so does Endpoint().Err().
//
// With [Options].Discovery, a request asks the server for a name that is not known yet; plurals and
// short names work, too. What can only be checked once the kind is known, such as a missing
// namespace, is reported after that. If the server then refuses the resource as unknown, discovery
// is read once more: another version may serve it now.
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

// In returns the resource in one namespace, or in all if namespace is "".
func (r Resource[T]) In(namespace string) Resource[T] {
	return Resource[T]{r.endpoint.in(namespace)}
}

// With returns the resource with the options that o sets; the others stay as they are. The first
// request reports invalid options.
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

// Key returns the key of the object called name, as the events of a watch have it. While the kind
// is left to discovery, the group may be missing.
func (r Resource[T]) Key(name string) Key { return r.endpoint.key(r.endpoint.namespace, name) }

// New returns a new object with apiVersion, kind, name and namespace, if T has fields for them. It
// sends nothing. If the resource cannot be used, the object is empty, and the first request reports
// why.
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

// Endpoint returns the resource without its type, for building streams.
func (r Resource[T]) Endpoint() Endpoint { return r.endpoint }

// Decode decodes an object as the verbs do, and completes kind and apiVersion.
func (r Resource[T]) Decode(raw []byte) (*T, error) {
	v := new(T)
	if err := shape.Of(reflect.TypeFor[T]()).Decode(raw, v); err != nil {
		return nil, line.Error(err)
	}
	r.endpoint.fill(v)
	return v, nil
}

// item decodes the next item of a list into v.
func (r Resource[T]) item(items *itemReader, v *T) error {
	if err := items.decode(v, shape.Of(reflect.TypeFor[T]())); err != nil {
		return r.endpoint.undecoded(err)
	}
	r.endpoint.fill(v)
	return nil
}

// fill sets kind and apiVersion in an object, a pointer, that does not set them itself.
func (e *Endpoint) fill(v any) {
	k := e.types()
	if k == nil {
		return
	}
	if m, ok := v.(*PartialObjectMetadata); ok {
		m.as(k)
		return
	}
	shape.Of(reflect.TypeOf(v).Elem()).Fill(v, k.Kind, k.APIVersion())
}

// encode encodes an object to be sent, completes it, and returns the endpoint in its namespace.
func (r Resource[T]) encode(op string, obj *T) (*body, Endpoint, error) {
	e := r.endpoint
	switch {
	case e.Err() != nil:
		return nil, e, e.Err()
	case obj == nil:
		return nil, e, e.bad(op, "", errors.New("the object is nil"))
	}
	raw, err := Encode(obj)
	if err != nil {
		return nil, e, e.bad(op, "", fmt.Errorf("encoding the object: %w", err))
	}
	return e.completeObject(op, raw)
}

// MetadataOnly returns the resource with nothing but metadata: gets, lists, watches and answers to
// patches carry no more. An index of the names and labels of all pods then costs a tenth.
//
// Objects have the kind and apiVersion of the resource, not PartialObjectMetadata. If the server
// knows no such answers and sends whole objects, the rest is skipped. Updates would lose everything
// else and are refused: use a patch, or Modify.
func MetadataOnly[T any](r Resource[T]) Resource[PartialObjectMetadata] {
	e := r.endpoint
	e.partial = e.subresource == ""
	return Resource[PartialObjectMetadata]{e}
}
