package stream

import (
	"context"
	"sync"
)

// Map sends f(v) for each value v.
//
// f runs in one goroutine, one value at a time. To process several at a time use [MapOrdered].
func Map[A, B any](ctx context.Context, in <-chan A, f func(A) B) <-chan B {
	require(ctx != nil, "nil context")
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

// Filter sends the values for which keep returns true.
//
// keep runs in one goroutine, one value at a time.
func Filter[T any](ctx context.Context, in <-chan T, keep func(T) bool) <-chan T {
	require(ctx != nil, "nil context")
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

// MapOrdered sends f(v) for each value v in the order received, with up to n calls of f at a time.
//
// It holds at most n values: a value is received only after the one n places before it has been
// delivered. f must be safe for concurrent use.
func MapOrdered[A, B any](ctx context.Context, in <-chan A, n int, f func(A) B) <-chan B {
	require(ctx != nil, "nil context")
	require(in != nil, "MapOrdered of a nil channel")
	require(n >= 1, "MapOrdered needs n of at least 1")
	require(f != nil, "MapOrdered needs a function")
	out := make(chan B)
	// The workers stand in a ring. The turn to receive goes round the ring, and so does the turn to
	// send, so values are sent in the order in which they were received.
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
				receive[next] <- struct{}{} // even at the end, which each worker sees when its turn comes
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

// ring returns one place for each of n workers, between which a turn is passed round; the first has
// the turn.
func ring(n int) []chan struct{} {
	places := make([]chan struct{}, n)
	for i := range places {
		places[i] = make(chan struct{}, 1) // buffered: there is only one turn, so passing it on never blocks
	}
	places[0] <- struct{}{}
	return places
}
