package rest

import (
	"context"
	"errors"
)

// resolved runs do with the endpoint of the kind that the name stands for.
//
// A server that does not know the resource (any more) has done nothing. The
// name may stand for another version by now, as when a custom resource was
// upgraded: discovery is asked again, and do runs once more if that is so.
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

// isUnknownResource tells whether a server has refused a path because it serves
// no such resource, not because there is no such object.
func isUnknownResource(err error) bool {
	refused, ok := errors.AsType[*StatusError](err)
	return ok && errors.Is(refused, ErrNotFound) && (refused.Status.Details == nil || refused.Status.Details.Name == "")
}

// moved returns the endpoint of what the name stands for now, if that is not k.
func (e Endpoint) moved(ctx context.Context, k Kind) (Endpoint, bool) {
	d := e.client.discoverer
	now, ok := d.known(e.named)
	if ok && now == k { // or another request has read it already
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
