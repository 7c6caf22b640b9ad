package rest

import (
	"context"
	"errors"
	"net/http"

	"github.com/tideway-go/tideway/stream"
)

// CauseDisruptionBudget is the type of the cause of an eviction's refusal: a
// PodDisruptionBudget does not allow it now.
const CauseDisruptionBudget = "DisruptionBudget"

// ErrDisruptionBudget is matched by the refusal of an eviction that a
// PodDisruptionBudget does not allow now. It matches [ErrTooManyRequests] too,
// and tells by RetryAfter when to ask again, if the server knows.
var ErrDisruptionBudget = errors.New("a disruption budget does not allow it")

// Evict asks a server to delete the pod called name, if its disruption budgets
// allow it, and answers with the server's Status.
//
// A budget that does not is an error that matches [ErrDisruptionBudget]; it is
// never tried again behind your back, whatever the handle's Retry says. More
// than one budget for a pod is an error, too, although the server's HTTP status
// says that it was created.
func Evict[T any](ctx context.Context, pods Resource[T], name string, o DeleteOptions) <-chan stream.Result[Status] {
	e := Sub[Object](pods, subEviction).endpoint
	err := e.checkName("evict", name)
	if err == nil {
		if bad := o.check(); bad != nil {
			err = e.bad("evict", name, bad)
		}
	}
	if err != nil {
		return stream.Answer(Status{}, err)
	}
	doc := map[string]any{
		"apiVersion": e.body.APIVersion(),
		"kind":       e.body.Kind,
		"metadata":   map[string]string{"name": name, "namespace": e.namespace},
	}
	if options := o.document(e.options().DryRun); options != nil {
		doc["deleteOptions"] = options
	}
	raw, err := Encode(doc)
	if err != nil {
		return stream.Answer(Status{}, err)
	}
	return stream.Go(ctx, func(ctx context.Context) (Status, error) {
		return resolved(ctx, e, func(e Endpoint) (Status, error) {
			req, err := e.Request(ctx, http.MethodPost, name, "", e.options().query(http.MethodPost), raw)
			if err != nil {
				return Status{}, err
			}
			a, err := e.do("evict", name, req)
			if err != nil {
				return Status{}, err
			}
			s, _ := readStatus(a.body) // the zero value of what is no Status
			return s, nil
		})
	})
}

// hasCause tells whether the server named a cause of this type.
func (e *StatusError) hasCause(typ string) bool {
	if e.Status.Details == nil {
		return false
	}
	for _, c := range e.Status.Details.Causes {
		if c.Type == typ {
			return true
		}
	}
	return false
}
