// Package flight shares one run of a piece of work among all who need its result at the same time.
package flight

import (
	"context"
	"sync"
)

// Flight runs one piece of work at a time. The zero value is ready for use, and safe for concurrent
// use.
type Flight[T any] struct {
	mu  sync.Mutex
	run *run[T] // nil: nothing is running, or nobody waits for it
}

// run is one run of the work.
type run[T any] struct {
	waiting int // guarded by the mutex of Flight
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed once value and err are set
	value   T
	err     error
}

// Do runs work and returns its result. If a run is under way, Do waits for that one instead, and
// its own work is not used.
//
// The context of a run has the values of the ctx that started it, but it ends only when no caller
// waits any more. A caller whose ctx ends leaves at once with [context.Cause], and the others keep
// waiting. Only the last one to leave stays until work has returned; the context of the run then
// has the same cause. A caller that comes in the meantime starts another run.
func (f *Flight[T]) Do(ctx context.Context, work func(context.Context) (T, error)) (T, error) {
	r := f.join(ctx, work)
	select {
	case <-r.done:
		return r.value, r.err
	case <-ctx.Done():
		f.leave(r, context.Cause(ctx))
		var zero T
		return zero, context.Cause(ctx)
	}
}

// join returns the run to wait for, and starts it if there is none.
func (f *Flight[T]) join(ctx context.Context, work func(context.Context) (T, error)) *run[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.run == nil {
		ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
		f.run = &run[T]{cancel: cancel, done: make(chan struct{})}
		go f.fly(ctx, f.run, work)
	}
	f.run.waiting++
	return f.run
}

// fly does the work.
func (f *Flight[T]) fly(ctx context.Context, r *run[T], work func(context.Context) (T, error)) {
	defer close(r.done)
	defer r.cancel(nil)
	r.value, r.err = work(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.run == r {
		f.run = nil
	}
}

// leave is for a caller whose context has ended. The last one ends the run.
func (f *Flight[T]) leave(r *run[T], cause error) {
	f.mu.Lock()
	r.waiting--
	last := r.waiting == 0
	if last && f.run == r {
		f.run = nil
	}
	f.mu.Unlock()
	if last {
		r.cancel(cause)
		<-r.done
	}
}
