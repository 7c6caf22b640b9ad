package fakeapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// failure returns the Status of a failure.
func failure(code int, reason, message string, details *rest.StatusDetails) *rest.Status {
	return &rest.Status{
		Kind: "Status", APIVersion: "v1",
		Status: rest.StatusFailure, Code: code, Reason: reason, Message: message, Details: details,
	}
}

// details names an object by its resource, as most refusals do.
func (r *resource) details(name string) *rest.StatusDetails {
	return &rest.StatusDetails{Name: name, Group: r.kind.Group, Kind: r.kind.Plural}
}

// kindDetails names an object by its kind, as refusals of validation do.
func (r *resource) kindDetails(name string) *rest.StatusDetails {
	return &rest.StatusDetails{Name: name, Group: r.kind.Group, Kind: r.kind.Kind}
}

// qualifiedKind returns kind and group as messages show them.
func (r *resource) qualifiedKind() string {
	if r.kind.Group == "" {
		return r.kind.Kind
	}
	return r.kind.Kind + "." + r.kind.Group
}

func badRequest(format string, args ...any) *rest.Status {
	return failure(http.StatusBadRequest, rest.ReasonBadRequest, fmt.Sprintf(format, args...), nil)
}

func (r *resource) notFound(name string) *rest.Status {
	return failure(http.StatusNotFound, rest.ReasonNotFound, fmt.Sprintf("%s %q not found", r.kind.Resource(), name), r.details(name))
}

func (r *resource) exists(name string) *rest.Status {
	return failure(http.StatusConflict, rest.ReasonAlreadyExists, fmt.Sprintf("%s %q already exists", r.kind.Resource(), name), r.details(name))
}

func (r *resource) conflict(name, why string) *rest.Status {
	return failure(http.StatusConflict, rest.ReasonConflict,
		fmt.Sprintf("Operation cannot be fulfilled on %s %q: %s", r.kind.Resource(), name, why), r.details(name))
}

// modified refuses a write at a version that is not the newest.
func (r *resource) modified(name string) *rest.Status {
	return r.conflict(name, "the object has been modified; please apply your changes to the latest version and try again")
}

// unmetPrecondition refuses a delete whose precondition is not met.
func (r *resource) unmetPrecondition(name, why string) *rest.Status {
	return failure(http.StatusConflict, rest.ReasonConflict,
		fmt.Sprintf("Operation cannot be fulfilled on %s %q: %s", r.qualifiedKind(), name, why), r.kindDetails(name))
}

// invalid refuses an object for some causes.
func (r *resource) invalid(name string, causes ...rest.StatusCause) *rest.Status {
	return invalid(r.qualifiedKind(), r.kindDetails(name), causes)
}

// invalidOptions refuses the parameters of a request.
func invalidOptions(kind string, causes ...rest.StatusCause) *rest.Status {
	return invalid(kind+".meta.k8s.io", &rest.StatusDetails{Group: "meta.k8s.io", Kind: kind}, causes)
}

func invalid(subject string, d *rest.StatusDetails, causes []rest.StatusCause) *rest.Status {
	lines := make([]string, len(causes))
	for i, c := range causes {
		lines[i] = c.Field + ": " + c.Message
	}
	all := strings.Join(lines, ", ")
	if len(lines) > 1 {
		all = "[" + all + "]"
	}
	d.Causes = causes
	return failure(http.StatusUnprocessableEntity, rest.ReasonInvalid, fmt.Sprintf("%s %q is invalid: %s", subject, d.Name, all), d)
}

// internal is what kube-apiserver answers for an error that has no reason.
func internal(message string) *rest.Status {
	return failure(http.StatusInternalServerError, "", message, nil)
}

// unknownPath refuses a path below a group that is served.
func unknownPath() *rest.Status {
	return failure(http.StatusNotFound, rest.ReasonNotFound, "the server could not find the requested resource", &rest.StatusDetails{})
}

func methodNotAllowed() *rest.Status {
	return failure(http.StatusMethodNotAllowed, rest.ReasonMethodNotAllowed,
		"the server does not allow this method on the requested resource", &rest.StatusDetails{})
}

// notSupported refuses a verb. kube-apiserver has other words for custom resources.
func (r *resource) notSupported(verb string) *rest.Status {
	if !r.custom {
		return methodNotAllowed()
	}
	return failure(http.StatusMethodNotAllowed, rest.ReasonMethodNotAllowed,
		fmt.Sprintf("%s is not supported on resources of kind %q", verb, r.kind.Resource()), r.details(""))
}

// tooLarge refuses a resource version that is yet to come.
func tooLarge(asked, current uint64) *rest.Status {
	return failure(http.StatusGatewayTimeout, rest.ReasonTimeout,
		fmt.Sprintf("Timeout: Too large resource version: %d, current: %d", asked, current),
		&rest.StatusDetails{
			Causes:            []rest.StatusCause{{Type: rest.CauseResourceVersionTooLarge, Message: "Too large resource version"}},
			RetryAfterSeconds: 1,
		})
}

// expired refuses a resource version that has been forgotten.
func expired(message string) *rest.Status {
	return failure(http.StatusGone, rest.ReasonExpired, message, nil)
}

func tooOld(asked, oldest uint64) *rest.Status {
	return expired(fmt.Sprintf("too old resource version: %d (%d)", asked, oldest))
}

func unauthorized() *rest.Status {
	return failure(http.StatusUnauthorized, rest.ReasonUnauthorized, "Unauthorized", nil)
}

// notImplemented refuses what kube-apiserver would do and this server does not.
func notImplemented(what string) *rest.Status {
	return failure(http.StatusNotImplemented, "NotImplemented", "not implemented by fakeapi: "+what, nil)
}
