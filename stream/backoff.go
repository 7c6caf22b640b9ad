package stream

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// NoRetries as the value of [Backoff.MaxRetries] gives up at the first failure.
const NoRetries = -1

// MaxRetryAfter is the longest delay that an error can request with its RetryAfter method.
const MaxRetryAfter = 5 * time.Minute

// Backoff says how long to wait after a failure, and how many times to try again.
//
// The zero value is ready to use. The delay starts at Initial and doubles with each further failure
// in a row, up to Max; then it is shortened at random by up to the fraction Jitter.
type Backoff struct {
	Initial    time.Duration // the delay after the first failure; 0 means 1 s, -1 means no delay after any failure
	Max        time.Duration // the longest delay; 0 means 30 s
	Jitter     float64       // the fraction, up to 1, by which a delay may be shortened; 0 means 0.2, -1 means none
	MaxRetries int           // how many failures in a row are retried; 0 means no limit, NoRetries (-1) means none
}

// Check returns an error that names the first field with a bad value and the values it allows.
func (b Backoff) Check() error {
	d := b.withDefaults()
	switch {
	case b.Initial < -1:
		return fmt.Errorf("backoff: Initial is %v: want a positive delay, 0 for 1s, or -1 for none", b.Initial)
	case b.Max < 0:
		return fmt.Errorf("backoff: Max is %v: want a delay of at least Initial (%v), or 0 for 30s", b.Max, d.Initial)
	case d.Max < d.Initial:
		return fmt.Errorf("backoff: Max is %v: want at least Initial (%v)", d.Max, d.Initial)
	case math.IsNaN(b.Jitter) || d.Jitter < 0 || d.Jitter > 1:
		return fmt.Errorf("backoff: Jitter is %v: want a fraction up to 1, 0 for 0.2, or -1 for none", b.Jitter)
	case b.MaxRetries < NoRetries:
		return fmt.Errorf("backoff: MaxRetries is %d: want a positive number, 0 for no limit, or -1 for none", b.MaxRetries)
	}
	return nil
}

// Delay returns the delay after the given number of failures in a row; 1 is the first failure.
//
// It is a whole number of milliseconds, unless it is shorter than one. Because of the jitter each
// call returns a different delay: announce the one that you wait for. Delay does not consider
// MaxRetries.
func (b Backoff) Delay(failures int) time.Duration {
	b = b.withDefaults()
	d := b.Initial
	for i := 1; i < failures && 0 < d && d < b.Max; i++ {
		if d > b.Max/2 {
			d = b.Max // doubling might overflow
		} else {
			d *= 2
		}
	}
	d -= min(d, time.Duration(b.Jitter*rand.Float64()*float64(d))) // float64 rounds a delay of months
	if d < time.Millisecond {
		return d
	}
	return d.Truncate(time.Millisecond)
}

// after returns the delay after that many failures, the last of which is err.
//
// If err has a RetryAfter that asks for a longer delay, that counts.
func (b Backoff) after(failures int, err error) time.Duration {
	d := b.Delay(failures)
	type busyError interface {
		error
		RetryAfter() time.Duration
	}
	if busy, ok := errors.AsType[busyError](err); ok {
		asked := (busy.RetryAfter() + time.Millisecond - 1).Truncate(time.Millisecond) // never sooner than requested
		d = max(d, min(asked, MaxRetryAfter))
	}
	return d
}

// withDefaults replaces 0 by the default, and -1 by the zero it stands for.
func (b Backoff) withDefaults() Backoff {
	b.Initial = orDefault(b.Initial, time.Second)
	b.Jitter = orDefault(b.Jitter, 0.2)
	b.MaxRetries = orDefault(b.MaxRetries, math.MaxInt)
	if b.Max == 0 {
		b.Max = 30 * time.Second
	}
	return b
}

// orDefault returns the default for 0, and 0 for -1.
func orDefault[N int | float64 | time.Duration](n, def N) N {
	switch n {
	case 0:
		return def
	case -1:
		return 0
	}
	return n
}
