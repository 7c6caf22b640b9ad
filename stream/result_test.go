package stream_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/stream"
)

type result = stream.Result[int]

func TestAnswer(t *testing.T) {
	for _, want := range []result{{Value: 7}, {Err: errRefused}} {
		out := stream.Answer(want.Value, want.Err)
		if got := <-out; got != want {
			t.Errorf("received %v; want %v", got, want)
		}
		if got, ok := <-out; ok {
			t.Errorf("received %v after the answer; want a closed channel", got)
		}
	}
}

func TestGoDeliversOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := stream.Go(t.Context(), func(context.Context) (int, error) {
			<-time.After(time.Hour)
			return 7, nil
		})
		wantOpen(t, out)
		if got, want := <-out, (result{Value: 7}); got != want {
			t.Errorf("received %v; want %v", got, want)
		}
		wantClosed(t, out)
	})
}

func TestGoNeedsNoReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream.Go(t.Context(), func(context.Context) (int, error) { return 7, nil })
		// The bubble fails the test if a goroutine is left.
	})
}

func TestGoCancelled(t *testing.T) {
	tests := map[string]struct {
		f     func(ctx context.Context) error
		text  string
		extra error
	}{
		"error of the context": {
			f:    func(ctx context.Context) error { return ctx.Err() },
			text: "context canceled: shutting down",
		},
		"cause": {
			f:    func(ctx context.Context) error { return fmt.Errorf("get: %w", context.Cause(ctx)) },
			text: "get: shutting down",
		},
		"both": {
			f: func(ctx context.Context) error {
				return fmt.Errorf("get: %w (%w)", context.Cause(ctx), ctx.Err())
			},
			text: "get: shutting down (context canceled)",
		},
		"an effect of the cancelling": {
			f:     func(context.Context) error { return errRefused },
			text:  "refused: shutting down",
			extra: errRefused,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				out := stream.Go(ctx, func(ctx context.Context) (int, error) {
					<-ctx.Done()
					return 0, tt.f(ctx)
				})
				synctest.Wait()
				cancel(errShutdown)
				_, err := stream.Await(out)
				if err == nil || err.Error() != tt.text {
					t.Errorf("error is %q; want %q", err, tt.text)
				}
				for _, want := range []error{context.Canceled, errShutdown, tt.extra} {
					if want != nil && !errors.Is(err, want) {
						t.Errorf("%q does not match %q", err, want)
					}
				}
				wantClosed(t, out)
			})
		})
	}
}

// The result of f is delivered even if the context is done, and an error is left alone while the
// context is alive.
func TestGoDeliversTheResultOfF(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	v, err := stream.Await(stream.Go(ctx, func(context.Context) (int, error) {
		cancel()
		return 7, nil
	}))
	if v != 7 || err != nil {
		t.Errorf("received %v, %v; want 7, nil", v, err)
	}
	_, err = stream.Await(stream.Go(t.Context(), func(context.Context) (int, error) { return 0, errRefused }))
	if !errors.Is(err, errRefused) || errors.Is(err, context.Canceled) || err.Error() != "refused" {
		t.Errorf("error is %v; want %v", err, errRefused)
	}
}

func TestAwait(t *testing.T) {
	if v, err := stream.Await(stream.Answer(7, nil)); v != 7 || err != nil {
		t.Errorf("received %v, %v; want 7, nil", v, err)
	}
	if _, err := stream.Await(stream.Answer(0, errRefused)); !errors.Is(err, errRefused) {
		t.Errorf("error is %v; want %v", err, errRefused)
	}
	empty := make(chan result)
	close(empty)
	if _, err := stream.Await(empty); !errors.Is(err, stream.ErrNoResult) {
		t.Errorf("error is %v; want %v", err, stream.ErrNoResult)
	}
	// Any channel of results works: the rest is left unread.
	many := make(chan result, 2)
	many <- result{Value: 1}
	many <- result{Value: 2}
	if v, err := stream.Await(many); v != 1 || err != nil {
		t.Errorf("received %v, %v; want 1, nil", v, err)
	}
}

// ending is the way in which a stream of results ends in the tests of Collect and Range.
type ending struct {
	end  func(ctx context.Context, cancel context.CancelCauseFunc, send func(result) bool)
	want []int
	err  error
}

var endings = map[string]ending{
	"complete": {
		end:  func(context.Context, context.CancelCauseFunc, func(result) bool) {},
		want: []int{1, 2},
	},
	"error": {
		end: func(_ context.Context, _ context.CancelCauseFunc, send func(result) bool) {
			send(result{Err: errRefused})
			send(result{Value: 3}) // nobody looks at it
		},
		want: []int{1, 2},
		err:  errRefused,
	},
	"cancelled, and never closed by itself": {
		end: func(ctx context.Context, cancel context.CancelCauseFunc, _ func(result) bool) {
			cancel(errShutdown)
			<-ctx.Done()
		},
		want: []int{1, 2},
		err:  errShutdown,
	},
	"cancelled, and closed because of that": {
		end: func(_ context.Context, cancel context.CancelCauseFunc, _ func(result) bool) {
			cancel(errShutdown)
		},
		want: []int{1, 2},
		err:  errShutdown,
	},
}

// open starts a stream of 1, 2 and then the ending.
func (e ending) open(ctx context.Context, cancel context.CancelCauseFunc) <-chan result {
	return stream.Generate(ctx, func(ctx context.Context, send func(result) bool) {
		if send(result{Value: 1}) && send(result{Value: 2}) {
			synctest.Wait() // both have been taken
			e.end(ctx, cancel, send)
		}
	})
}

func TestCollect(t *testing.T) {
	for name, e := range endings {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				want := e.want
				if e.err != nil {
					want = nil
				}
				got, err := stream.Collect(ctx, e.open(ctx, cancel))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error("values (-want +got):\n" + diff)
				}
				if !errors.Is(err, e.err) {
					t.Errorf("error is %v; want %v", err, e.err)
				}
			})
		})
	}
}

// A complete stream that has been buffered does not count as complete if the context is done.
func TestCollectPrefersTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errShutdown)
	in := make(chan result, 1)
	in <- result{Value: 1}
	close(in)
	if got, err := stream.Collect(ctx, in); got != nil || !errors.Is(err, errShutdown) {
		t.Errorf("collected %v, %v; want nil, %v", got, err, errShutdown)
	}
	if got, err := stream.Collect(t.Context(), in); len(got) != 1 || err != nil {
		t.Errorf("collected %v, %v; want one value that was left unread", got, err)
	}
}

func TestRange(t *testing.T) {
	for name, e := range endings {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				var got []int
				var errs []error
				for v, err := range stream.Range(ctx, e.open, cancel) {
					if err != nil {
						errs = append(errs, err)
						continue
					}
					got = append(got, v)
				}
				if diff := cmp.Diff(e.want, got); diff != "" {
					t.Error("values (-want +got):\n" + diff)
				}
				if e.err == nil && len(errs) > 0 || e.err != nil && (len(errs) != 1 || !errors.Is(errs[0], e.err)) {
					t.Errorf("errors are %v; want %v once", errs, e.err)
				}
			})
		})
	}
}

func TestRangeCancelsWhenLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened, ended := 0, 0
		loop := stream.Range(t.Context(), func(ctx context.Context, from int) <-chan result {
			opened++
			return stream.Generate(ctx, func(_ context.Context, send func(result) bool) {
				for n := from; send(result{Value: n}); n++ {
				}
				ended++
			})
		}, 1)
		for round := range 3 { // it can be ranged over again
			for v, err := range loop {
				if err != nil {
					t.Fatal(err)
				}
				if v == 2 {
					break
				}
			}
			synctest.Wait()
			if opened != round+1 || ended != round+1 {
				t.Errorf("after loop %d: opened %d times, ended %d times", round+1, opened, ended)
			}
		}
	})
}
