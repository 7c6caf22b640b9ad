// Package pace keeps what answers of a server set off from happening in a hot loop.
package pace

import (
	"sync"
	"time"
)

// Pace limits how often something happens: up to Burst times at once, and in the long run once in
// each Every. It is safe for concurrent use, and not to be copied.
type Pace struct {
	Burst int
	Every time.Duration

	mu   sync.Mutex
	full time.Time // when all of the burst is free again
}

// Take reports whether it may happen now, and counts it if so.
func (p *Pace) Take() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.full.Before(now) {
		p.full = now
	}
	next := p.full.Add(p.Every)
	if next.Sub(now) > time.Duration(p.Burst)*p.Every {
		return false
	}
	p.full = next
	return true
}
