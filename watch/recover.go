package watch

import (
	"sync"
	"time"

	"github.com/tideway-go/tideway/stream"
)

// Recovery says what a watch has survived.
type Recovery struct {
	Away     time.Duration // since the first of the failures
	Attempts int           // how many attempts failed
}

// outage counts the failures since the last sign of life.
type outage struct {
	since    time.Time
	attempts int
}

// failed counts a failed attempt.
func (o *outage) failed() {
	if o.attempts == 0 {
		o.since = time.Now()
	}
	o.attempts++
}

// back is called at a sign of life: it sends Recovered if there were failures before. It returns
// false when the watch is over.
func (w *watcher) back(a *stream.Attempt[item]) bool {
	o := w.away
	if o.attempts == 0 {
		return true
	}
	w.away = outage{}
	return a.Send(item{typ: Recovered, recovery: &Recovery{Away: time.Since(o.since), Attempts: o.attempts}})
}

// backAfter calls back once the watch has been open for so long, unless that is stopped before.
func (w *watcher) backAfter(a *stream.Attempt[item], d time.Duration) *lifesign {
	if w.away.attempts == 0 {
		return nil
	}
	if d == 0 {
		w.back(a)
		return nil
	}
	l := &lifesign{done: make(chan struct{})}
	l.timer = time.AfterFunc(d, func() {
		defer close(l.done)
		w.back(a)
	})
	return l
}

// lifesign is a call of back that is due. Until it has been stopped, nobody else calls back.
type lifesign struct {
	timer *time.Timer
	done  chan struct{}
	once  sync.Once
}

// stop makes sure that the call either does not happen or is over.
func (l *lifesign) stop() {
	if l == nil {
		return
	}
	l.once.Do(func() {
		if !l.timer.Stop() {
			<-l.done
		}
	})
}
