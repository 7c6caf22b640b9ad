package watch_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// Keep behaves like the stages of package stream.
func TestKeepIsAStage(t *testing.T) {
	event := watch.Event[rest.Object]{Type: watch.Added}
	run := func(name string, test func(t *testing.T, ctx context.Context, cancel func(), in chan watch.Event[rest.Object], out <-chan watch.Event[rest.Object])) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				in := make(chan watch.Event[rest.Object])
				test(t, ctx, cancel, in, watch.Keep(ctx, in, watch.Types(watch.Added)))
			})
		})
	}
	run("values, then upstream closes", func(t *testing.T, _ context.Context, _ func(), in chan watch.Event[rest.Object], out <-chan watch.Event[rest.Object]) {
		go func() {
			defer close(in)
			for range 3 {
				in <- event
				in <- watch.Event[rest.Object]{Type: watch.Deleted}
			}
		}()
		n := 0
		for ev := range out {
			if n++; ev.Type != watch.Added {
				t.Errorf("got %s", ev)
			}
		}
		if n != 3 {
			t.Errorf("%d events, want three", n)
		}
	})
	run("empty", func(t *testing.T, _ context.Context, _ func(), in chan watch.Event[rest.Object], out <-chan watch.Event[rest.Object]) {
		close(in)
		expectClosed(t, out)
	})
	run("cancel while sending", func(t *testing.T, _ context.Context, cancel func(), in chan watch.Event[rest.Object], out <-chan watch.Event[rest.Object]) {
		in <- event
		synctest.Wait()
		cancel()
		synctest.Wait()
		expectClosed(t, out)
	})
	run("cancel while receiving", func(t *testing.T, _ context.Context, cancel func(), _ chan watch.Event[rest.Object], out <-chan watch.Event[rest.Object]) {
		synctest.Wait()
		cancel()
		expectClosed(t, out)
	})
}

// A watch uses two goroutines of this library: one reads the connection, and one decodes.
func TestGoroutines(t *testing.T) {
	overBoth(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		const n = 10
		for range n {
			expect(t, watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500}), "SYNCED")
		}
		time.Sleep(time.Second)
		buf := make([]byte, 1<<20)
		stacks := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
		ours := 0
		for _, stack := range stacks {
			created := stack[strings.LastIndex(stack, "created by ")+1:]
			if strings.Contains(created, "tideway/stream.") || strings.Contains(created, "tideway/watch.") || strings.Contains(created, "tideway/rest.") {
				ours++
			}
		}
		if ours != 2*n {
			t.Errorf("%d goroutines for %d watches, want two each", ours, n)
		}
	})
}
