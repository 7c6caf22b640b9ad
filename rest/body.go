package rest

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tideway-go/tideway/rest/internal/wire"
)

// body is what matters in the JSON of an object that is sent, or comes back.
type body struct {
	raw      []byte
	types    wire.Identity // only kind and apiVersion
	metadata *bodyMeta
	items    bool // there is an array of that name
}

type bodyMeta struct {
	Name              string         `json:"name"`
	GenerateName      string         `json:"generateName"`
	Namespace         string         `json:"namespace"`
	UID               string         `json:"uid"`
	ResourceVersion   string         `json:"resourceVersion"`
	ManagedFields     jsontext.Value `json:"managedFields"`
	DeletionTimestamp jsontext.Value `json:"deletionTimestamp"`
}

// inspect looks at the members of an object.
func inspect(raw []byte) (*body, error) {
	b := &body{raw: raw}
	c := wire.Cursor{Text: raw}
	if !c.Take('{') {
		return nil, wire.ErrNotObject
	}
	for first := true; ; first = false {
		name, more, err := c.Member(first)
		if err != nil || !more {
			return b, err
		}
		value, err := c.Value()
		if err == nil {
			err = b.member(string(name), value, wire.Span{Start: c.Pos - len(value), End: c.Pos})
		}
		if err != nil {
			return nil, err
		}
	}
}

// member notes one member of the object.
func (b *body) member(name string, value []byte, at wire.Span) error {
	switch name {
	case "kind":
		b.types.KindAt = at
		return readText(name, value, &b.types.Kind)
	case "apiVersion":
		b.types.APIVersionAt = at
		return readText(name, value, &b.types.APIVersion)
	case "metadata":
		if string(value) == "null" {
			return nil
		}
		m, err := Decode[bodyMeta](value)
		if err != nil {
			return errors.New("metadata is not an object, or one of its fields has the wrong type")
		}
		b.metadata = m
	case "items":
		b.items = value[0] == '['
	}
	return nil
}

// completeObject completes an object that is to be sent to e, and returns the endpoint in the
// object's own namespace. What cannot be an object of this endpoint is refused. While the kind is
// not resolved, only what needs no kind is looked at; it is done again after that.
func (e Endpoint) completeObject(op string, raw []byte) (*body, Endpoint, error) {
	b, err := inspect(raw)
	if err != nil {
		return nil, e, e.bad(op, "", err)
	}
	if err := b.check(&e); err != nil {
		return nil, e, e.bad(op, b.name(), err)
	}
	if e.namespace == "" && (e.kind.Namespaced || e.pending) {
		if e = e.in(b.metadata.Namespace); e.err != nil {
			return nil, e, e.err
		}
	}
	if k := e.types(); k != nil {
		b.raw = wire.Complete(b.raw, &b.types, k.Kind, k.APIVersion())
	}
	return b, e, nil
}

// name returns the object's name, "" if it has none.
func (b *body) name() string {
	if b.metadata == nil {
		return ""
	}
	return b.metadata.Name
}

// check says why the object cannot be sent to e.
func (b *body) check(e *Endpoint) error {
	k, v := b.types.Kind, b.types.APIVersion
	want := e.types()
	switch {
	case want == nil && b.metadata != nil:
		return e.checkNamespace(b.metadata.Namespace)
	case b.metadata == nil && (want == nil || k == "" && !b.items):
		return errors.New("the value has no metadata")
	case k == want.Kind+"List", k != want.Kind && b.items && b.name() == "":
		return errors.New("the value is a list")
	case k != "" && k != want.Kind:
		return fmt.Errorf("the object is of kind %q, the resource of kind %q", k, want.Kind)
	case v != "" && v != want.APIVersion():
		return fmt.Errorf("the object is of apiVersion %q, the resource of %q", v, want.APIVersion())
	case b.metadata == nil:
		return errors.New("the value has no metadata")
	}
	return e.checkNamespace(b.metadata.Namespace)
}

// checkNamespace says why an object in the namespace cannot be sent to e.
func (e *Endpoint) checkNamespace(namespace string) error {
	switch {
	case e.pending:
	case !e.kind.Namespaced:
		if namespace != "" {
			return fmt.Errorf("the object is in namespace %q, but %s are cluster-scoped", namespace, e.kind.Resource())
		}
	case e.namespace == "":
		if namespace == "" {
			return errors.New("no namespace: set metadata.namespace or use In")
		}
	case namespace != "" && namespace != e.namespace:
		return fmt.Errorf("the object is in namespace %q, the resource in %q", namespace, e.namespace)
	}
	return nil
}
