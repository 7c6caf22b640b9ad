package watch

import (
	"errors"
	"slices"

	"github.com/tideway-go/tideway/rest"
)

// ErrRefused means that the server refused an attempt for a reason that time alone does not mend:
// who asks is not known (401) or lacks a right (403), there is no such resource (404, 405), or the
// parameters are wrong (422). A WatchFailed with such a cause matches it. The watch goes on trying
// all the same, since somebody may mend it.
var ErrRefused = errors.New("the server refuses the watch")

// A Refusal says which request was refused.
type Refusal struct {
	// Verb is "list" or "watch", the right that is missing if Code is 403, or "discover" for the
	// lookup of the kind. A list that is streamed is a watch.
	Verb string
	// Resource is the plural of the kind with its group, as in "deployments.apps"; "" if the kind
	// is not known yet.
	Resource string
	// Namespace is that of the handle; "" for all namespaces, and for kinds that have none.
	Namespace string
	// Name is Options.Name.
	Name string
	// Code is the HTTP status.
	Code int
}

// refusal returns what was refused if an error is the answer to a request, with a code that looks
// permanent; nil otherwise. An ERROR event is none: the request had been accepted.
func (w *watcher) refusal(err error) *Refusal {
	refused, ok := errors.AsType[*rest.StatusError](err)
	if _, inStream := errors.AsType[*endedOnError](err); !ok || inStream || errors.Is(err, rest.ErrExpired) {
		return nil
	}
	if !slices.Contains(permanent, refused.Status.Code) || tooLarge(refused) {
		return nil
	}
	r := &Refusal{Verb: refused.Op, Namespace: w.endpoint.Namespace(), Name: w.options.Name, Code: refused.Status.Code}
	if k := w.endpoint.Kind(); k.Plural != "" {
		r.Resource = k.Resource()
	}
	return r
}

// permanent are the codes that look so: unauthorized, forbidden, not found, method not allowed,
// unprocessable.
var permanent = []int{401, 403, 404, 405, 422}
