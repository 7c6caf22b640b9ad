package rest

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// The following exports unexported parts for the tests of this package.

// NewStatusError returns the error that a verb makes of a refusal.
func NewStatusError(op string, e Endpoint, name string, resp *http.Response) *StatusError {
	return e.refused(op, name, resp)
}

// Object returns namespace and name as errors write them.
func (e Endpoint) Object(name string) string { return e.object(name) }

// Request returns the request of a verb, checked as before sending.
func (e Endpoint) Request(ctx context.Context, method, name, subresource string, query url.Values) (*http.Request, error) {
	needContext(ctx)
	if subresource != "" {
		e = Sub[Object](Resource[Object]{e}, subresource).endpoint
	}
	q := &request{op: "ask for", method: method, name: name, collection: name == "" && subresource == "", query: query}
	if err := e.check(q); err != nil {
		return nil, err
	}
	return e.build(ctx, q)
}

// ItemReader reads a list item by item.
type ItemReader struct{ r *itemReader }

// NewItemReader returns a reader with a limit on the size of an item, in bytes.
func NewItemReader(r io.Reader, limit int64) *ItemReader { return &ItemReader{newItemReader(r, limit)} }

// Next returns the next item.
func (i *ItemReader) Next() (jsontext.Value, error) { return i.r.raw() }

// Meta returns the metadata of the list.
func (i *ItemReader) Meta() ListMeta { return i.r.meta }

// Kind returns the kind of the list.
func (i *ItemReader) Kind() string { return i.r.types.kind }

// APIVersion returns the apiVersion of the list.
func (i *ItemReader) APIVersion() string { return i.r.types.apiVersion }

// Renew makes later requests use new connections, as a stream does after an overdue answer.
func (c *Client) Renew(then time.Time) { c.transport.Renew(then) }

// ParseWarnings reads the Warning headers of an answer.
func ParseWarnings(h http.Header) []Warning { return parseWarnings(h) }
