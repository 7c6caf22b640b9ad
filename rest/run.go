package rest

import (
	"context"
	"net/http"

	"github.com/tideway-go/tideway/rest/internal/wire"
	"github.com/tideway-go/tideway/stream"
)

// needContext panics if ctx is nil, in the goroutine of the caller who made the mistake.
func needContext(ctx context.Context) {
	if ctx == nil {
		panic("rest: nil context")
	}
}

// ask sends a request whose answer is an object.
func (r Resource[T]) ask(ctx context.Context, e Endpoint, q *request) <-chan stream.Result[*T] {
	return run(ctx, e, q, answered[T])
}

// answered decodes an object. If a create in a subresource is answered by a Status of success, as
// evictions and bindings are, the result is what was sent.
func answered[T any](e *Endpoint, q *request, a answer) (*T, error) {
	if e.subresource != "" && q.method == http.MethodPost && (e.types() == nil || e.subresource == subEviction || e.subresource == subBinding) {
		if _, ok := readStatus(a.body); ok {
			a.body = q.body
		}
	}
	a.body = wire.Single(a.body)
	if err := e.asks(q.name).object(a.body); err != nil {
		return nil, err
	}
	return Resource[T]{*e}.Decode(a.body)
}

// taker makes the result of an answer.
type taker[V any] func(*Endpoint, *request, answer) (V, error)

// run is the path that all verbs take: it checks the request, and sends it once the kind is known.
func run[V any](ctx context.Context, e Endpoint, q *request, take taker[V]) <-chan stream.Result[V] {
	if err := e.check(q); err != nil {
		var none V
		return stream.Answer(none, err)
	}
	return stream.Go(ctx, func(ctx context.Context) (V, error) {
		if e.pending {
			return resolved(ctx, e, func(e Endpoint) (V, error) { return take.completed(ctx, e, q) })
		}
		return take.exchange(ctx, &e, q)
	})
}

// completed fills in what depends on the kind, which is known now, and sends the request.
func (take taker[V]) completed(ctx context.Context, e Endpoint, q *request) (none V, err error) {
	if q.object || q.patch != nil {
		q = new(*q) // another kind completes it as it was given
	}
	if q.object {
		b, in, err := e.completeObject(q.op, q.body)
		if err != nil {
			return none, err
		}
		q.body, e = b.raw, in
	}
	if err := e.check(q); err != nil {
		return none, err
	}
	return take.exchange(ctx, &e, q)
}

// exchange sends a request and makes the result of the answer.
func (take taker[V]) exchange(ctx context.Context, e *Endpoint, q *request) (none V, err error) {
	a, err := e.do(ctx, q)
	if err != nil {
		return none, err
	}
	v, err := take(e, q, a)
	if err != nil {
		_, j := e.follow(ctx, q.method)
		j.success = true
		return none, j.failed(ctx, e.failed(q.op, q.about(), a.wrong(err)))
	}
	return v, nil
}
