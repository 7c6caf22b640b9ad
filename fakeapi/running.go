package fakeapi

import (
	"sync"
)

// running counts what must end before [Server.Close] returns. Unlike a sync.WaitGroup, it may be
// counted up while somebody waits: the connection accepted last brings a request of its own.
type running struct {
	mu   sync.Mutex
	n    int
	wait chan struct{} // closed when n falls to zero, while somebody waits
}

func (r *running) add() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
}

func (r *running) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n--; r.n == 0 && r.wait != nil {
		close(r.wait)
		r.wait = nil
	}
}

// run counts f in, and runs it in a goroutine.
func (r *running) run(f func()) {
	r.add()
	go func() {
		defer r.done()
		f()
	}()
}

// none returns when nothing runs.
func (r *running) none() {
	for {
		r.mu.Lock()
		if r.n == 0 {
			r.mu.Unlock()
			return
		}
		if r.wait == nil {
			r.wait = make(chan struct{})
		}
		wait := r.wait
		r.mu.Unlock()
		<-wait
	}
}
