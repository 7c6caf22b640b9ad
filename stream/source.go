package stream

import "context"

// Generate runs f in a goroutine and returns a channel of the values that f sends.
//
// The channel is closed when f returns. send works like [Send] on that channel: false means that
// ctx is done and f should return. f must not call send after it has returned.
func Generate[T any](ctx context.Context, f func(ctx context.Context, send func(T) bool)) <-chan T {
	require(ctx != nil, "nil context")
	require(f != nil, "Generate needs a function")
	out := make(chan T)
	go func() {
		defer close(out)
		f(ctx, func(v T) bool { return Send(ctx, out, v) })
	}()
	return out
}

// Send delivers v to out and reports whether it did: false means that ctx is done.
//
// A done context takes precedence: v is not delivered, even if a reader is waiting.
func Send[T any](ctx context.Context, out chan<- T, v T) bool {
	require(ctx != nil, "nil context")
	if ctx.Err() != nil {
		return false
	}
	select { // a waiting reader is served without the cost of a select over two channels
	case out <- v:
		return true
	default:
	}
	select {
	case out <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

// Recv takes the next value from in: false means that in is closed or ctx is done.
//
// A done context takes precedence: nothing is taken, even if a value is ready.
func Recv[T any](ctx context.Context, in <-chan T) (T, bool) {
	require(ctx != nil, "nil context")
	if ctx.Err() != nil {
		var zero T
		return zero, false
	}
	select {
	case v, ok := <-in:
		return v, ok
	case <-ctx.Done():
		var zero T
		return zero, false
	}
}
