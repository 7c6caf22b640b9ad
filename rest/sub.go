package rest

import (
	"errors"
	"fmt"
)

// Sub returns a subresource of the objects of r, by its name: "status", "scale", "eviction",
// "token", "ephemeralcontainers", "resize", "approval", "binding", or one that only your server
// knows. S is the type of what is sent and answered.
//
//	scales := rest.Sub[rest.Scale](deployments, "scale")
//	scale, err := stream.Await(scales.Get(ctx, "web"))
//
// Create, Update and Apply take the name of the object from metadata.name. A create that the server
// answers with a Status of success, as for evictions and bindings, answers with what was sent.
// Lists, watches and deletes are errors before any request.
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
	subBinding  = "binding"
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
	case subBinding:
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
