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

	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/stream"
)

// Request is a request to any path of the server; see [Client.Do].
type Request struct {
	Method string // Default: GET
	// Path is the escaped path under the server's address: "/healthz". A query belongs in Query.
	Path   string
	Query  url.Values
	Header http.Header
	Body   []byte // JSON, unless Header has another Content-Type
}

// String returns method and path, since the rest may hold secrets.
func (q Request) String() string {
	path, _, _ := strings.Cut(q.Path, "?") // a query does not belong there, and may hold secrets
	return line.Of(cmp.Or(q.Method, http.MethodGet) + " " + path)
}

// Format writes what String returns.
func (q Request) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, q.String()) }

// MarshalText returns what String returns; encoders of JSON and slog use it.
func (q Request) MarshalText() ([]byte, error) { return []byte(q.String()), nil }

// MarshalBinary returns what String returns; gob uses it.
func (q Request) MarshalBinary() ([]byte, error) { return q.MarshalText() }

// Response is the answer to a [Request] that the server did not refuse.
type Response struct {
	Code   int // 200 to 299
	Header http.Header
	Body   []byte
}

// String returns the status and the length of the body, but no secrets.
func (r Response) String() string { return fmt.Sprintf("%d, %d bytes", r.Code, len(r.Body)) }

// Format writes what String returns.
func (r Response) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, r.String()) }

// MarshalText returns what String returns; encoders of JSON and slog use it.
func (r Response) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// MarshalBinary returns what String returns; gob uses it.
func (r Response) MarshalBinary() ([]byte, error) { return r.MarshalText() }

// Do sends any request with the client's credentials, retries, limits and warnings. An answer whose
// status is not 200 to 299 is a [StatusError] whose resource is the path.
// Options.Defaults.MaxObject limits the body. A malformed path, or one with "..", is an error
// before any request.
func (c *Client) Do(ctx context.Context, q Request) <-chan stream.Result[Response] {
	needContext(ctx)
	q.Method = cmp.Or(q.Method, http.MethodGet)
	op := strings.ToLower(q.Method)
	e := &Endpoint{client: c, kind: Kind{Plural: q.Path}}
	r, err := c.rawRequest(ctx, &q)
	if err != nil {
		return stream.Answer(Response{}, e.bad(op, "", err))
	}
	return stream.Go(ctx, func(ctx context.Context) (resp Response, err error) {
		err = e.retry(ctx, q.Method, func() error {
			r, err := again(r)
			if err == nil {
				resp, err = e.raw(op, r)
			}
			return err
		})
		return resp, err
	})
}

// again returns a copy of the request with its body rewound.
func again(r *http.Request) (*http.Request, error) {
	r = r.Clone(r.Context())
	if r.GetBody == nil {
		return r, nil
	}
	body, err := r.GetBody()
	r.Body = body
	return r, err
}

// raw sends the request once.
func (e *Endpoint) raw(op string, r *http.Request) (Response, error) {
	if err := r.Context().Err(); err != nil {
		return Response{}, e.failed(op, "", context.Cause(r.Context()))
	}
	ctx, j := e.follow(r.Context(), r.Method)
	resp, err := e.open(op, "", r.WithContext(ctx))
	if err != nil {
		return Response{}, j.failed(ctx, e.failed(op, "", err))
	}
	defer resp.Body.Close()
	j.success = true
	body, err := readBody(resp, e.options().maxObject())
	if err != nil {
		return Response{}, j.failed(ctx, e.failed(op, "", fmt.Errorf("reading the answer: %w", causeOf(r.Context(), err))))
	}
	return Response{Code: resp.StatusCode, Header: resp.Header, Body: body}, nil
}

// rawRequest makes the request.
func (c *Client) rawRequest(ctx context.Context, q *Request) (*http.Request, error) {
	path, err := url.PathUnescape(q.Path)
	switch {
	case err != nil:
		return nil, errors.New("the path has a malformed escape")
	case !strings.HasPrefix(q.Path, "/"), strings.ContainsAny(q.Path, "?#"):
		return nil, errors.New("the path must begin with a slash and have no query")
	}
	for s := range strings.SplitSeq(path, "/") {
		if err := checkSegment(s); err != nil && s != "" && !strings.Contains(s, "%") {
			return nil, fmt.Errorf("path segment %w", err)
		}
	}
	var body io.Reader
	if q.Body != nil {
		body = bytes.NewReader(bytes.Clone(q.Body))
	}
	r, err := http.NewRequestWithContext(ctx, q.Method, "", body)
	if err != nil {
		return nil, err
	}
	u := *c.server
	u.Path, u.RawPath = u.Path+path, u.EscapedPath()+q.Path
	if u.RawPath != u.EscapedPath() { // url.URL would write something else
		return nil, errors.New("the path has a character that must be escaped, as %20 is")
	}
	u.RawQuery = q.Query.Encode()
	r.URL, r.Host = &u, u.Host
	if q.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range q.Header {
		r.Header[http.CanonicalHeaderKey(name)] = append([]string(nil), values...)
	}
	return r, nil
}
