package rest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Endpoint is one resource of one server, in one namespace or in all: what a
// [Resource] is without the type of its objects. Streams are built on it.
type Endpoint struct {
	client    *Client
	kind      Kind
	namespace string
	pending   string // the name of a kind that the server has to be asked for
	err       error

	subresource string       // "" for the objects themselves
	body        Kind         // of what is sent to the subresource, where that is known
	partial     bool         // only metadata is asked for
	call        *CallOptions // nil: the client's; never changed
}

// Err tells why the endpoint cannot be used: an unknown kind, a namespace that
// is none, a type that cannot hold an object. Every request gives the same
// error.
func (e Endpoint) Err() error {
	if e.err == nil && e.client == nil {
		return errNoClient
	}
	return e.err
}

var errNoClient = errors.New("rest: the resource has no client")

// Client returns the client.
func (e Endpoint) Client() *Client { return e.client }

// Kind returns the descriptor of the resource. Of a name that is left to
// discovery it holds what the name says, until [Endpoint.Resolve] has the rest.
func (e Endpoint) Kind() Kind { return e.kind }

// Namespace returns the namespace, "" for all, and for what has none.
func (e Endpoint) Namespace() string { return e.namespace }

// Object returns namespace and name as errors show them: "default/nginx",
// "default/*" when name is empty.
func (e Endpoint) Object(name string) string {
	if name == "" && e.namespace != "" {
		name = "*"
	}
	return objectName(e.namespace, name)
}

// Subresource returns the name of the subresource, "" for the objects
// themselves.
func (e Endpoint) Subresource() string { return e.subresource }

// MaxObject returns the largest object that is taken, in bytes; 0 is no limit.
// [CallOptions] tell the default.
func (e Endpoint) MaxObject() int64 { return e.options().maxObject() }

// Request makes a request to the object called name, or to the collection when
// name is empty. It asks for JSON, and says so of the body when there is one.
// Without a subresource it goes to the endpoint's own, if it has one.
//
// A name or a subresource that would reach another path is an error.
func (e Endpoint) Request(ctx context.Context, method, name, subresource string, query url.Values, body []byte) (*http.Request, error) {
	if subresource == "" {
		subresource = e.subresource
	}
	u, err := e.address(name, subresource)
	if err != nil {
		return nil, err
	}
	u.RawQuery = query.Encode()
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, "", content)
	if err != nil {
		return nil, err
	}
	r.URL, r.Host = u, u.Host
	r.Header.Set("Accept", e.accept(method, name, query))
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// resource returns what errors call the resource: "pods", "deployments.apps",
// "pods/eviction".
func (e *Endpoint) resource() string {
	name := cmp.Or(e.pending, e.kind.Resource())
	if e.subresource != "" {
		return name + "/" + e.subresource
	}
	return name
}

// address returns the URL of an object, a collection, or a subresource.
func (e Endpoint) address(name, subresource string) (*url.URL, error) {
	switch {
	case e.err != nil:
		return nil, e.err
	case e.client == nil:
		return nil, errNoClient
	case e.pending != "":
		return nil, fmt.Errorf("rest: kind %q %w; Endpoint.Resolve does", e.pending, errPending)
	case name == "" && subresource != "":
		return nil, fmt.Errorf("rest: %s: subresource %s without a name", e.kind.Resource(), subresource)
	case name != "" && e.kind.Namespaced && e.namespace == "":
		return nil, fmt.Errorf("rest: %s %s: no namespace is given; In names one", e.kind.Resource(), name)
	}
	path := []string{"api", e.kind.Version}
	if e.kind.Group != "" {
		path = []string{"apis", e.kind.Group, e.kind.Version}
	}
	if e.namespace != "" {
		path = append(path, "namespaces", e.namespace)
	}
	path = append(path, e.kind.Plural)
	for _, s := range []string{name, subresource} {
		if s == "" {
			continue
		}
		if err := checkSegment(s); err != nil {
			return nil, fmt.Errorf("rest: %s: name %w", e.kind.Resource(), err)
		}
		path = append(path, s)
	}
	u := *e.client.server
	var plain, raw strings.Builder
	plain.WriteString(u.Path)
	raw.WriteString(u.EscapedPath())
	for _, s := range path {
		plain.WriteString("/" + s)
		raw.WriteString("/" + url.PathEscape(s))
	}
	u.Path, u.RawPath = plain.String(), raw.String()
	return &u, nil
}

// in returns the endpoint in a namespace.
func (e Endpoint) in(namespace string) Endpoint {
	if e.err != nil {
		return e
	}
	e.namespace = namespace
	switch {
	case namespace == "":
	case e.pending == "" && !e.kind.Namespaced:
		e.err = fmt.Errorf("rest: %s have no namespace, and are asked for in %q", e.kind.Resource(), namespace)
	default:
		if err := checkSegment(namespace); err != nil {
			e.err = fmt.Errorf("rest: %s: namespace %w", e.resource(), err)
		}
	}
	return e
}
