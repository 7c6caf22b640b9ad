package rest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/stream"
)

// Resolve answers with the kind that a name means to this client, as [For] takes it. It asks the
// server only with [Options].Discovery, for names that neither Options.Kinds nor the built-in table
// has, and for bare names of kinds that are off by default.
func (c *Client) Resolve(ctx context.Context, name string) <-chan stream.Result[Kind] {
	needContext(ctx)
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
	return Kind{}, discovers, invalid(noKind(slices.Concat(c.kinds, builtin), name, waysOut))
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

// served returns what is known about a kind, nil if nothing is.
func (c *Client) served(k Kind) *Served {
	if c.discoverer != nil {
		if s := c.discoverer.served(k); s != nil {
			return s
		}
	}
	return servedKind(builtin, k)
}

// checkKinds refuses incomplete descriptors, and those that contradict each other.
func checkKinds(kinds []Kind) error {
	seen := map[string]bool{}
	for _, k := range kinds {
		if err := k.check(); err != nil {
			return err
		}
		path := k.APIVersion() + "/" + k.Plural + " " // no name of a kind ends with a space
		if seen[k.String()] || seen[path] {
			return fmt.Errorf("kind %q appears twice", k.String())
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

// Resolve answers with the endpoint of the kind that its name means on the server. An endpoint
// whose name was not left to discovery is its own answer. A stream resolves its endpoint before the
// first request.
//
// Discovery is read again if it does not have the name yet, and whenever a resolved endpoint is
// resolved again, up to ten times at once and then once in a second: do that when the server
// refuses the resource itself as not found, since another version may have the name now. The verbs
// of a [Resource] do all this themselves.
func (e Endpoint) Resolve(ctx context.Context) <-chan stream.Result[Endpoint] {
	needContext(ctx)
	if e.named == "" || e.err != nil {
		return stream.Answer(e, e.Err())
	}
	return stream.Go(ctx, e.resolve)
}

// Discovered reports whether the name of the endpoint was left to discovery, so that Resolve may
// send requests.
func (e Endpoint) Discovered() bool { return e.named != "" }

func (e Endpoint) resolve(ctx context.Context) (Endpoint, error) {
	if e.named == "" || e.err != nil {
		return e, e.err
	}
	if !e.pending && e.client.discoverer.again.Take() {
		if _, err := e.client.discoverer.read(ctx); err != nil {
			return e, err
		}
	}
	k, err := e.client.resolve(ctx, e.named)
	if err != nil {
		return e, err
	}
	return e.of(k)
}

// of returns the endpoint of the kind that its name stands for.
func (e Endpoint) of(k Kind) (Endpoint, error) {
	e.kind, e.pending = k, false
	if e.subresource != "" {
		e.body = subresourceKind(&k, e.subresource)
	}
	if e.namespace != "" {
		e = e.in(e.namespace)
	}
	return e, e.err
}

// resolved runs do with the endpoint of the kind that the name stands for.
//
// A server that does not know the resource (any more) has done nothing. The name may stand for
// another version now, for example after an upgrade of a custom resource: discovery is asked again,
// and if that is so, do runs once more.
func resolved[V any](ctx context.Context, named Endpoint, do func(Endpoint) (V, error)) (V, error) {
	e, err := named.resolve(ctx)
	if err != nil {
		var none V
		return none, err
	}
	v, err := do(e)
	if !named.pending || !isUnknownResource(err) {
		return v, err
	}
	if now, ok := named.moved(ctx, e.kind); ok {
		return do(now)
	}
	return v, err
}

// isUnknownResource reports whether a server refused a path because it does not serve the resource,
// and not because the object does not exist.
func isUnknownResource(err error) bool {
	refused, ok := errors.AsType[*StatusError](err)
	return ok && errors.Is(refused, ErrNotFound) && (refused.Status.Details == nil || refused.Status.Details.Name == "")
}

// moved returns the endpoint of the kind that the name stands for now, if it is no longer k.
func (e Endpoint) moved(ctx context.Context, k Kind) (Endpoint, bool) {
	d := e.client.discoverer
	now, ok := d.known(e.named)
	if ok && now == k { // or another request has read it already
		if !d.again.Take() {
			return e, false
		}
		s, err := d.read(ctx)
		if err != nil {
			return e, false
		}
		if now, err = s.all.Lookup(e.named); err != nil {
			return e, false
		}
	}
	if !ok || now == k {
		return e, false
	}
	e, err := e.of(now)
	return e, err == nil
}
