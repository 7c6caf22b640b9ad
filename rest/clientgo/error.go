package clientgo

import (
	"errors"
	"math"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tideway-go/tideway/rest"
)

// Error returns err in a form that the predicates of apimachinery understand.
//
// If there is a [rest.StatusError] anywhere in the chain of err, the result implements
// apierrors.APIStatus, so that apierrors.IsNotFound and its siblings, and
// apierrors.SuggestsClientDelay, work on it. It prints and unwraps like err. Any other error, and
// nil, is returned unchanged.
func Error(err error) error {
	refused, ok := errors.AsType[*rest.StatusError](err)
	if !ok {
		return err
	}
	return &apiError{error: err, status: statusOf(refused)}
}

// apiError is an error with a Status from apimachinery.
type apiError struct {
	error

	status metav1.Status
}

// Status implements apierrors.APIStatus.
func (e *apiError) Status() metav1.Status { return e.status }

// Unwrap returns the original error.
func (e *apiError) Unwrap() error { return e.error }

// statusOf translates a refusal.
func statusOf(e *rest.StatusError) metav1.Status {
	s := metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		ListMeta: metav1.ListMeta{
			ResourceVersion:    e.Status.Metadata.ResourceVersion,
			Continue:           e.Status.Metadata.Continue,
			RemainingItemCount: e.Status.Metadata.RemainingItemCount,
		},
		Status:  e.Status.Status,
		Message: e.Status.Message,
		Reason:  metav1.StatusReason(e.Status.Reason),
		Code:    int32(min(max(e.Status.Code, 0), math.MaxInt32)),
	}
	wait := math.Ceil(e.RetryAfter().Seconds()) // metav1 has whole seconds
	d := e.Status.Details
	if d == nil && wait == 0 {
		return s
	}
	s.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(min(wait, math.MaxInt32))}
	if d == nil {
		return s
	}
	s.Details.Name, s.Details.Group, s.Details.Kind, s.Details.UID = d.Name, d.Group, d.Kind, types.UID(d.UID)
	for _, c := range d.Causes {
		s.Details.Causes = append(s.Details.Causes, metav1.StatusCause{
			Type: metav1.CauseType(c.Type), Message: c.Message, Field: c.Field,
		})
	}
	return s
}
