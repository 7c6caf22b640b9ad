package stream

import (
	"context"
	"iter"
	"sync"
	"time"
)

// From sends the values of an iterator: those of a slice with slices.Values, of a map with
// maps.Keys.
//
// The iterator runs in one goroutine, and is left early when ctx is done.
func From[T any](ctx context.Context, seq iter.Seq[T]) <-chan T {
	require(ctx != nil, "nil context")
	require(seq != nil, "From needs an iterator")
	return Generate(ctx, func(_ context.Context, send func(T) bool) { seq(send) })
}

// Tee sends each value to n outputs.
//
// The values are shared, not copied. Each output gets all of them, in order, and the next one is
// received once all outputs have taken this one: the slowest reader slows down all. A reader that
// must not do that puts [Latest] or [Batch] after its output; one that has had enough goes on
// reading, or cancels ctx, which ends all outputs.
func Tee[T any](ctx context.Context, in <-chan T, n int) []<-chan T {
	require(ctx != nil, "nil context")
	require(in != nil, "Tee of a nil channel")
	require(n >= 1, "Tee needs n of at least 1")
	outs, ends := make([]chan T, n), make([]<-chan T, n)
	for i := range outs {
		outs[i] = make(chan T)
		ends[i] = outs[i]
	}
	go func() {
		defer func() {
			for _, out := range outs {
				close(out)
			}
		}()
		for {
			v, ok := Recv(ctx, in)
			if !ok {
				return
			}
			var taken sync.WaitGroup // at once, so that readers may take theirs in any order
			for _, out := range outs {
				taken.Go(func() { Send(ctx, out, v) })
			}
			taken.Wait()
		}
	}()
	return ends
}

// Batch sends the values in slices of up to n.
//
// A slice is sent when it is full, or when wait has passed since its first value; a wait of 0 is no
// limit. While the reader is busy the slice goes on filling up to n, and then the source is slowed
// down. When in is closed, the rest is sent.
func Batch[T any](ctx context.Context, in <-chan T, n int, wait time.Duration) <-chan []T {
	require(ctx != nil, "nil context")
	require(in != nil, "Batch of a nil channel")
	require(n >= 1, "Batch needs n of at least 1")
	require(wait >= 0, "Batch needs a wait that is not negative")
	out := make(chan []T)
	go func() {
		defer close(out)
		timer := time.NewTimer(wait)
		timer.Stop()
		defer timer.Stop()
		var batch []T
		due := false
		for ctx.Err() == nil && (in != nil || len(batch) > 0) {
			source, ready := in, out // nil, and so never chosen, while the batch is full, or need not go yet
			switch {
			case len(batch) == n:
				source = nil
			case len(batch) == 0 || !due && in != nil:
				ready = nil
			}
			select {
			case v, ok := <-source:
				if !ok {
					in = nil
					continue
				}
				if batch = append(batch, v); len(batch) == 1 && wait > 0 {
					timer.Reset(wait)
				}
			case ready <- batch:
				timer.Stop()
				batch, due = nil, false
			case <-timer.C:
				due = true
			case <-ctx.Done():
			}
		}
	}()
	return out
}

// MergeAll is [Merge] of a set that changes: it sends the values of all the channels that arrive.
//
// A channel that is closed leaves the set. The output is closed when ins and all channels are
// closed. A nil channel is left out.
func MergeAll[T any](ctx context.Context, ins <-chan (<-chan T)) <-chan T {
	require(ctx != nil, "nil context")
	require(ins != nil, "MergeAll of a nil channel")
	out := make(chan T)
	go func() {
		defer close(out)
		var inputs sync.WaitGroup
		defer inputs.Wait()
		for {
			in, ok := Recv(ctx, ins)
			switch {
			case !ok:
				return
			case in != nil:
				inputs.Go(func() { forward(ctx, in, out) })
			}
		}
	}()
	return out
}
