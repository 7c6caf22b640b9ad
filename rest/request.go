package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// answer is what a server said to a request that it did not refuse.
type answer struct {
	code int
	body []byte
}

// bad wraps the error of an argument with what was to be done.
func (e Endpoint) bad(op, name string, err error) error {
	return fmt.Errorf("rest: %s %s: %w", op, e.subject(name), err)
}

// failed wraps the error of a request that got no answer, or only a part.
func (e Endpoint) failed(op, name string, err error) error {
	return fmt.Errorf("%s %s: %w", op, e.subject(name), err)
}

// subject returns resource and object as errors show them.
func (e Endpoint) subject(name string) string {
	if o := e.Object(name); o != "" {
		return e.kind.Resource() + " " + o
	}
	return e.kind.Resource()
}

// open sends a request and returns an answer of status 200 to 299, whose body
// the caller closes.
func (e Endpoint) open(op, name string, r *http.Request) (*http.Response, error) {
	resp, err := e.client.tripper.RoundTrip(r)
	if err != nil {
		return nil, e.failed(op, name, causeOf(r.Context(), err))
	}
	if resp.StatusCode < http.StatusOK || resp.StatusCode >= http.StatusMultipleChoices {
		return nil, NewStatusError(op, e, name, resp)
	}
	return resp, nil
}

// do sends a request and reads the answer. The body is closed when it returns.
func (e Endpoint) do(op, name string, r *http.Request) (answer, error) {
	resp, err := e.open(op, name, r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := readBody(resp)
	if err != nil {
		return answer{}, e.failed(op, name, fmt.Errorf("reading the answer: %w", causeOf(r.Context(), err)))
	}
	if s, ok := readStatus(raw); ok && s.Status == StatusFailure {
		refused := e.Refusal(op, name, s)
		refused.Header, refused.Body = resp.Header, raw[:min(len(raw), maxErrorBody)]
		return answer{}, refused
	}
	return answer{resp.StatusCode, raw}, nil
}

// readBody reads a body into a buffer of its size, where the server tells it.
func readBody(resp *http.Response) ([]byte, error) {
	const most = 1 << 20 // of what is believed before it has arrived
	if n := resp.ContentLength; n > 0 && n <= most {
		raw := make([]byte, n)
		_, err := io.ReadFull(resp.Body, raw)
		return raw, err
	}
	return io.ReadAll(resp.Body)
}

// causeOf replaces the error of a request whose context ended by the reason why
// it did.
func causeOf(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return cause
}
