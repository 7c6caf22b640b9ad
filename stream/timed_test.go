package stream_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/stream"
)

// reading is a value that arrives, or is read, at a time.
type reading struct {
	at    time.Duration
	value string
}

// schedule sends values at their times, and closes the channel at the end.
func schedule(ctx context.Context, values []reading, end time.Duration) <-chan string {
	return stream.Generate(ctx, func(_ context.Context, send func(string) bool) {
		began := time.Now()
		for _, v := range append(values, reading{end, ""}) {
			if pause := v.at - time.Since(began); pause > 0 {
				time.Sleep(pause)
			}
			if v.value != "" && !send(v.value) {
				return
			}
		}
	})
}

// read reads everything, and sleeps after each value.
func read(in <-chan string, pause time.Duration) (got []reading) {
	began := time.Now()
	for v := range in {
		got = append(got, reading{time.Since(began), v})
		time.Sleep(pause)
	}
	return got
}

// key is the first letter of a value.
func key(v string) byte { return v[0] }

func TestDebounceAndThrottle(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	values := []reading{
		{0, "a1"}, {100 * ms, "b1"}, {1 * s, "a2"}, {2 * s, "a3"}, {6500 * ms, "b2"}, {7 * s, "a4"}, {20 * s, "a5"}, {20100 * ms, "a6"},
	}
	by := func(f func(context.Context, <-chan string, time.Duration, func(string) byte) <-chan string) func(context.Context, <-chan string, time.Duration) <-chan string {
		return func(ctx context.Context, in <-chan string, d time.Duration) <-chan string { return f(ctx, in, d, key) }
	}
	for name, c := range map[string]struct {
		stage func(context.Context, <-chan string, time.Duration) <-chan string
		end   time.Duration
		pause time.Duration
		want  []reading
	}{
		"debounce":             {stream.Debounce[string], 40 * s, 0, []reading{{5 * s, "a3"}, {10 * s, "a4"}, {23100 * ms, "a6"}}},
		"debounce, an end":     {stream.Debounce[string], 21 * s, 0, []reading{{5 * s, "a3"}, {10 * s, "a4"}, {21 * s, "a6"}}},
		"debounce, no silence": {stream.Debounce[string], 3 * s, 0, []reading{{3 * s, "a3"}}},
		"debounce by key":      {by(stream.DebounceBy[byte, string]), 40 * s, 0, []reading{{3100 * ms, "b1"}, {5 * s, "a3"}, {9500 * ms, "b2"}, {10 * s, "a4"}, {23100 * ms, "a6"}}},
		"debounce, slow":       {by(stream.DebounceBy[byte, string]), 40 * s, 30 * s, []reading{{3100 * ms, "b1"}, {33100 * ms, "a6"}, {63100 * ms, "b2"}}},
		"debounce, replaced":   {by(stream.DebounceBy[byte, string]), 40 * s, 5 * s, []reading{{3100 * ms, "b1"}, {8100 * ms, "a4"}, {13100 * ms, "b2"}, {23100 * ms, "a6"}}},
		"throttle":             {stream.Throttle[string], 40 * s, 0, []reading{{0, "a1"}, {3 * s, "a3"}, {6500 * ms, "b2"}, {9500 * ms, "a4"}, {20 * s, "a5"}, {23 * s, "a6"}}},
		"throttle, an end":     {stream.Throttle[string], 21 * s, 0, []reading{{0, "a1"}, {3 * s, "a3"}, {6500 * ms, "b2"}, {9500 * ms, "a4"}, {20 * s, "a5"}, {21 * s, "a6"}}},
		"throttle by key":      {by(stream.ThrottleBy[byte, string]), 40 * s, 0, []reading{{0, "a1"}, {100 * ms, "b1"}, {3 * s, "a3"}, {6500 * ms, "b2"}, {7 * s, "a4"}, {20 * s, "a5"}, {23 * s, "a6"}}},
		"throttle, slow":       {by(stream.ThrottleBy[byte, string]), 40 * s, 30 * s, []reading{{0, "a1"}, {30 * s, "b2"}, {60 * s, "a6"}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var feed []reading
				for _, v := range values {
					if v.at <= c.end {
						feed = append(feed, v)
					}
				}
				got := read(c.stage(t.Context(), schedule(t.Context(), feed, c.end), 3*s), c.pause)
				if d := cmp.Diff(c.want, got, cmp.AllowUnexported(reading{})); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			})
		})
	}
}

// Whatever comes when, the last value of each key arrives, values of a key do not go back, and the
// distances hold.
func TestDelaysAtRandom(t *testing.T) {
	const wait = 50 * time.Millisecond
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		values := make([]reading, 60)
		at := time.Duration(0)
		for i := range values {
			at += time.Duration(random.IntN(20)) * time.Millisecond
			values[i] = reading{at, fmt.Sprintf("%c%03d", 'a'+random.IntN(4), i)}
		}
		pause := time.Duration(random.IntN(3)*10) * time.Millisecond
		for name, stage := range map[string]func(context.Context, <-chan string, time.Duration, func(string) byte) <-chan string{
			"debounce": stream.DebounceBy[byte, string], "throttle": stream.ThrottleBy[byte, string],
		} {
			synctest.Test(t, func(t *testing.T) {
				end := at + time.Duration(random.IntN(100))*time.Millisecond
				got := read(stage(t.Context(), schedule(t.Context(), values, end), wait, key), pause)
				if fault := faultOf(name, wait, pause, end, values, got); fault != "" {
					t.Errorf("%s, seed %d: %s", name, seed, fault)
				}
			})
		}
	}
}

// faultOf says what is wrong with what was read of the values; "" if nothing is.
func faultOf(stage string, wait, pause, end time.Duration, values, got []reading) string {
	newest := map[byte]reading{}
	for _, r := range got {
		before, was := newest[key(r.value)]
		tooSoon := slices.ContainsFunc(values, func(v reading) bool {
			return key(v.value) == key(r.value) && v.at > r.at-wait && v.at < r.at
		})
		switch {
		case was && before.value >= r.value:
			return fmt.Sprintf("%v after %v", r, before)
		case r.at >= end:
		case stage == "throttle" && was && r.at-before.at < wait:
			return fmt.Sprintf("%v is too soon after %v", r, before)
		case stage == "debounce" && pause == 0 && tooSoon:
			return fmt.Sprintf("%v came before it was quiet", r)
		}
		newest[key(r.value)] = r
	}
	return lost(values, newest)
}

// lost says which last value of a key has not been read; "" if all have.
func lost(values []reading, newest map[byte]reading) string {
	last := map[byte]string{}
	for _, v := range values {
		last[key(v.value)] = v.value
	}
	for k, want := range last {
		if newest[k].value != want {
			return fmt.Sprintf("the last value of %c is %v, want %s", k, newest[k], want)
		}
	}
	return ""
}
