package stream_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/stream"
)

func TestMap(t *testing.T) {
	got := all(stream.Map(t.Context(), feed(t.Context(), 1, 2, 3), strconv.Itoa))
	if diff := cmp.Diff([]string{"1", "2", "3"}, got); diff != "" {
		t.Error("values (-want +got):\n" + diff)
	}
}

func TestFilter(t *testing.T) {
	got := all(stream.Filter(t.Context(), feed(t.Context(), 1, 2, 3, 4, 5), func(n int) bool { return n%2 == 1 }))
	if diff := cmp.Diff([]int{1, 3, 5}, got); diff != "" {
		t.Error("values (-want +got):\n" + diff)
	}
}

// A stage that drops values must still notice that its context is done.
func TestFilterEndsWhileDropping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		out := stream.Filter(ctx, numbers(t.Context()), func(int) bool {
			if seen++; seen == 1000 {
				cancel()
			}
			return false
		})
		wantClosed(t, out)
	})
}

func TestMapOrderedKeepsOrder(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 100} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				want := make([]int, 50)
				for i := range want {
					want[i] = i
				}
				var running, most atomic.Int32
				got := all(stream.MapOrdered(t.Context(), feed(t.Context(), want...), n, func(v int) int {
					if now := running.Add(1); now > most.Load() {
						most.Store(now)
					}
					<-time.After(time.Duration(1+v*7919%13) * time.Second) // later ones are often ready first
					running.Add(-1)
					return v
				}))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error("values (-want +got):\n" + diff)
				}
				if int(most.Load()) != min(n, len(want)) {
					t.Errorf("%d calls at a time; want %d", most.Load(), n)
				}
			})
		})
	}
}

func TestMapOrderedRunsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got := all(stream.MapOrdered(t.Context(), feed(t.Context(), 1, 2, 3, 4, 5, 6, 7, 8), 4, func(n int) int {
			<-time.After(time.Second)
			return n
		}))
		if waited := time.Since(start); len(got) != 8 || waited != 2*time.Second {
			t.Errorf("%d values in %v; want 8 in 2s", len(got), waited)
		}
	})
}

func TestMapOrderedIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := make(chan int, 100)
		for i := range cap(in) {
			in <- i
		}
		ctx, cancel := context.WithCancel(t.Context())
		out := stream.MapOrdered(ctx, in, 4, same[int])
		synctest.Wait()
		if taken := cap(in) - len(in); taken != 4 {
			t.Errorf("took %d values while nobody read; want 4", taken)
		}
		cancel()
		wantClosed(t, out)
	})
}

func TestMapOrderedWaitsForF(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var returned atomic.Int32
		out := stream.MapOrdered(ctx, feed(ctx, 1, 2, 3), 3, func(n int) int {
			<-time.After(time.Duration(n) * time.Second) // ignoring the context
			returned.Add(1)
			return n
		})
		synctest.Wait()
		cancel()
		wantOpen(t, out)
		if v, ok := <-out; ok {
			t.Errorf("received %v; want a closed channel", v)
		}
		if returned.Load() != 3 {
			t.Errorf("closed when %d of 3 calls had returned", returned.Load())
		}
	})
}
