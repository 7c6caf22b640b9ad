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
		return e.resource() + " " + o
	}
	return e.resource()
}

// open sends a request, once, and returns an answer of status 200 to 299, whose
// body the caller closes.
func (e Endpoint) open(op, name string, r *http.Request) (*http.Response, error) {
	resp, err := e.client.front.RoundTrip(r)
	if err != nil {
		return nil, e.failed(op, name, causeOf(r.Context(), err))
	}
	e.Warn(op, name, resp.Header)
	if resp.StatusCode < http.StatusOK || resp.StatusCode >= http.StatusMultipleChoices {
		return nil, NewStatusError(op, e, name, resp)
	}
	return resp, nil
}

// do sends a request and reads the answer, again where the handle says so. The
// body is closed when it returns.
func (e Endpoint) do(op, name string, r *http.Request) (a answer, err error) {
	err = e.retry(r, func(r *http.Request) (err error) {
		a, err = e.once(op, name, r)
		return err
	})
	return a, err
}

// once sends a request and reads the answer.
func (e Endpoint) once(op, name string, r *http.Request) (answer, error) {
	resp, err := e.open(op, name, r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := readBody(resp, e.options().maxObject())
	if err != nil {
		return answer{}, e.failed(op, name, fmt.Errorf("reading the answer: %w", causeOf(r.Context(), err)))
	}
	if s, ok := readStatus(raw); ok && s.Status == StatusFailure {
		refused := e.Refusal(op, name, s)
		refused.Header, refused.Body = resp.Header, raw[:min(len(raw), e.options().maxErrorBody())]
		return answer{}, refused
	}
	return answer{resp.StatusCode, raw}, nil
}

// ErrTooLarge is matched by the error of an answer, or of an item in a list or
// in a watch, that is larger than [CallOptions].MaxObject.
var ErrTooLarge = errors.New("larger than CallOptions.MaxObject")

// readBody reads a body of at most so many bytes, 0 for any, into a buffer of
// its size, where the server tells it.
func readBody(resp *http.Response, limit int64) ([]byte, error) {
	const most = 1 << 20 // of what is believed before it has arrived
	n := resp.ContentLength
	switch {
	case limit > 0 && n > limit:
		return nil, tooLarge(limit)
	case n > 0 && n <= most:
		raw := make([]byte, n)
		_, err := io.ReadFull(resp.Body, raw)
		return raw, err
	case limit <= 0:
		return io.ReadAll(resp.Body)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(raw)) > limit {
		return nil, tooLarge(limit)
	}
	return raw, err
}

func tooLarge(limit int64) error { return fmt.Errorf("%w (%d bytes)", ErrTooLarge, limit) }

// causeOf replaces the error of a request whose context ended by the reason why
// it did.
func causeOf(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return cause
}
