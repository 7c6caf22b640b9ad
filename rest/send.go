package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/tideway-go/tideway/rest/internal/transport"
)

// answer is the answer to a request that the server did not refuse.
type answer struct {
	code        int
	contentType string
	body        []byte
	hide        hiding
}

// do makes a request, sends it and reads the answer, and retries as the handle says. The body is
// closed when it returns.
func (e *Endpoint) do(ctx context.Context, q *request) (a answer, err error) {
	err = e.retry(ctx, q.method, func() (err error) {
		a, err = e.once(ctx, q)
		return err
	})
	return a, err
}

// once sends a request and reads the answer.
func (e *Endpoint) once(ctx context.Context, q *request) (answer, error) {
	op, name := q.op, q.about()
	if ctx.Err() != nil {
		return answer{}, e.failed(op, name, context.Cause(ctx))
	}
	sent, j := e.follow(ctx, q.method)
	r, err := e.build(sent, q)
	if err != nil {
		return answer{}, err
	}
	resp, err := e.open(op, name, r)
	if err != nil {
		return answer{}, j.failed(ctx, e.failed(op, name, err))
	}
	defer resp.Body.Close()
	j.success = true
	raw, err := readBody(resp, e.options().maxObject())
	if err != nil {
		return answer{}, j.failed(ctx, e.failed(op, name, fmt.Errorf("reading the answer: %w", causeOf(ctx, err))))
	}
	if s, ok := readStatus(raw); ok && s.Status == StatusFailure {
		refused := e.refusal(op, name, s)
		refused.Header, refused.Body = resp.Header, raw[:min(len(raw), e.options().maxErrorBody())]
		return answer{}, j.failed(ctx, refused)
	}
	return answer{resp.StatusCode, resp.Header.Get("Content-Type"), raw, e.client.transport.Hide}, nil
}

// open sends a request, once, and returns an answer of status 200 to 299, whose body the caller
// closes. An error is a refusal, or the bare cause.
func (e *Endpoint) open(op, name string, r *http.Request) (*http.Response, error) {
	resp, err := transport.Send(e.client.front, r)
	if err != nil {
		return nil, causeOf(r.Context(), err)
	}
	e.warn(op, name, resp.Header)
	if resp.StatusCode < http.StatusOK || resp.StatusCode >= http.StatusMultipleChoices {
		return nil, e.refused(op, name, resp)
	}
	resp.Body = &answerBody{ReadCloser: resp.Body, resp: resp, hide: e.client.transport.Hide}
	return resp, nil
}

// readBody reads a body of at most limit bytes, 0 for no limit. If the server announces the size,
// the buffer fits it.
func readBody(resp *http.Response, limit int64) ([]byte, error) {
	const most = 1 << 20 // the largest announcement to trust before the bytes arrive
	n := resp.ContentLength
	switch {
	case isBare(resp):
		return nil, nil
	case limit > 0 && n > limit:
		return nil, tooLarge(limit)
	case n > 0 && n <= most:
		raw := make([]byte, n)
		_, err := io.ReadFull(resp.Body, raw)
		return raw, err
	case limit <= 0:
		return io.ReadAll(resp.Body)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, limit))
	if err != nil || int64(len(raw)) < limit {
		return raw, err
	}
	switch n, err := io.ReadFull(resp.Body, make([]byte, 1)); {
	case n > 0:
		return nil, tooLarge(limit)
	case err != io.EOF:
		return nil, err
	}
	return raw, nil
}

// isBare reports whether an answer has no body, whatever length it announces.
func isBare(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusNoContent, http.StatusNotModified:
		return true
	}
	return resp.Request != nil && resp.Request.Method == http.MethodHead
}

// causeOf returns the cause if ctx has ended, and otherwise err.
func causeOf(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return cause
}

// warn sends the warnings in the header of an answer to [CallOptions].Warnings, and never waits.
func (e *Endpoint) warn(op, name string, h http.Header) {
	to := e.options().Warnings
	if to == nil {
		return
	}
	for _, w := range parseWarnings(h) {
		w.Text, w.Agent = e.client.transport.Hide(w.Text, true), e.client.transport.Hide(w.Agent, true)
		w.Op, w.Resource, w.Object = op, e.resource(), e.object(name)
		select {
		case to <- w:
		default:
		}
	}
}
