package rest

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// discoverer reads what the server of a client serves, and remembers it.
type discoverer struct {
	client *Client

	mu      sync.Mutex
	last    *served         // nil: nothing was read yet
	names   map[string]Kind // what names mean in it, as far as they were asked for
	current *reading
}

// reading is one reading of discovery, shared by all who wait for it.
type reading struct {
	waiting int // guarded by the discoverer's mutex
	cancel  context.CancelFunc
	done    chan struct{}
	served  *served
	err     error
}

// read reads discovery anew, or waits for who is doing that already. When ctx
// ends while others wait the reading goes on; the last one to leave ends it.
func (d *discoverer) read(ctx context.Context) (*served, error) {
	d.mu.Lock()
	r := d.current
	if r == nil {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		r = &reading{cancel: cancel, done: make(chan struct{})}
		d.current = r
		go d.run(ctx, r, d.last)
	}
	r.waiting++
	d.mu.Unlock()
	select {
	case <-r.done:
		return r.served, r.err
	case <-ctx.Done():
		d.leave(r)
		return nil, context.Cause(ctx)
	}
}

// leave is for who does not wait any longer.
func (d *discoverer) leave(r *reading) {
	d.mu.Lock()
	r.waiting--
	last := r.waiting == 0
	if last && d.current == r {
		d.current = nil // who comes now begins again
	}
	d.mu.Unlock()
	if last {
		r.cancel()
		<-r.done
	}
}

// run does the reading.
func (d *discoverer) run(ctx context.Context, r *reading, before *served) {
	defer close(r.done)
	defer r.cancel()
	if before == nil {
		before = &served{}
	}
	r.served, r.err = d.fetch(ctx, before)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.current == r {
		d.current = nil
	}
	if r.err == nil {
		d.last, d.names = r.served, map[string]Kind{}
	}
}

// known finds a kind in what was read last.
func (d *discoverer) known(name string) (Kind, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		return Kind{}, false
	}
	k, ok := d.names[name]
	if !ok {
		var err error
		if k, err = d.last.all.Lookup(name); err != nil {
			return Kind{}, false
		}
		d.names[name] = k
	}
	return k, true
}

// served returns what was read last of a kind; nil if nothing was.
func (d *discoverer) served(k Kind) *Served {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		return nil
	}
	return servedKind(d.last.all.Resources, k)
}

// resolve finds a kind by its name. Discovery is read if it has not been, and once more if the name
// is not in it: it may be new.
func (d *discoverer) resolve(ctx context.Context, name string) (Kind, error) {
	if k, ok := d.known(name); ok {
		return k, nil
	}
	s, err := d.read(ctx)
	if err != nil {
		return Kind{}, fmt.Errorf("rest: kind %q: %w", name, err)
	}
	k, err := s.all.Lookup(name)
	if broken, ok := errors.AsType[*DiscoveryError](err); ok && errors.Is(broken.Err, ErrStale) && !errors.As(err, new(*unsureError)) {
		return d.insist(ctx, name, broken)
	}
	if broken, ok := err.(*DiscoveryError); ok { //nolint:errorlint // Lookup returns it bare where the name pins the version
		return Kind{}, fmt.Errorf("rest: kind %q: %w", name, broken)
	}
	return k, err
}

// insist asks for a version that is stale by itself: the answer is its own error, or what it serves
// now.
func (d *discoverer) insist(ctx context.Context, name string, broken *DiscoveryError) (Kind, error) {
	v := d.version(ctx, broken.Group, broken.Version)
	if v.err != nil {
		return Kind{}, fmt.Errorf("rest: kind %q: %w", name, v.err)
	}
	return Discovery{Resources: v.resources}.Lookup(name)
}
