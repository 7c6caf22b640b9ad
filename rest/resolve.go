package rest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/stream"
)

// Resolve answers with the kind that a name means to this client, as [For]
// takes it: one of [Options].Kinds, a built-in one, or, with
// [Options].Discovery, one that the server serves.
//
// The server is asked only for names that are known neither to the caller nor
// to the table, and for bare ones that are off by default.
func (c *Client) Resolve(ctx context.Context, name string) <-chan stream.Result[Kind] {
	k, ask, err := c.lookup(name)
	if !ask {
		return stream.Answer(k, err)
	}
	return stream.Go(ctx, func(ctx context.Context) (Kind, error) { return c.resolve(ctx, name) })
}

// lookup finds a kind without a request, and reports whether the server has to be asked for it.
func (c *Client) lookup(name string) (k Kind, ask bool, err error) {
	if c == nil {
		k, err = Lookup(name)
		return k, false, err
	}
	s, err := named(c.kinds, name, byKind(name))
	if s == nil && err == nil {
		s, err = named(builtin, name, byKind(name))
	}
	discovers := c.discoverer != nil && name != ""
	switch {
	case err != nil:
		return Kind{}, false, invalid(err)
	case s != nil:
		// A bare name that is off by default may belong to another group here.
		return s.Kind, discovers && s.OffByDefault && !strings.Contains(name, "/"), nil
	}
	return Kind{}, discovers, invalid(noKind(slices.Concat(c.kinds, builtin), name))
}

// resolve finds a kind by a request.
func (c *Client) resolve(ctx context.Context, name string) (Kind, error) {
	k, err := c.discoverer.resolve(ctx, name)
	if errors.Is(err, ErrUnknownKind) {
		if known, _, err := c.lookup(name); err == nil {
			return known, nil // the table's, off by default: the server says what is missing
		}
	}
	return k, err
}

// served returns what is known of a kind; nil if nothing is.
func (c *Client) served(k Kind) *Served {
	if c.discoverer != nil {
		if s := c.discoverer.served(k); s != nil {
			return s
		}
	}
	return servedKind(builtin, k)
}

// checkKinds refuses descriptors that are incomplete, and those that contradict
// each other.
func checkKinds(kinds []Kind) error {
	seen := map[string]bool{}
	for _, k := range kinds {
		if err := k.check(); err != nil {
			return err
		}
		path := k.APIVersion() + "/" + k.Plural + " " // no name of a kind ends so
		if seen[k.String()] || seen[path] {
			return fmt.Errorf("kind %q is given twice", k.String())
		}
		seen[k.String()], seen[path] = true, true
	}
	return nil
}

// pendingKind is what a name says of a kind before the server is asked.
func pendingKind(name string) Kind {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return Kind{Kind: name}
	}
	k := Kind{Version: name[:i], Kind: name[i+1:]}
	if group, version, ok := strings.Cut(k.Version, "/"); ok {
		k.Group, k.Version = group, version
	}
	return k
}
