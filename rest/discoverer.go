package rest

import (
	"context"
	"errors"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// read reads discovery again, or joins a reading that is under way. A reading ends when nobody
// waits for it any more.
func (d *discoverer) read(ctx context.Context) (*served, error) {
	s, err := d.flight.Do(ctx, func(ctx context.Context) (*served, error) {
		s, err := d.fetch(ctx, d.before())
		if err == nil {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.last, d.names = s, map[string]Kind{}
		}
		return s, err
	})
	if cause := context.Cause(ctx); err != nil && err == cause { //nolint:errorlint // any other one says more
		err = line.Errorf("%s: waiting for the server: %w", opDiscover, cause)
	}
	return s, err
}

// before returns what was read last, empty if there was none.
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

// served returns what was last read about a kind, nil if there was none.
func (d *discoverer) served(k Kind) *Served {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		return nil
	}
	return servedKind(d.last.all.Resources, k)
}

// resolve finds a kind by its name. It reads discovery if that has not been done, and again if the
// name is missing: the kind may be new.
func (d *discoverer) resolve(ctx context.Context, name string) (Kind, error) {
	if k, ok := d.known(name); ok {
		return k, nil
	}
	s, err := d.read(ctx)
	if err != nil {
		return Kind{}, line.Errorf("rest: kind %q: %w", name, err)
	}
	k, err := s.all.Lookup(name)
	if broken, ok := errors.AsType[*DiscoveryError](err); ok && errors.Is(broken.Err, ErrStale) && !errors.As(err, new(*unsureError)) {
		return d.insist(ctx, name, broken)
	}
	if broken, ok := err.(*DiscoveryError); ok { //nolint:errorlint // Lookup returns it bare if the name pins the version
		return Kind{}, line.Errorf("rest: kind %q: %w", name, broken)
	}
	return k, err
}

// insist asks a stale version itself: it fails with an error of its own, or says what it serves
// now.
func (d *discoverer) insist(ctx context.Context, name string, broken *DiscoveryError) (Kind, error) {
	v := d.version(ctx, broken.Group, broken.Version)
	if v.err != nil {
		return Kind{}, line.Errorf("rest: kind %q: %w", name, v.err)
	}
	return Discovery{Resources: v.resources}.Lookup(name)
}
