package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tideway-go/tideway/stream"
)

func ExampleGo() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	answer := stream.Go(ctx, func(context.Context) (int, error) { return 6 * 7, nil })
	select {
	case r := <-answer:
		fmt.Println(r.Value, r.Err)
	case <-time.After(time.Minute):
		fmt.Println("too late")
	}
	// Output: 42 <nil>
}

func ExampleAnswer() {
	get := func(ctx context.Context, name string) <-chan stream.Result[string] {
		if name == "" {
			return stream.Answer("", errors.New("get: the name is empty"))
		}
		return stream.Go(ctx, func(context.Context) (string, error) { return "value of " + name, nil })
	}

	_, err := stream.Await(get(context.Background(), ""))
	fmt.Println(err)
	// Output: get: the name is empty
}

func ExampleAwait() {
	answer := stream.Go(context.Background(), func(context.Context) (string, error) { return "hello", nil })

	v, err := stream.Await(answer)
	fmt.Println(v, err)
	// Output: hello <nil>
}

// pages is an operation with many answers; the last may be an error.
func pages(ctx context.Context, n int, err error) <-chan stream.Result[string] {
	return stream.Generate(ctx, func(_ context.Context, send func(stream.Result[string]) bool) {
		for i := range n {
			if !send(stream.Result[string]{Value: fmt.Sprint("page ", i+1)}) {
				return
			}
		}
		if err != nil {
			send(stream.Result[string]{Err: err})
		}
	})
}

func ExampleCollect() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	fmt.Println(stream.Collect(ctx, pages(ctx, 2, nil)))
	fmt.Println(stream.Collect(ctx, pages(ctx, 2, errors.New("connection lost"))))
	cancel()
	fmt.Println(stream.Collect(ctx, pages(ctx, 2, nil)))
	// Output:
	// [page 1 page 2] <nil>
	// [] connection lost
	// [] context canceled
}

func ExampleRange() {
	open := func(ctx context.Context, n int) <-chan stream.Result[string] { return pages(ctx, n, nil) }

	for page, err := range stream.Range(context.Background(), open, 1000) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(page)
		if page == "page 2" {
			break // cancels the context of the stream
		}
	}
	// Output:
	// page 1
	// page 2
}

func ExampleGenerate() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	powers := stream.Generate(ctx, func(_ context.Context, send func(int) bool) {
		for n := 1; send(n); n *= 2 {
		}
	})
	fmt.Println(<-powers, <-powers, <-powers, <-powers)
	// Output: 1 2 4 8
}

func ExampleSend() {
	ctx, cancel := context.WithCancel(context.Background())
	out := make(chan string, 1)

	fmt.Println(stream.Send(ctx, out, "delivered"), <-out)
	cancel()
	fmt.Println(stream.Send(ctx, out, "too late"), len(out))
	// Output:
	// true delivered
	// false 0
}

func ExampleRecv() {
	ctx, cancel := context.WithCancel(context.Background())
	in := make(chan string, 2)
	in <- "first"
	in <- "second"

	fmt.Println(stream.Recv(ctx, in))
	cancel()
	_, ok := stream.Recv(ctx, in)
	fmt.Println(ok)
	// Output:
	// first true
	// false
}

func ExampleMap() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	for word := range stream.Map(ctx, feed(ctx, "a", "b", "c"), strings.ToUpper) {
		fmt.Print(word, " ")
	}
	// Output: A B C
}

func ExampleFilter() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	for n := range stream.Filter(ctx, feed(ctx, 1, 2, 3, 4), func(n int) bool { return n%2 == 0 }) {
		fmt.Print(n, " ")
	}
	// Output: 2 4
}

func ExampleMapOrdered() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	slow := func(n int) int {
		<-time.After(time.Duration(3-n) * time.Millisecond) // the last one is ready first
		return n * n
	}
	for n := range stream.MapOrdered(ctx, feed(ctx, 1, 2, 3), 3, slow) {
		fmt.Print(n, " ")
	}
	// Output: 1 4 9
}

func ExampleMerge() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	sum := 0
	for n := range stream.Merge(ctx, feed(ctx, 1, 2), feed(ctx, 10, 20)) {
		sum += n
	}
	fmt.Println(sum)
	// Output: 33
}

func ExampleLatest() {
	type reading struct {
		sensor string
		value  int
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	readings := make(chan reading)
	latest := stream.Latest(ctx, readings, func(r reading) string { return r.sensor })
	for _, r := range []reading{{"door", 1}, {"window", 1}, {"door", 2}, {"door", 3}} {
		readings <- r // never waits for the reader below
	}
	close(readings)
	for r := range latest {
		fmt.Println(r.sensor, r.value)
	}
	// Output:
	// door 3
	// window 1
}

func ExampleStage() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	stages := []stream.Stage[int, int]{
		func(ctx context.Context, in <-chan int) <-chan int {
			return stream.Filter(ctx, in, func(n int) bool { return n%2 == 1 })
		},
		func(ctx context.Context, in <-chan int) <-chan int {
			return stream.Map(ctx, in, func(n int) int { return 10 * n })
		},
	}
	out := feed(ctx, 1, 2, 3, 4, 5)
	for _, stage := range stages {
		out = stage(ctx, out)
	}
	for n := range out {
		fmt.Print(n, " ")
	}
	// Output: 10 30 50
}

func ExampleFrom() {
	ctx := context.Background()
	for n := range stream.From(ctx, slices.Values([]int{1, 2, 3})) {
		fmt.Print(n, " ")
	}
	// Output: 1 2 3
}

func ExampleTee() {
	ctx := context.Background()
	outs := stream.Tee(ctx, stream.From(ctx, slices.Values([]int{1, 2, 3})), 2)
	sum := stream.Go(ctx, func(ctx context.Context) (sum int, _ error) {
		for n, ok := stream.Recv(ctx, outs[0]); ok; n, ok = stream.Recv(ctx, outs[0]) {
			sum += n
		}
		return sum, nil
	})
	for n := range outs[1] {
		fmt.Print(n, " ")
	}
	total, err := stream.Await(sum)
	fmt.Println("are", total, err)
	// Output: 1 2 3 are 6 <nil>
}

func ExampleBatch() {
	ctx := context.Background()
	for batch := range stream.Batch(ctx, stream.From(ctx, slices.Values([]int{1, 2, 3, 4, 5})), 2, time.Second) {
		fmt.Print(batch, " ")
	}
	// Output: [1 2] [3 4] [5]
}

func ExampleMergeAll() {
	ctx := context.Background()
	rooms := make(chan (<-chan string))
	all := stream.MergeAll(ctx, rooms)
	rooms <- stream.From(ctx, slices.Values([]string{"one"}))
	fmt.Println(<-all)
	rooms <- stream.From(ctx, slices.Values([]string{"two"})) // joins later
	fmt.Println(<-all)
	close(rooms)
	// Output:
	// one
	// two
}

// Of many changes to the same file, one is enough, once it is quiet.
func ExampleDebounceBy() {
	ctx := context.Background()
	changes := stream.From(ctx, slices.Values([]string{"a.go", "b.go", "a.go", "a.go"}))
	for file := range stream.DebounceBy(ctx, changes, time.Second, func(file string) string { return file }) {
		fmt.Println("build", file)
	}
	// Output:
	// build b.go
	// build a.go
}

// The first value comes at once, and of those that follow in the same second only the last.
func ExampleThrottle() {
	ctx := context.Background()
	percent := stream.From(ctx, slices.Values([]int{0, 10, 50, 100}))
	var last int
	for last = range stream.Throttle(ctx, percent, time.Second) {
	}
	fmt.Println(last, "%")
	// Output: 100 %
}

func ExampleBackoff_Check() {
	fmt.Println(stream.Backoff{}.Check())
	fmt.Println(stream.Backoff{Jitter: 20}.Check())
	// Output:
	// <nil>
	// backoff: Jitter is 20: want a fraction up to 1, 0 for 0.2, or -1 for none
}

func ExampleBackoff_Delay() {
	b := stream.Backoff{Max: 5 * time.Second, Jitter: -1}
	for failures := 1; failures <= 5; failures++ {
		fmt.Print(b.Delay(failures), " ")
	}
	// Output: 1s 2s 4s 5s 5s
}

func ExampleRetry() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	calls := 0
	backoff := stream.Backoff{Initial: time.Millisecond, Jitter: -1, MaxRetries: 1}
	lines := stream.Retry(ctx, backoff, func(_ context.Context, a *stream.Attempt[string]) error {
		if calls++; calls == 2 {
			a.OK() // it got through, so failures are counted from the beginning again
			a.Send("hello")
		}
		return errors.New("connection refused")
	}, func(r stream.Retrying) string {
		if r.GaveUp {
			return fmt.Sprintf("giving up after %d retries: %v", r.Retries, r.Err)
		}
		return fmt.Sprintf("retrying in %v: %v", r.Delay, r.Err)
	})
	for line := range lines {
		fmt.Println(line)
	}
	// Output:
	// retrying in 1ms: connection refused
	// hello
	// retrying in 1ms: connection refused
	// giving up after 1 retries: connection refused
}
