package stream_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tideway-go/tideway/stream"
)

// plain is the default backoff with exact delays.
var plain = stream.Backoff{Jitter: -1}

// message is what the streams of these tests carry: a value of an attempt or a report of Retry.
type message struct {
	Value  string
	Report *stream.Retrying
}

func report(r stream.Retrying) message { return message{Report: &r} }

// script returns an attempt that returns the errors one after the other, and stops after the last.
func script(errs ...error) func(context.Context, *stream.Attempt[message]) error {
	return func(context.Context, *stream.Attempt[message]) error {
		if len(errs) == 0 {
			return stream.ErrStop
		}
		err := errs[0]
		errs = errs[1:]
		return err
	}
}

// reports reads until the channel is closed, and keeps the reports.
func reports(in <-chan message) []stream.Retrying {
	var got []stream.Retrying
	for m := range in {
		if m.Report != nil {
			got = append(got, *m.Report)
		}
	}
	return got
}

func diffReports(want, got []stream.Retrying) string {
	return cmp.Diff(want, got, cmpopts.EquateErrors())
}

func TestRetryRefusedThreeTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := reports(stream.Retry(t.Context(), plain, script(errRefused, errRefused, errRefused), report))
		want := []stream.Retrying{
			{Attempt: 1, Delay: 1 * time.Second, Retries: 0, Err: errRefused},
			{Attempt: 2, Delay: 2 * time.Second, Retries: 1, Err: errRefused},
			{Attempt: 3, Delay: 4 * time.Second, Retries: 2, Err: errRefused},
		}
		if diff := diffReports(want, got); diff != "" {
			t.Error("reports (-want +got):\n" + diff)
		}
	})
}

// The delay that is waited is the delay that was announced, counted from the moment the report is
// received.
func TestRetryWaitsWhatItAnnounces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		starts := make(chan time.Time, 1)
		out := stream.Retry(ctx, stream.Backoff{}, func(context.Context, *stream.Attempt[message]) error {
			starts <- time.Now()
			return errRefused
		}, report)
		<-starts
		full := time.Second
		for n := range 12 {
			<-time.After(time.Duration(n) * time.Hour) // a slow reader
			d := (<-out).Report.Delay
			received := time.Now()
			if d > full || d < full*8/10 || d%time.Millisecond != 0 {
				t.Errorf("delay %d is %v; want %v less at most a fifth, in whole milliseconds", n+1, d, full)
			}
			<-time.After(d - 1)
			wantOpen(t, starts)
			if waited := (<-starts).Sub(received); waited != d {
				t.Errorf("delay %d was announced as %v, and %v was waited", n+1, d, waited)
			}
			full = min(2*full, 30*time.Second)
		}
	})
}

type busyError struct{ after time.Duration }

func (e *busyError) Error() string { return "busy" }

func (e *busyError) RetryAfter() time.Duration { return e.after }

func TestRetryAfter(t *testing.T) {
	defaults := stream.Backoff{} // with jitter, which must not change the requested delay
	tests := map[string]struct {
		backoff stream.Backoff
		asked   time.Duration
		want    time.Duration
	}{
		"shorter":                    {plain, 999 * time.Millisecond, time.Second},
		"none":                       {plain, 0, time.Second},
		"negative":                   {plain, -time.Hour, time.Second},
		"longer":                     {defaults, 1500 * time.Millisecond, 1500 * time.Millisecond},
		"not in milliseconds":        {defaults, 7*time.Second + 1, 7001 * time.Millisecond},
		"past the maximum":           {defaults, 45 * time.Second, 45 * time.Second},
		"five minutes":               {defaults, 5 * time.Minute, 5 * time.Minute},
		"longer than five minutes":   {defaults, 5*time.Minute + 1, stream.MaxRetryAfter},
		"without a delay of its own": {stream.Backoff{Initial: -1}, 2 * time.Second, 2 * time.Second},
		"own delay over five minutes": {
			stream.Backoff{Initial: 10 * time.Minute, Max: time.Hour, Jitter: -1}, 20 * time.Minute, 10 * time.Minute,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := fmt.Errorf("get: %w", &busyError{tt.asked})
				out := stream.Retry(t.Context(), tt.backoff, script(err), report)
				if m := <-out; m.Report.Delay != tt.want {
					t.Errorf("delay is %v; want %v", m.Report.Delay, tt.want)
				}
				start := time.Now()
				<-out
				if waited := time.Since(start); waited != tt.want {
					t.Errorf("waited %v; want %v", waited, tt.want)
				}
			})
		})
	}
}

func TestRetryLimit(t *testing.T) {
	tests := map[string]struct {
		retries int
		want    []stream.Retrying
	}{
		"three": {3, []stream.Retrying{
			{Attempt: 1, Delay: 1 * time.Second, Retries: 0, Err: errRefused},
			{Attempt: 2, Delay: 2 * time.Second, Retries: 1, Err: errRefused},
			{Attempt: 3, Delay: 4 * time.Second, Retries: 2, Err: errRefused},
			{Attempt: 4, GaveUp: true, Retries: 3, Err: errRefused},
		}},
		"none": {stream.NoRetries, []stream.Retrying{
			{Attempt: 1, GaveUp: true, Retries: 0, Err: errRefused},
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				attempt := func(context.Context, *stream.Attempt[message]) error {
					attempts++
					return errRefused
				}
				b := stream.Backoff{Jitter: -1, MaxRetries: tt.retries}
				if diff := diffReports(tt.want, reports(stream.Retry(t.Context(), b, attempt, report))); diff != "" {
					t.Error("reports (-want +got):\n" + diff)
				}
				if attempts != len(tt.want) {
					t.Errorf("%d attempts; want %d", attempts, len(tt.want))
				}

				attempts = 0
				if got := all(stream.Retry(t.Context(), b, attempt, nil)); len(got) > 0 {
					t.Errorf("received %v without a report function", got)
				}
				if attempts != len(tt.want) {
					t.Errorf("%d attempts without a report function; want %d", attempts, len(tt.want))
				}
			})
		})
	}
}

func TestRetryWithoutLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		attempt := func(context.Context, *stream.Attempt[message]) error { return errRefused }
		out := stream.Retry(ctx, plain, attempt, report)
		for n := range 10_000 {
			if m := <-out; m.Report.Attempt != n+1 || m.Report.GaveUp {
				t.Fatalf("report %d is %+v", n+1, m.Report)
			}
		}
	})
}

func TestRetryStartsOver(t *testing.T) {
	ok := errors.New("refused after it had got through")
	for name, reset := range map[string]error{"after OK": ok, "after a clean end": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				play := script(errRefused, errRefused, reset, errRefused, errRefused)
				attempt := func(ctx context.Context, a *stream.Attempt[message]) error {
					err := play(ctx, a)
					if errors.Is(err, ok) {
						a.OK()
						a.OK()
					}
					return err
				}
				want := []stream.Retrying{
					{Attempt: 1, Delay: 1 * time.Second, Err: errRefused},
					{Attempt: 2, Delay: 2 * time.Second, Err: errRefused, Retries: 1},
				}
				if reset != nil {
					want = append(want,
						stream.Retrying{Attempt: 1, Delay: 1 * time.Second, Err: ok},
						stream.Retrying{Attempt: 2, Delay: 2 * time.Second, Err: errRefused, Retries: 1},
						stream.Retrying{Attempt: 3, GaveUp: true, Err: errRefused, Retries: 2})
				} else {
					want = append(want, want...)
				}
				b := stream.Backoff{Jitter: -1, MaxRetries: 2}
				if diff := diffReports(want, reports(stream.Retry(t.Context(), b, attempt, report))); diff != "" {
					t.Error("reports (-want +got):\n" + diff)
				}
			})
		})
	}
}

// After a clean end the next attempt starts at once, and the values of all attempts form one
// stream.
func TestRetryCleanEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		start := time.Now()
		n := 0
		out := stream.Retry(ctx, plain, func(_ context.Context, a *stream.Attempt[message]) error {
			for range 2 {
				n++
				a.Send(message{Value: strconv.Itoa(n)})
			}
			if n == 6 {
				cancel()
			}
			return nil
		}, report)
		want := []message{{Value: "1"}, {Value: "2"}, {Value: "3"}, {Value: "4"}, {Value: "5"}, {Value: "6"}}
		if diff := cmp.Diff(want, all(out)); diff != "" {
			t.Error("values (-want +got):\n" + diff)
		}
		if waited := time.Since(start); waited > 0 {
			t.Errorf("waited %v; want nothing", waited)
		}
	})
}

func TestRetryStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := fmt.Errorf("no such thing: %w", errors.Join(&busyError{time.Second}, stream.ErrStop))
		start := time.Now()
		got := reports(stream.Retry(t.Context(), plain, script(errRefused, stop, errRefused), report))
		want := []stream.Retrying{{Attempt: 1, Delay: time.Second, Err: errRefused}}
		if diff := diffReports(want, got); diff != "" {
			t.Error("reports (-want +got):\n" + diff)
		}
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("ended after %v; want 1s", waited)
		}
	})
}

func TestRetryCancelledDuringAttempt(t *testing.T) {
	for name, returned := range map[string]error{"failed": context.Canceled, "clean": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				attempts := 0
				out := stream.Retry(ctx, plain, func(ctx context.Context, a *stream.Attempt[message]) error {
					attempts++
					<-ctx.Done()
					if a.Send(message{}) {
						t.Error("Send is true after the context was done")
					}
					return returned
				}, func(r stream.Retrying) message {
					t.Errorf("asked for a report of %v", r)
					return message{}
				})
				wantOpen(t, out)
				cancel()
				if got := all(out); len(got) > 0 {
					t.Errorf("received %v after the context was done", got)
				}
				if attempts != 1 {
					t.Errorf("%d attempts; want 1", attempts)
				}
			})
		})
	}
}

func TestRetryCancelledDuringWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		out := stream.Retry(ctx, plain, script(&busyError{time.Hour}, errRefused), report)
		<-out
		<-time.After(time.Minute)
		wantOpen(t, out)
		cancel()
		wantClosed(t, out)
	})
}

func TestRetryCancelledWhileReportIsUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		attempts := 0
		out := stream.Retry(ctx, plain, func(context.Context, *stream.Attempt[message]) error {
			attempts++
			return errRefused
		}, report)
		<-time.After(time.Hour)
		synctest.Wait()
		if attempts != 1 {
			t.Errorf("%d attempts while the first report was unread; want 1", attempts)
		}
		cancel()
		wantClosed(t, out)
	})
}

func TestRetryAttemptUsedTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept *stream.Attempt[message]
		for range stream.Retry(t.Context(), plain, func(_ context.Context, a *stream.Attempt[message]) error {
			kept = a
			return stream.ErrStop
		}, report) {
			t.Error("received a value from an attempt that sent none")
		}
		wantPanic(t, "stream: Attempt used after the attempt returned", func() { kept.Send(message{}) })
		wantPanic(t, "stream: Attempt used after the attempt returned", kept.OK)
	})
}
