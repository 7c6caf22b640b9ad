package rest

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// Endpoint is a [Resource] without the type of its objects, to build streams on.
type Endpoint struct {
	client    *Client
	kind      Kind
	namespace string
	named     string // the name of a kind that is left to discovery, "" if none is
	pending   bool   // the name has not been resolved yet
	err       error

	subresource string       // "" for the objects themselves
	body        Kind         // of what is sent to the subresource, if that is known
	partial     bool         // only metadata is asked for
	call        *CallOptions // nil: the client's; never changed
}

// Err reports why the endpoint cannot be used, such as an unknown kind or a malformed namespace.
// Every request fails with the same error.
func (e Endpoint) Err() error {
	if e.err == nil && e.client == nil {
		return errNoClient
	}
	return e.err
}

var errNoClient = invalid(errors.New("rest: the resource has no client"))

// Client returns the client.
func (e Endpoint) Client() *Client { return e.client }

// Kind returns the kind of the resource. If its name is left to discovery, it holds only what the
// name says until [Endpoint.Resolve].
func (e Endpoint) Kind() Kind { return e.kind }

// Namespace returns the namespace, "" for all or if cluster-scoped.
func (e Endpoint) Namespace() string { return e.namespace }

// in returns the endpoint in a namespace.
func (e Endpoint) in(namespace string) Endpoint {
	if e.err != nil {
		return e
	}
	e.namespace = namespace
	switch {
	case namespace == "":
	case !e.pending && !e.kind.Namespaced:
		e.err = invalid(fmt.Errorf("rest: %s are cluster-scoped; do not use In(%q)", e.kind.Resource(), namespace))
	default:
		if err := checkNamespaceName(namespace); err != nil {
			e.err = invalid(fmt.Errorf("rest: %s: namespace %w", e.resource(), err))
		}
	}
	return e
}

// options returns the options of the endpoint, or the client's.
func (e *Endpoint) options() *CallOptions {
	switch {
	case e.call != nil:
		return e.call
	case e.client != nil:
		return &e.client.defaults
	}
	return &CallOptions{}
}

// resource returns the resource as errors write it: "pods", "deployments.apps", "pods/eviction".
func (e *Endpoint) resource() string {
	name := e.kind.Resource()
	if e.pending {
		name = cmp.Or(e.named, name)
	}
	if e.subresource != "" {
		return name + "/" + e.subresource
	}
	return name
}

// object returns namespace and name as errors write them: "default/nginx", "default/*" if name is
// empty.
func (e *Endpoint) object(name string) string {
	if name == "" && e.namespace != "" {
		name = "*"
	}
	return objectName(e.namespace, name)
}

// key returns the key of one of the objects.
func (e *Endpoint) key(namespace, name string) Key {
	return Key{Group: e.kind.Group, Kind: e.kind.Kind, Namespace: namespace, Name: name}
}

// types returns the kind of the objects that are sent and answered, nil if it is not known.
func (e *Endpoint) types() *Kind {
	switch {
	case e.pending:
		return nil
	case e.subresource == "":
		return &e.kind
	case e.body.Kind != "":
		return &e.body
	}
	return nil
}

// longPath is a length, in bytes, that few paths exceed.
const longPath = 128

// address returns the URL of an object, or of the collection if name is empty.
func (e *Endpoint) address(name string) *url.URL {
	path := []string{"api", e.kind.Version}
	if e.kind.Group != "" {
		path = []string{"apis", e.kind.Group, e.kind.Version}
	}
	if e.namespace != "" {
		path = append(path, "namespaces", e.namespace)
	}
	path = append(path, e.kind.Plural)
	if name != "" {
		path = append(path, name)
	}
	if e.subresource != "" {
		path = append(path, e.subresource)
	}
	u := *e.client.server
	var plain, raw strings.Builder
	plain.Grow(longPath)
	raw.Grow(longPath)
	plain.WriteString(u.Path)
	raw.WriteString(u.EscapedPath())
	for _, s := range path {
		plain.WriteByte('/')
		plain.WriteString(s)
		raw.WriteByte('/')
		raw.WriteString(url.PathEscape(s))
	}
	u.Path, u.RawPath = plain.String(), raw.String()
	return &u
}

// bad is the error of a wrong argument of an operation.
func (e *Endpoint) bad(op, name string, err error) error {
	return invalid(fmt.Errorf("rest: %s %s: %w", op, e.subject(name), err))
}

// failed adds the operation to the error of a request that got no complete answer. A refusal names
// the operation itself.
func (e *Endpoint) failed(op, name string, err error) error {
	if _, ok := errors.AsType[*StatusError](err); ok {
		return err
	}
	return line.Errorf("%s %s: %w", op, e.subject(name), err)
}

// subject returns resource and object as errors write them.
func (e *Endpoint) subject(name string) string {
	if o := e.object(name); o != "" {
		return e.resource() + " " + o
	}
	return e.resource()
}
