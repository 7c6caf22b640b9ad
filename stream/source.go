package stream

import "context"

// Generate runs f in a goroutine and returns the channel of what f sends.
//
// The channel is closed when f returns. send is [Send] on that channel: false means that ctx is
// done and f should return. send must not be called after f has returned.
func Generate[T any](ctx context.Context, f func(ctx context.Context, send func(T) bool)) <-chan T {
	require(f != nil, "Generate needs a function")
	out := make(chan T)
	go func() {
		defer close(out)
		f(ctx, func(v T) bool { return Send(ctx, out, v) })
	}()
	return out
}

// Send delivers v to out, and reports whether it did: false means that ctx is done.
//
// A done context comes first: then v is not delivered even if somebody is waiting for it.
func Send[T any](ctx context.Context, out chan<- T, v T) bool {
	if ctx.Err() != nil {
		return false
	}
	select { // a reader that waits already is served without the price of a select over two channels
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

// Recv takes the next value from in: false means that in is closed or that ctx is done.
//
// A done context comes first: then nothing is taken even if a value is there.
func Recv[T any](ctx context.Context, in <-chan T) (T, bool) {
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
