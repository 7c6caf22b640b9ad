package stream

import "context"

// Stage is the shape of a step in a pipeline.
//
// It returns at once. The channel it returns is closed when in is closed and everything has been
// delivered, or when ctx is done; by then the goroutines of the stage are gone.
type Stage[A, B any] = func(ctx context.Context, in <-chan A) <-chan B

// require panics unless ok holds: the caller made a mistake.
func require(ok bool, mistake string) {
	if !ok {
		panic("stream: " + mistake)
	}
}
