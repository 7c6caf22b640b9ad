package stream

import (
	"context"
	"sync"
)

// Map sends f of each value.
//
// f runs in one goroutine, one value after the other. For several at a time see [MapOrdered].
func Map[A, B any](ctx context.Context, in <-chan A, f func(A) B) <-chan B {
	require(in != nil, "Map of a nil channel")
	require(f != nil, "Map needs a function")
	out := make(chan B)
	go func() {
		defer close(out)
		for {
			v, ok := Recv(ctx, in)
			if !ok || !Send(ctx, out, f(v)) {
				return
			}
		}
	}()
	return out
}

// Filter sends the values that keep wants.
//
// keep runs in one goroutine, one value after the other.
func Filter[T any](ctx context.Context, in <-chan T, keep func(T) bool) <-chan T {
	require(in != nil, "Filter of a nil channel")
	require(keep != nil, "Filter needs a function")
	out := make(chan T)
	go func() {
		defer close(out)
		for {
			v, ok := Recv(ctx, in)
			if !ok || keep(v) && !Send(ctx, out, v) {
				return
			}
		}
	}()
	return out
}

// MapOrdered sends f of each value in the order of the values, with up to n calls of f at a time.
//
// It holds at most n values: the value n places after another is received once that one has been
// delivered. f must be safe for concurrent use.
func MapOrdered[A, B any](ctx context.Context, in <-chan A, n int, f func(A) B) <-chan B {
	require(in != nil, "MapOrdered of a nil channel")
	require(n >= 1, "MapOrdered needs n of at least 1")
	require(f != nil, "MapOrdered needs a function")
	out := make(chan B)
	// The workers stand in a ring. The turn to receive goes round it, and so does the turn to send,
	// so that each value is sent in the place in which it was received.
	receive, send := ring(n), ring(n)
	var workers sync.WaitGroup
	for i := range n {
		next := (i + 1) % n
		workers.Go(func() {
			for {
				if _, ok := Recv(ctx, receive[i]); !ok {
					return
				}
				v, ok := Recv(ctx, in)
				receive[next] <- struct{}{} // also at the end, which each worker sees in its own turn
				if !ok {
					return
				}
				result := f(v)
				if _, ok := Recv(ctx, send[i]); !ok || !Send(ctx, out, result) {
					return
				}
				send[next] <- struct{}{}
			}
		})
	}
	go func() {
		defer close(out)
		workers.Wait()
	}()
	return out
}

// ring returns the places of a turn that goes round n workers, with the turn at the first.
func ring(n int) []chan struct{} {
	places := make([]chan struct{}, n)
	for i := range places {
		places[i] = make(chan struct{}, 1) // buffered: there is one turn, so that passing it on never blocks
	}
	places[0] <- struct{}{}
	return places
}
