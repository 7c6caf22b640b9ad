package stream_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/stream"
)

type version struct {
	Key     string
	Version int
}

func keyOf(v version) string { return v.Key }

func TestLatest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := make(chan version)
		out := stream.Latest(t.Context(), in, keyOf)
		for _, v := range []version{{"a", 1}, {"b", 1}, {"a", 2}, {"c", 1}, {"b", 2}, {"a", 3}} {
			in <- v
		}
		if got, want := <-out, (version{"a", 3}); got != want {
			t.Errorf("received %v; want %v", got, want)
		}
		in <- version{"a", 4} // a waits again, after the others
		in <- version{"c", 2}
		close(in)
		if diff := cmp.Diff([]version{{"b", 2}, {"c", 2}, {"a", 4}}, all(out)); diff != "" {
			t.Error("values (-want +got):\n" + diff)
		}
	})
}

// A random walk, compared with a plain model: the waiting values, in the order in which they began
// to wait.
func TestLatestLikeItsModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		in := make(chan version)
		out := stream.Latest(t.Context(), in, keyOf)
		var model []version
		for n := range 20_000 {
			// Long phases with the slower reader alternate with phases in which the reader is
			// faster.
			if slow := n/1000%2 == 0; len(model) == 0 || random.IntN(10) < 3 == !slow {
				v := version{string(rune('a' + random.IntN(200))), n}
				in <- v
				i := 0
				for i < len(model) && model[i].Key != v.Key {
					i++
				}
				if i == len(model) {
					model = append(model, v)
				}
				model[i] = v
				continue
			}
			got := <-out
			if got != model[0] {
				t.Fatalf("step %d: received %v; want %v", n, got, model[0])
			}
			model = model[1:]
		}
		close(in)
		if diff := cmp.Diff(model, all(out)); diff != "" {
			t.Error("values at the end (-want +got):\n" + diff)
		}
	})
}

func TestLatestCancelledWithPendingValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in := make(chan version)
		out := stream.Latest(ctx, in, keyOf)
		in <- version{"a", 1}
		in <- version{"b", 1}
		close(in)
		synctest.Wait()
		cancel()
		wantClosed(t, out)
	})
}

// Delivered values leave nothing behind, however long the stage runs.
func TestLatestAllocatesNothingInTheLongRun(t *testing.T) {
	in := make(chan int)
	out := stream.Latest(t.Context(), in, same[int])
	for n := range 10 { // ten keys wait at any time, out of an endless number
		in <- n
	}
	n := 10
	if got := testing.AllocsPerRun(10_000, func() { in <- n; <-out; n++ }); got > 0 {
		t.Errorf("%v allocations a value; want none", got)
	}
	close(in)
	if got := len(all(out)); got != 10 {
		t.Errorf("%d values at the end; want 10", got)
	}
}
