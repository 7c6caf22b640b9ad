package stream_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/stream"
)

func same[T any](v T) T { return v }

// TestStages runs the standard subtests over every stage, each set up to send what it receives.
func TestStages(t *testing.T) {
	stages := map[string]stream.Stage[int, int]{
		"Map": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.Map(ctx, in, same[int])
		},
		"Filter": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.Filter(ctx, in, func(int) bool { return true })
		},
		"MapOrdered of one": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.MapOrdered(ctx, in, 1, same[int])
		},
		"MapOrdered of three": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.MapOrdered(ctx, in, 3, same[int])
		},
		"Merge of one": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.Merge(ctx, in)
		},
		"Merge of two": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.Merge(ctx, in, stream.Merge[int](ctx))
		},
		"Latest": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.Latest(ctx, in, same[int])
		},
		"MergeAll": func(ctx context.Context, in <-chan int) <-chan int {
			ins := make(chan (<-chan int), 2)
			ins <- nil
			ins <- in
			close(ins)
			return stream.MergeAll(ctx, ins)
		},
		"From": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.From(ctx, func(yield func(int) bool) {
				for v, ok := stream.Recv(ctx, in); ok && yield(v); v, ok = stream.Recv(ctx, in) {
				}
			})
		},
		"Tee of one": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.Tee(ctx, in, 1)[0]
		},
		"Tee of three": func(ctx context.Context, in <-chan int) <-chan int {
			outs := stream.Tee(ctx, in, 3)
			go drain(outs[0])
			go drain(outs[2])
			return outs[1]
		},
		"Batch of one": func(ctx context.Context, in <-chan int) <-chan int {
			return flat(ctx, stream.Batch(ctx, in, 1, 0))
		},
		"Batch of three": func(ctx context.Context, in <-chan int) <-chan int {
			return flat(ctx, stream.Batch(ctx, in, 3, time.Second))
		},
		"DebounceBy": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.DebounceBy(ctx, in, time.Second, same[int])
		},
		"ThrottleBy": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.ThrottleBy(ctx, in, time.Second, same[int])
		},
		"Generate": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.Generate(ctx, func(ctx context.Context, send func(int) bool) {
				for v, ok := stream.Recv(ctx, in); ok && send(v); v, ok = stream.Recv(ctx, in) {
				}
			})
		},
		"Retry": func(ctx context.Context, in <-chan int) <-chan int {
			return stream.Retry(ctx, stream.Backoff{}, func(ctx context.Context, a *stream.Attempt[int]) error {
				v, ok := stream.Recv(ctx, in)
				if !ok {
					return stream.ErrStop
				}
				a.Send(v)
				return nil
			}, nil)
		},
	}
	for name, stage := range stages {
		t.Run(name, func(t *testing.T) { testStage(t, stage) })
	}
}

func drain(in <-chan int) {
	for range in {
	}
}

// flat sends the values of slices.
func flat(ctx context.Context, in <-chan []int) <-chan int {
	return stream.Generate(ctx, func(ctx context.Context, send func(int) bool) {
		for batch, ok := stream.Recv(ctx, in); ok; batch, ok = stream.Recv(ctx, in) {
			for _, v := range batch {
				if !send(v) {
					return
				}
			}
		}
	})
}

// testStage runs the standard subtests of a stage that sends what it receives.
//
// Each runs in a bubble, which fails the test if a goroutine is left.
func testStage(t *testing.T, stage stream.Stage[int, int]) {
	bubble := func(name string, f func(t *testing.T, ctx context.Context, cancel context.CancelFunc)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				f(t, ctx, cancel)
			})
		})
	}

	bubble("values", func(t *testing.T, ctx context.Context, _ context.CancelFunc) {
		want := []int{5, 3, 8, 1, 9, 2, 7}
		if diff := cmp.Diff(want, all(stage(ctx, feed(ctx, want...)))); diff != "" {
			t.Error("values (-want +got):\n" + diff)
		}
	})

	bubble("empty", func(t *testing.T, ctx context.Context, _ context.CancelFunc) {
		in := make(chan int)
		close(in)
		wantClosed(t, stage(ctx, in))
	})

	bubble("a slow reader loses nothing", func(t *testing.T, ctx context.Context, _ context.CancelFunc) {
		out := stage(ctx, feed(ctx, 1, 2, 3, 4, 5))
		var got []int
		for {
			<-time.After(time.Minute)
			v, ok := <-out
			if !ok {
				break
			}
			got = append(got, v)
		}
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5}, got); diff != "" {
			t.Error("values (-want +got):\n" + diff)
		}
	})

	bubble("cancel while sending", func(t *testing.T, ctx context.Context, cancel context.CancelFunc) {
		in := make(chan int, 20) // stays open
		for n := range cap(in) {
			in <- n
		}
		out := stage(ctx, in)
		synctest.Wait() // it wants to send now, and nobody reads
		cancel()
		wantClosed(t, out)
	})

	bubble("cancel while receiving", func(t *testing.T, ctx context.Context, cancel context.CancelFunc) {
		out := stage(ctx, make(chan int))
		wantOpen(t, out)
		cancel()
		wantClosed(t, out)
	})

	bubble("cancelled before", func(t *testing.T, ctx context.Context, cancel context.CancelFunc) {
		in := make(chan int, 20)
		for n := range cap(in) {
			in <- n
		}
		cancel()
		if got := all(stage(ctx, in)); len(got) > 0 {
			t.Errorf("received %v after the context was done", got)
		}
	})

	bubble("upstream closes", func(t *testing.T, ctx context.Context, _ context.CancelFunc) {
		in := make(chan int, 1)
		in <- 1
		close(in)
		out := stage(ctx, in)
		synctest.Wait() // the end has been seen, if the stage looks ahead, before the value is delivered
		if v, ok := <-out; v != 1 || !ok {
			t.Errorf("received %v, %v; want 1, true", v, ok)
		}
		wantClosed(t, out)
	})
}

func TestStagePanics(t *testing.T) {
	ctx := t.Context()
	in := make(chan int)
	keep := func(int) bool { return true }
	for message, f := range map[string]func(){
		"stream: Map of a nil channel":                    func() { stream.Map(ctx, nil, same[int]) },
		"stream: Map needs a function":                    func() { stream.Map[int, int](ctx, in, nil) },
		"stream: Filter of a nil channel":                 func() { stream.Filter(ctx, nil, keep) },
		"stream: Filter needs a function":                 func() { stream.Filter(ctx, in, nil) },
		"stream: MapOrdered of a nil channel":             func() { stream.MapOrdered(ctx, nil, 1, same[int]) },
		"stream: MapOrdered needs n of at least 1":        func() { stream.MapOrdered(ctx, in, 0, same[int]) },
		"stream: MapOrdered needs a function":             func() { stream.MapOrdered[int, int](ctx, in, 1, nil) },
		"stream: Merge of a nil channel":                  func() { stream.Merge(ctx, in, nil) },
		"stream: Latest of a nil channel":                 func() { stream.Latest(ctx, nil, same[int]) },
		"stream: Latest needs a function":                 func() { stream.Latest[int](ctx, in, nil) },
		"stream: Generate needs a function":               func() { stream.Generate[int](ctx, nil) },
		"stream: Go needs a function":                     func() { stream.Go[int](ctx, nil) },
		"stream: Await of a nil channel":                  func() { _, _ = stream.Await[int](nil) },
		"stream: Collect of a nil channel":                func() { _, _ = stream.Collect[int](ctx, nil) },
		"stream: Range needs a function":                  func() { stream.Range[int](ctx, nil, 0) },
		"stream: Retry needs a function":                  func() { stream.Retry[int](ctx, stream.Backoff{}, nil, nil) },
		"stream: From needs an iterator":                  func() { stream.From[int](ctx, nil) },
		"stream: Tee of a nil channel":                    func() { stream.Tee[int](ctx, nil, 1) },
		"stream: Tee needs n of at least 1":               func() { stream.Tee(ctx, in, 0) },
		"stream: Batch of a nil channel":                  func() { stream.Batch[int](ctx, nil, 1, 0) },
		"stream: Batch needs n of at least 1":             func() { stream.Batch(ctx, in, 0, 0) },
		"stream: Batch needs a wait that is not negative": func() { stream.Batch(ctx, in, 1, -1) },
		"stream: MergeAll of a nil channel":               func() { stream.MergeAll[int](ctx, nil) },
		"stream: Debounce of a nil channel":               func() { stream.Debounce[int](ctx, nil, 1) },
		"stream: Debounce needs a time greater than 0":    func() { stream.Debounce(ctx, in, 0) },
		"stream: DebounceBy of a nil channel":             func() { stream.DebounceBy(ctx, nil, 1, same[int]) },
		"stream: DebounceBy needs a time greater than 0":  func() { stream.DebounceBy(ctx, in, -1, same[int]) },
		"stream: DebounceBy needs a function":             func() { stream.DebounceBy[int](ctx, in, 1, nil) },
		"stream: Throttle of a nil channel":               func() { stream.Throttle[int](ctx, nil, 1) },
		"stream: Throttle needs a time greater than 0":    func() { stream.Throttle(ctx, in, 0) },
		"stream: ThrottleBy of a nil channel":             func() { stream.ThrottleBy(ctx, nil, 1, same[int]) },
		"stream: ThrottleBy needs a time greater than 0":  func() { stream.ThrottleBy(ctx, in, 0, same[int]) },
		"stream: ThrottleBy needs a function":             func() { stream.ThrottleBy[int](ctx, in, 1, nil) },
		"stream: Range of a nil channel": func() {
			for v, err := range stream.Range(ctx, func(context.Context, int) <-chan stream.Result[int] { return nil }, 0) {
				t.Error("a nil channel has a value:", v, err)
			}
		},
		"stream: backoff: Max is 1ms: want at least Initial (1s)": func() {
			attempt := func(context.Context, *stream.Attempt[int]) error { return nil }
			stream.Retry(ctx, stream.Backoff{Max: time.Millisecond}, attempt, nil)
		},
	} {
		wantPanic(t, message, f)
	}
}
