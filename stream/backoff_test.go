package stream_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/stream"
)

func TestBackoffCheck(t *testing.T) {
	tests := []struct {
		backoff stream.Backoff
		want    string
	}{
		{stream.Backoff{}, ""},
		{stream.Backoff{Initial: -1, Jitter: -1, MaxRetries: stream.NoRetries}, ""},
		{stream.Backoff{Initial: -1, Max: time.Nanosecond}, ""},
		{stream.Backoff{Initial: time.Minute, Max: time.Minute, Jitter: 1, MaxRetries: 1}, ""},
		{stream.Backoff{Initial: math.MaxInt64, Max: math.MaxInt64, MaxRetries: math.MaxInt}, ""},
		{
			stream.Backoff{Initial: -2},
			"backoff: Initial is -2ns: want a positive delay, 0 for 1s, or -1 for none",
		},
		{
			stream.Backoff{Max: -1},
			"backoff: Max is -1ns: want a delay of at least Initial (1s), or 0 for 30s",
		},
		{
			stream.Backoff{Initial: -1, Max: -time.Second},
			"backoff: Max is -1s: want a delay of at least Initial (0s), or 0 for 30s",
		},
		{stream.Backoff{Max: 999 * time.Millisecond}, "backoff: Max is 999ms: want at least Initial (1s)"},
		{stream.Backoff{Initial: time.Minute}, "backoff: Max is 30s: want at least Initial (1m0s)"},
		{stream.Backoff{Jitter: 1.01}, "backoff: Jitter is 1.01: want a fraction up to 1, 0 for 0.2, or -1 for none"},
		{stream.Backoff{Jitter: -0.5}, "backoff: Jitter is -0.5: want a fraction up to 1, 0 for 0.2, or -1 for none"},
		{stream.Backoff{Jitter: -2}, "backoff: Jitter is -2: want a fraction up to 1, 0 for 0.2, or -1 for none"},
		{stream.Backoff{Jitter: math.NaN()}, "backoff: Jitter is NaN: want a fraction up to 1, 0 for 0.2, or -1 for none"},
		{stream.Backoff{Jitter: math.Inf(1)}, "backoff: Jitter is +Inf: want a fraction up to 1, 0 for 0.2, or -1 for none"},
		{stream.Backoff{Jitter: math.Inf(-1)}, "backoff: Jitter is -Inf: want a fraction up to 1, 0 for 0.2, or -1 for none"},
		{
			stream.Backoff{MaxRetries: -2},
			"backoff: MaxRetries is -2: want a positive number, 0 for no limit, or -1 for none",
		},
	}
	for _, tt := range tests {
		got := ""
		if err := tt.backoff.Check(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v\n got %q\nwant %q", tt.backoff, got, tt.want)
		}
	}
}

func TestBackoffDelayWithoutJitter(t *testing.T) {
	const (
		s    = time.Second
		ms   = time.Millisecond
		ever = time.Duration(math.MaxInt64)
	)
	type delays = []time.Duration
	tests := map[string]struct {
		backoff stream.Backoff
		want    delays
	}{
		"default":              {stream.Backoff{}, delays{s, 2 * s, 4 * s, 8 * s, 16 * s, 30 * s, 30 * s, 30 * s}},
		"none":                 {stream.Backoff{Initial: -1}, delays{0, 0, 0}},
		"cap at a double":      {stream.Backoff{Max: 4 * s}, delays{s, 2 * s, 4 * s, 4 * s}},
		"cap at the first":     {stream.Backoff{Initial: 3 * s, Max: 3 * s}, delays{3 * s, 3 * s}},
		"odd cap":              {stream.Backoff{Max: 3*s - 1}, delays{s, 2 * s, 2999 * ms}},
		"under a millisecond":  {stream.Backoff{Initial: ms * 3 / 5}, delays{ms * 3 / 5, ms, 2 * ms}},
		"near the end of time": {stream.Backoff{Initial: ever - 1, Max: ever}, delays{ever.Truncate(ms), ever.Truncate(ms)}},
	}
	for name, tt := range tests {
		tt.backoff.Jitter = -1
		got := make(delays, len(tt.want))
		for n := range got {
			got[n] = tt.backoff.Delay(n + 1)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: delays (-want +got):\n%s", name, diff)
		}
	}
	if got := (stream.Backoff{Jitter: -1}).Delay(math.MaxInt); got != 30*s {
		t.Errorf("delay after failures without number is %v; want 30s", got)
	}
	if got := (stream.Backoff{Initial: -1}).Delay(math.MaxInt); got != 0 {
		t.Errorf("no delay is %v after failures without number", got)
	}
}

func TestBackoffDelayUsesItsJitter(t *testing.T) {
	shortest, longest := time.Hour, time.Duration(0)
	for range 2000 {
		d := stream.Backoff{}.Delay(3)
		shortest, longest = min(shortest, d), max(longest, d)
	}
	if shortest < 3200*time.Millisecond || shortest > 3250*time.Millisecond {
		t.Errorf("shortest of many delays is %v; want 3.2s or little more", shortest)
	}
	if longest > 4*time.Second || longest < 3950*time.Millisecond {
		t.Errorf("longest of many delays is %v; want 4s or little less", longest)
	}
}

// Any backoff: a delay is a whole number of milliseconds between the shortened and the full power
// of two.
func TestBackoffDelayOfRandomBackoffs(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	duration := func() time.Duration { return 1 + time.Duration(random.Int64()>>random.IntN(63)) }
	for range 5000 {
		a, b := duration(), duration()
		backoff := stream.Backoff{Initial: min(a, b), Max: max(a, b), Jitter: 1 - random.Float64()}
		if random.IntN(10) == 0 {
			backoff.Jitter = 1
		}
		if err := backoff.Check(); err != nil {
			t.Fatal(err)
		}
		for _, failures := range []int{1, 2, 3, 1 + random.IntN(70), 1 + random.Int()} {
			full := min(math.Ldexp(float64(backoff.Initial), failures-1), float64(backoff.Max))
			got := backoff.Delay(failures)
			// float64 is exact to 2^-52; a millisecond is lost by rounding down.
			low := full*(1-backoff.Jitter) - 1e-12*full - float64(time.Millisecond)
			high := full + 1e-12*full
			if float64(got) < low || float64(got) > high || got < 0 || got > backoff.Max {
				t.Fatalf("seed %d: %+v: delay %d is %v; want %v to %v",
					seed, backoff, failures, got, time.Duration(low), time.Duration(high))
			}
			if got >= time.Millisecond && got%time.Millisecond != 0 {
				t.Fatalf("seed %d: %+v: delay %d is %v; want whole milliseconds", seed, backoff, failures, got)
			}
		}
	}
}
