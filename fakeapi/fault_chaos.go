package fakeapi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"time"
)

// ChaosOptions say how much goes wrong with [Chaos]. Each share is a fraction of the requests
// concerned, from 0 to 1: zero is the default, -1 is none.
type ChaosOptions struct {
	// Refuse is the share that is refused with 429, 500 or 503, with or without a Retry-After of a
	// second. Default: 0.1.
	Refuse float64

	// Cut is the share whose connection is reset: before the answer, in the middle of it, or, for a
	// watch, after some time. Default: 0.1.
	Cut float64

	// End is the share of watches that end early and cleanly. Default: 0.3.
	End float64

	// Expire is the share that finds all history forgotten. Default: 0.05.
	Expire float64

	// Delay is the share that is answered late. Default: 0.1.
	Delay float64

	// MaxDelay is the longest delay of an answer. Default: a second.
	MaxDelay time.Duration

	// WatchFor is the longest life of a watch that is cut or ended. Default: 30 seconds.
	WatchFor time.Duration
}

// withDefaults returns a copy with the defaults filled in.
func (o ChaosOptions) withDefaults() ChaosOptions {
	for share, d := range map[*float64]float64{&o.Refuse: 0.1, &o.Cut: 0.1, &o.End: 0.3, &o.Expire: 0.05, &o.Delay: 0.1} {
		if *share == 0 {
			*share = d
		}
	}
	if o.MaxDelay <= 0 {
		o.MaxDelay = time.Second
	}
	if o.WatchFor <= 0 {
		o.WatchFor = 30 * time.Second
	}
	return o
}

// Chaos makes things go wrong at random. The same seed, with the same requests in the same order,
// always makes the same things go wrong. It goes on until [Server.ClearFaults]; the methods that
// choose requests narrow it down.
func Chaos(seed uint64, o ChaosOptions) Fault {
	wrong := o.wrong()
	o = o.withDefaults()
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // not for secrets
	f := Fault{name: "Chaos", draw: func(p *plan, q *query) effect { return o.draw(random, p, q) }, wrong: wrong}
	return f.Always()
}

// wrong says which share cannot be.
func (o *ChaosOptions) wrong() string {
	for _, share := range []float64{o.Refuse, o.Cut, o.End, o.Expire, o.Delay} {
		if share != -1 && (math.IsNaN(share) || share < 0 || share > 1) {
			return fmt.Sprintf("Chaos: a share is a fraction from 0 to 1, or -1 for none, and not %v", share)
		}
	}
	if max(o.Refuse, 0)+max(o.Cut, 0)+max(o.End, 0) > 1 {
		return "Chaos: Refuse, Cut and End are more than all requests together"
	}
	return ""
}

// draw adds what goes wrong with one request to a plan, and returns what that is.
func (o *ChaosOptions) draw(random *rand.Rand, p *plan, q *query) (effects effect) {
	if random.Float64() < o.Delay {
		p.delay += time.Duration(1 + random.Int64N(int64(o.MaxDelay)))
		effects |= delayed
	}
	if random.Float64() < o.Expire {
		p.compact = true
		effects |= compacted
	}
	what, where := random.Float64(), random.Float64()
	life := time.Duration(1 + random.Int64N(int64(o.WatchFor)))
	if p.effects&stopped != 0 {
		return effects
	}
	refuse, cut, end := max(o.Refuse, 0), max(o.Cut, 0), max(o.End, 0)
	switch {
	case what < refuse:
		f := Refuse([]int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}[int(where*3)])
		if where*3-float64(int(where*3)) < 0.5 {
			f = f.RetryAfter(time.Second)
		}
		p.refuse = f.refuse
	case what < refuse+cut:
		p.stop = &stop{kind: stopCut, events: -1, bytes: -1}
		switch {
		case where < 0.3:
			p.stop.early = true
		case q.verb == "watch":
			p.stop.after = life
		default:
			p.stop.bytes = int(where * 200)
		}
	case q.verb == "watch" && what < refuse+cut+end:
		p.stop = &stop{kind: stopEnd, events: -1, bytes: -1, after: life}
	default:
		return effects
	}
	return effects | stopped
}
