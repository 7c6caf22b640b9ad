package stream

import (
	"context"
	"sync"
)

// Merge sends the values of all its inputs as they come.
//
// The output is closed when all inputs are closed; without inputs it is closed from the start. The
// values of one input keep their order.
func Merge[T any](ctx context.Context, ins ...<-chan T) <-chan T {
	require(ctx != nil, "nil context")
	for _, in := range ins {
		require(in != nil, "Merge of a nil channel")
	}
	out := make(chan T)
	if len(ins) == 0 {
		close(out)
		return out
	}
	var inputs sync.WaitGroup
	for _, in := range ins {
		inputs.Go(func() { forward(ctx, in, out) })
	}
	go func() {
		defer close(out)
		inputs.Wait()
	}()
	return out
}

// forward sends what it receives until in is closed.
func forward[T any](ctx context.Context, in <-chan T, out chan<- T) {
	for {
		v, ok := Recv(ctx, in)
		if !ok || !Send(ctx, out, v) {
			return
		}
	}
}
