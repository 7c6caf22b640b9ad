package rest

import (
	"context"
	"net/http"

	"github.com/tideway-go/tideway/stream"
)

// Evict asks the server to delete the pod called name if its disruption budgets allow it, and
// answers with the server's Status. If one does not, the error matches [ErrDisruptionBudget], and
// [CallOptions].Retry does not try again. A pod with more than one budget is an error, too.
func Evict[T any](ctx context.Context, pods Resource[T], name string, o DeleteOptions) <-chan stream.Result[Status] {
	needContext(ctx)
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
	q := &request{op: "evict", method: http.MethodPost, name: name, body: raw}
	return run(ctx, e, q, func(_ *Endpoint, _ *request, a answer) (Status, error) {
		s, ok := readStatus(a.body)
		if !ok {
			return s, a.notStatus()
		}
		return s, nil
	})
}
