package stream_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/stream"
)

// A slice is sent when it is full, or when its first value has waited; it fills up while the reader
// is busy.
func TestBatch(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		values []time.Duration // when each comes
		wait   time.Duration
		pause  time.Duration // of the reader, before each slice
		want   string
	}{
		"full ones":                 {[]time.Duration{0, 0, 0, 0, 0, 0}, 0, 0, "0s [0 1 2] 0s [3 4 5]"},
		"the rest comes at the end": {[]time.Duration{0, 0, 0, 1 * s}, 0, 0, "0s [0 1 2] 10s [3]"},
		"by time":                   {[]time.Duration{1 * s, 2 * s, 5 * s}, 2 * s, 0, "3s [0 1] 7s [2]"},
		"one by one":                {[]time.Duration{1 * s, 4 * s}, 2 * s, 0, "3s [0] 6s [1]"},
		"nothing":                   {nil, 2 * s, 0, ""},
		"a slow reader":             {[]time.Duration{0, 3 * s, 4 * s, 5 * s, 6 * s}, 2 * s, 8 * s, "8s [0 1 2] 16s [3 4]"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				in := stream.Generate(t.Context(), func(_ context.Context, send func(int) bool) {
					for i, at := range c.values {
						time.Sleep(at - time.Since(began))
						send(i)
					}
					time.Sleep(10*s - time.Since(began))
				})
				got := []string{}
				for batches := stream.Batch(t.Context(), in, 3, c.wait); ; {
					time.Sleep(c.pause)
					batch, ok := <-batches
					if !ok {
						break
					}
					got = append(got, fmt.Sprintf("%v %v", time.Since(began), batch))
				}
				if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			})
		})
	}
}

// Each output of Tee gets everything, and none is ahead by more than one value.
func TestTee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outs := stream.Tee(t.Context(), stream.From(t.Context(), slices.Values([]int{1, 2, 3})), 2)
		for n := 1; n <= 3; n++ { // in any order
			first, second := outs[n%2], outs[(n+1)%2]
			if v := <-first; v != n {
				t.Errorf("received %d, want %d", v, n)
			}
			synctest.Wait()
			select {
			case v, ok := <-first:
				t.Errorf("received %d, %v before the other has read %d", v, ok, n)
			default:
			}
			if v := <-second; v != n {
				t.Errorf("received %d, want %d", v, n)
			}
		}
		wantClosed(t, outs[0])
		wantClosed(t, outs[1])
	})
}

// Channels join and leave while the others go on; one that is not read from does not leave
// anything behind.
func TestMergeAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ins := make(chan (<-chan int))
		out := stream.MergeAll(ctx, ins)
		a, b := make(chan int), make(chan int)
		ins <- a
		a <- 1
		if v := <-out; v != 1 {
			t.Errorf("received %d", v)
		}
		ins <- b
		close(a)
		b <- 2
		if v := <-out; v != 2 {
			t.Errorf("received %d", v)
		}
		close(ins)
		wantOpen(t, out)
		b <- 3
		cancel()
		wantClosed(t, out)
	})
}

// An iterator is left when the context ends.
func TestFrom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		left := false
		out := stream.From(ctx, func(yield func(int) bool) {
			defer func() { left = true }()
			for i := 0; yield(i); i++ {
			}
		})
		if a, b := <-out, <-out; a != 0 || b != 1 {
			t.Errorf("received %d, %d", a, b)
		}
		cancel()
		wantClosed(t, out)
		if !left {
			t.Error("the iterator goes on")
		}
	})
}
