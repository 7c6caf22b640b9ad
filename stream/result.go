package stream

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// ErrNoResult is the error that [Await] returns when the channel is closed without a result.
var ErrNoResult = errors.New("stream: channel closed without a result")

// Result is an answer: a value or an error.
type Result[T any] struct {
	Value T // meaningless if Err is not nil
	Err   error
}

// Answer returns a channel with an answer that is already known.
//
// Like the channel that [Go] returns, it holds exactly one result and is closed after it. Answer
// starts no goroutine.
func Answer[T any](value T, err error) <-chan Result[T] {
	out := make(chan Result[T], 1) // buffered: the one result never waits for a reader
	out <- Result[T]{value, err}
	close(out)
	return out
}

// Go runs f in a goroutine and returns a channel with its answer.
//
// The channel delivers exactly one result, even if ctx is cancelled, and is then closed. Nobody has
// to read it. f should return soon after ctx is done: the result is whatever f returns.
//
// If f returns an error and ctx is done, the delivered error matches, with [errors.Is], the
// [context.Cause], the error of the context, and the error that f returned.
func Go[T any](ctx context.Context, f func(context.Context) (T, error)) <-chan Result[T] {
	require(ctx != nil, "nil context")
	require(f != nil, "Go needs a function")
	out := make(chan Result[T], 1) // buffered: the one result never waits for a reader
	go func() {
		defer close(out)
		v, err := f(ctx)
		if err != nil && ctx.Err() != nil {
			err = ended(ctx, err)
		}
		out <- Result[T]{v, err}
	}()
	return out
}

// Await waits for the one answer of an operation.
//
// It takes no context because the operation has one: if that is cancelled, the answer is an error.
// If the channel is closed without a result, Await returns [ErrNoResult].
func Await[T any](in <-chan Result[T]) (T, error) {
	require(in != nil, "Await of a nil channel")
	r, ok := <-in
	if !ok {
		return r.Value, ErrNoResult
	}
	return r.Value, r.Err
}

// Collect reads in until it is closed and returns its values.
//
// The first error wins: it is returned without any values, and the rest is left unread. If ctx is
// done, even if that is why in was closed, Collect returns the [context.Cause]: an incomplete list
// never looks complete.
func Collect[T any](ctx context.Context, in <-chan Result[T]) ([]T, error) {
	require(ctx != nil, "nil context")
	require(in != nil, "Collect of a nil channel")
	var values []T
	for {
		r, ok := Recv(ctx, in)
		switch {
		case !ok && ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !ok:
			return values, nil
		case r.Err != nil:
			return nil, r.Err
		}
		values = append(values, r.Value)
	}
}

// Range returns an iterator over the values of the stream that open starts with these options:
//
//	for pod, err := range stream.Range(ctx, pods.Each, rest.ListOptions{LabelSelector: "app=web"}) {
//
// Each loop opens a stream of its own, with a context that is cancelled when the loop is left. An
// error is the last pair of the loop, with the zero value. If ctx is done the loop ends with its
// [context.Cause]: a loop without an error was complete.
func Range[T, O any](ctx context.Context, open func(context.Context, O) <-chan Result[T], options O) iter.Seq2[T, error] {
	require(ctx != nil, "nil context")
	require(open != nil, "Range needs a function")
	return func(yield func(T, error) bool) {
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		in := open(child, options)
		require(in != nil, "Range of a nil channel")
		var zero T
		for {
			r, ok := Recv(ctx, in)
			switch {
			case !ok && ctx.Err() != nil:
				yield(zero, context.Cause(ctx))
				return
			case !ok:
				return
			case r.Err != nil:
				yield(zero, r.Err)
				return
			case !yield(r.Value, nil):
				return
			}
		}
	}
}

// ended adds the reason why ctx is done to err, unless err already contains it.
func ended(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if errors.Is(err, cause) {
		if errors.Is(err, ctx.Err()) {
			return err
		}
		return &endedError{err, ctx.Err()}
	}
	return &endedError{fmt.Errorf("%w: %w", err, cause), ctx.Err()}
}

// endedError reads like err and also matches the error of the context, which a custom cause hides.
type endedError struct {
	err    error
	ctxErr error
}

func (e *endedError) Error() string { return e.err.Error() }

func (e *endedError) Unwrap() []error { return []error{e.err, e.ctxErr} }
