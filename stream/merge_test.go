package stream_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/stream"
)

func TestMergeOfNothing(t *testing.T) {
	select {
	case v, ok := <-stream.Merge[int](t.Context()):
		if ok {
			t.Errorf("received %v; want a closed channel", v)
		}
	default:
		t.Error("a merge of nothing is open")
	}
}

func TestMerge(t *testing.T) {
	ctx := t.Context()
	got := all(stream.Merge(ctx, feed(ctx, 1, 2, 3), feed(ctx, 11, 12, 13), feed(ctx, 21)))
	for _, want := range [][]int{{1, 2, 3}, {11, 12, 13}, {21}} {
		source := slices.DeleteFunc(slices.Clone(got), func(n int) bool { return n/10 != want[0]/10 })
		if diff := cmp.Diff(want, source); diff != "" {
			t.Error("values of one input (-want +got):\n" + diff)
		}
	}
	if len(got) != 7 {
		t.Errorf("received %v; want 7 values", got)
	}
}

func TestMergeIsOpenUntilTheLastInputEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := make(chan int), make(chan int)
		out := stream.Merge(t.Context(), a, b)
		close(a)
		wantOpen(t, out)
		go func() { b <- 1 }()
		if v := <-out; v != 1 {
			t.Errorf("received %d; want 1", v)
		}
		wantOpen(t, out)
		close(b)
		wantClosed(t, out)
	})
}

func TestMergeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		out := stream.Merge(ctx, numbers(ctx), make(chan int), numbers(ctx)) // one idle, two waiting for the reader
		<-out
		synctest.Wait()
		cancel()
		wantClosed(t, out)
	})
}
