package flight_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest/internal/flight"
)

var errGone = errors.New("gone")

// result has the results of one call of Do, and how long it took.
type result struct {
	Value string
	Err   error
	After time.Duration
}

// call calls Do in a goroutine of its own, inside a bubble.
func call(ctx context.Context, f *flight.Flight[string], work func(context.Context) (string, error)) <-chan result {
	out, start := make(chan result, 1), time.Now()
	go func() {
		v, err := f.Do(ctx, work)
		out <- result{v, err, time.Since(start)}
	}()
	synctest.Wait() // until the call waits
	return out
}

// expect compares a result. Errors must be identical.
func expect(t *testing.T, in <-chan result, want result) {
	t.Helper()
	if d := cmp.Diff(want, <-in, cmp.Comparer(errors.Is)); d != "" {
		t.Error(d)
	}
}

// lasts returns work that takes a second unless its context ends, and counts its runs.
func lasts(runs *atomic.Int32) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		n := runs.Add(1)
		select {
		case <-time.After(time.Second):
			return fmt.Sprint("run ", n), nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

func TestRunIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[string]
		var runs atomic.Int32
		first := call(t.Context(), &f, lasts(&runs))
		time.Sleep(time.Second / 4)
		second := call(t.Context(), &f, func(context.Context) (string, error) { panic("a second run") })
		expect(t, first, result{"run 1", nil, time.Second})
		expect(t, second, result{"run 1", nil, 3 * time.Second / 4})
		// Nothing is kept: the next caller starts a new run, and gets its own error.
		expect(t, call(t.Context(), &f, func(context.Context) (string, error) { return "x", errGone }), result{"x", errGone, 0})
		expect(t, call(t.Context(), &f, lasts(&runs)), result{"run 2", nil, time.Second})
	})
}

// If the caller that started the run leaves, the other one still gets the result.
func TestLeavingHarmsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[string]
		var runs atomic.Int32
		ctx, cancel := context.WithCancelCause(t.Context())
		first := call(ctx, &f, lasts(&runs))
		second := call(t.Context(), &f, lasts(&runs))
		cancel(errGone)
		expect(t, first, result{"", errGone, 0})
		expect(t, second, result{"run 1", nil, time.Second})
	})
}

// The last caller to leave ends the run with its own cause, and stays until the work has returned.
// A caller that arrives before that gets a new run.
func TestLastOneEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[string]
		var runs atomic.Int32
		var cause error
		slow := func(ctx context.Context) (string, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			time.Sleep(time.Minute) // the work takes a while to end
			return "late", nil
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		other, cancelOther := context.WithCancel(t.Context())
		first, second := call(ctx, &f, slow), call(other, &f, slow)
		cancelOther()
		expect(t, second, result{"", context.Canceled, 0})
		synctest.Wait()
		if cause != nil {
			t.Errorf("the run ended with %v while somebody waited", cause)
		}
		cancel(errGone)
		synctest.Wait()
		if !errors.Is(cause, errGone) {
			t.Errorf("the run ended with %v", cause)
		}
		third := call(t.Context(), &f, lasts(&runs))
		expect(t, third, result{"run 1", nil, time.Second})
		expect(t, first, result{"", errGone, time.Minute})
		expect(t, call(t.Context(), &f, lasts(&runs)), result{"run 2", nil, time.Second})
	})
}

type key struct{}

// The work sees the values of a context, but not its deadline.
func TestContextOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f flight.Flight[string]
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "value"), time.Second)
		defer cancel()
		var inner context.Context
		got, err := f.Do(ctx, func(ctx context.Context) (string, error) {
			inner = ctx
			if _, ok := ctx.Deadline(); ok {
				t.Error("the run has a deadline of its own")
			}
			return ctx.Value(key{}).(string), ctx.Err()
		})
		if got != "value" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		if inner.Err() == nil {
			t.Error("the context outlives the run")
		}
	})
}

// Callers that come and go at random, for the race detector: each gets the result or its own cause.
func TestMany(t *testing.T) {
	var f flight.Flight[int]
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if i%3 == 0 {
				go cancel(errGone)
			}
			v, err := f.Do(ctx, func(ctx context.Context) (int, error) { return 1, context.Cause(ctx) })
			if (v != 1 || err != nil) && (i%3 != 0 || !errors.Is(err, errGone)) {
				t.Errorf("got %d, %v", v, err)
			}
		})
	}
	wg.Wait()
}
