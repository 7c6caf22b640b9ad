package rest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tideway-go/tideway/rest/internal/flight"
)

// discoverer reads what the server of a client serves, and remembers it.
type discoverer struct {
	client *Client
	flight flight.Flight[*served]

	mu    sync.Mutex
	last  *served         // nil: nothing was read yet
	names map[string]Kind // what names mean in it, as far as they were asked for
}

// read reads discovery again, or waits for a reading that is under way. A reading ends when nobody
// waits for it any more.
func (d *discoverer) read(ctx context.Context) (*served, error) {
	return d.flight.Do(ctx, func(ctx context.Context) (*served, error) {
		s, err := d.fetch(ctx, d.before())
		if err == nil {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.last, d.names = s, map[string]Kind{}
		}
		return s, err
	})
}

// before returns what was read last. It is empty if nothing was.
func (d *discoverer) before() *served {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		return &served{}
	}
	return d.last
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
