package rest

import (
	"errors"
	"fmt"
)

// Sub returns a subresource of the objects of r, by its name: "status",
// "scale", "eviction", "token", "ephemeralcontainers", "resize", "approval",
// "binding", or one that only your server knows.
//
//	scales := rest.Sub[rest.Scale](deployments, "scale")
//	scale, err := stream.Await(scales.Get(ctx, "web"))
//
// S is what is sent there and comes back. The name of the object is the one
// that Get, Patch and Modify are given, and metadata.name for Create, Update
// and Apply. A create that the server answers with a Status of success, as it
// does for evictions and bindings, gives what was sent. Lists, watches and
// deletes do not exist, and are errors before any request.
//
// It is a function, since a method cannot change the type of a handle.
func Sub[S, T any](r Resource[T], name string) Resource[S] {
	e := r.endpoint
	e.partial = false
	if e.err != nil {
		return Resource[S]{e}
	}
	switch err := checkSegment(name); {
	case err != nil:
		e.err = invalid(fmt.Errorf("rest: %s: subresource %w", e.resource(), err))
	case e.subresource != "":
		e.err = invalid(fmt.Errorf("rest: %s has no subresource %s", e.resource(), name))
	default:
		e.subresource, e.body = name, subresourceKind(&e.kind, name)
		e = holding[S](e)
	}
	return Resource[S]{e}
}

const (
	subStatus   = "status"
	subScale    = "scale"
	subEviction = "eviction"
)

// subresourceKind returns the kind of what is sent to a subresource, the zero value if that is not
// known.
func subresourceKind(k *Kind, name string) Kind {
	switch name {
	case subStatus, "ephemeralcontainers", "resize", "approval", "finalize":
		return *k
	case subScale:
		return Kind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
	case subEviction:
		return Kind{Group: "policy", Version: "v1", Kind: "Eviction"}
	case "token":
		return Kind{Group: "authentication.k8s.io", Version: "v1", Kind: "TokenRequest"}
	case "binding":
		return Kind{Version: "v1", Kind: "Binding"}
	}
	return Kind{}
}

// whole refuses an operation that subresources do not have.
func (e *Endpoint) whole(op string) error {
	if err := e.Err(); err != nil {
		return err
	}
	if e.subresource != "" {
		return e.bad(op, "", errors.New("a subresource has only get, create, update, patch and apply"))
	}
	return nil
}
