package clientgo_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/clientgo"
	"github.com/tideway-go/tideway/watch"
)

// questions are the predicates of apimachinery.
var questions = map[string]func(error) bool{
	"NotFound": apierrors.IsNotFound, "AlreadyExists": apierrors.IsAlreadyExists, "Conflict": apierrors.IsConflict,
	"Invalid": apierrors.IsInvalid, "Gone": apierrors.IsGone, "ResourceExpired": apierrors.IsResourceExpired,
	"NotAcceptable": apierrors.IsNotAcceptable, "UnsupportedMediaType": apierrors.IsUnsupportedMediaType,
	"MethodNotSupported": apierrors.IsMethodNotSupported, "ServiceUnavailable": apierrors.IsServiceUnavailable,
	"BadRequest": apierrors.IsBadRequest, "Unauthorized": apierrors.IsUnauthorized, "Forbidden": apierrors.IsForbidden,
	"Timeout": apierrors.IsTimeout, "ServerTimeout": apierrors.IsServerTimeout, "InternalError": apierrors.IsInternalError,
	"TooManyRequests": apierrors.IsTooManyRequests, "RequestEntityTooLarge": apierrors.IsRequestEntityTooLargeError,
	"StoreReadError":        apierrors.IsStoreReadError,
	"UnexpectedServerError": apierrors.IsUnexpectedServerError, "UnexpectedObject": apierrors.IsUnexpectedObjectError,
}

func TestError(t *testing.T) {
	status := func(code int, reason string) rest.Status {
		return rest.Status{Status: rest.StatusFailure, Code: code, Reason: reason}
	}
	for name, c := range map[string]struct {
		status rest.Status
		is     error // ours
	}{
		"NotFound":              {status(404, rest.ReasonNotFound), rest.ErrNotFound},
		"AlreadyExists":         {status(409, rest.ReasonAlreadyExists), rest.ErrAlreadyExists},
		"Conflict":              {status(409, rest.ReasonConflict), rest.ErrConflict},
		"Invalid":               {status(422, rest.ReasonInvalid), rest.ErrInvalid},
		"Gone":                  {status(410, rest.ReasonGone), rest.ErrExpired},
		"ResourceExpired":       {status(410, rest.ReasonExpired), rest.ErrExpired},
		"NotAcceptable":         {status(406, rest.ReasonNotAcceptable), rest.ErrNotAcceptable},
		"UnsupportedMediaType":  {status(415, rest.ReasonUnsupportedMediaType), rest.ErrUnsupportedMediaType},
		"MethodNotSupported":    {status(405, rest.ReasonMethodNotAllowed), rest.ErrMethodNotAllowed},
		"ServiceUnavailable":    {status(503, rest.ReasonServiceUnavailable), rest.ErrServiceUnavailable},
		"BadRequest":            {status(400, rest.ReasonBadRequest), rest.ErrBadRequest},
		"Unauthorized":          {status(401, rest.ReasonUnauthorized), rest.ErrUnauthorized},
		"Forbidden":             {status(403, rest.ReasonForbidden), rest.ErrForbidden},
		"Timeout":               {status(504, rest.ReasonTimeout), rest.ErrTimeout},
		"ServerTimeout":         {status(500, rest.ReasonServerTimeout), rest.ErrServerTimeout},
		"InternalError":         {status(500, rest.ReasonInternalError), rest.ErrInternal},
		"TooManyRequests":       {status(429, rest.ReasonTooManyRequests), rest.ErrTooManyRequests},
		"RequestEntityTooLarge": {status(413, rest.ReasonRequestEntityTooLarge), rest.ErrRequestTooLarge},
		"StoreReadError":        {status(500, rest.ReasonStorageReadError), rest.ErrInternal},
		"nothing":               {status(418, "Teapot"), nil},
		"UnexpectedServerError": {rest.Status{Code: 418, Details: &rest.StatusDetails{
			Causes: []rest.StatusCause{{Type: rest.CauseUnexpectedServerResponse}},
		}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			refused := &rest.StatusError{Op: "get", Resource: "pods", Object: "default/web", Status: c.status}
			for shape, err := range map[string]error{
				"bare":    refused,
				"wrapped": fmt.Errorf("reading: %w", refused),
				"joined":  errors.Join(errors.New("something else"), refused),
				"watch":   &watch.AttemptError{Err: refused, Status: rest.Status{Message: "watch failed"}},
			} {
				got := clientgo.Error(err)
				for question, ask := range questions {
					if ask(got) != (question == name) {
						t.Errorf("%s: Is%s answers %t", shape, question, ask(got))
					}
					if ask(fmt.Errorf("later: %w", got)) != (question == name) {
						t.Errorf("%s: Is%s answers wrongly once it is wrapped", shape, question)
					}
				}
				if c.is != nil && !errors.Is(got, c.is) {
					t.Errorf("%s: it does not unwrap to %v", shape, c.is)
				}
				if found, ok := errors.AsType[*rest.StatusError](got); !ok || found != refused {
					t.Errorf("%s: it does not unwrap to the refusal", shape)
				}
				if got.Error() != err.Error() {
					t.Errorf("%s: it prints %q, want %q", shape, got, err)
				}
			}
		})
	}
}

// Everything the server said is preserved, down to the last detail.
func TestErrorStatus(t *testing.T) {
	left := int64(3)
	got := clientgo.Error(&rest.StatusError{Status: rest.Status{
		Status: rest.StatusFailure, Message: "no", Reason: rest.ReasonInvalid, Code: 422,
		Metadata: rest.ListMeta{ResourceVersion: "7", Continue: "c", RemainingItemCount: &left},
		Details: &rest.StatusDetails{
			Name: "n", Group: "g", Kind: "k", UID: "u", RetryAfterSeconds: 1.2,
			Causes: []rest.StatusCause{{Type: rest.CauseUnexpectedServerResponse, Message: "m", Field: "f"}},
		},
	}})
	want := metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: "c", RemainingItemCount: &left},
		Status:   "Failure", Message: "no", Reason: metav1.StatusReasonInvalid, Code: 422,
		Details: &metav1.StatusDetails{
			Name: "n", Group: "g", Kind: "k", UID: "u", RetryAfterSeconds: 2,
			Causes: []metav1.StatusCause{{Type: metav1.CauseTypeUnexpectedServerResponse, Message: "m", Field: "f"}},
		},
	}
	status, ok := got.(apierrors.APIStatus)
	if !ok {
		t.Fatalf("%T has no Status", got)
	}
	if d := cmp.Diff(want, status.Status()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if !apierrors.IsUnexpectedServerError(got) || !apierrors.HasStatusCause(got, metav1.CauseTypeUnexpectedServerResponse) {
		t.Error("the cause is not found")
	}
}

func TestErrorSuggestsClientDelay(t *testing.T) {
	for name, c := range map[string]struct {
		err  *rest.StatusError
		want int
		ok   bool
	}{
		"body":   {&rest.StatusError{Status: rest.Status{Code: 429, Details: &rest.StatusDetails{RetryAfterSeconds: 5}}}, 5, true},
		"header": {&rest.StatusError{Status: rest.Status{Code: 503}, Header: http.Header{"Retry-After": {"7"}}}, 7, true},
		"both": {&rest.StatusError{
			Status: rest.Status{Code: 429, Details: &rest.StatusDetails{RetryAfterSeconds: 5}},
			Header: http.Header{"Retry-After": {"7"}},
		}, 5, true},
		"fraction": {&rest.StatusError{Status: rest.Status{Details: &rest.StatusDetails{RetryAfterSeconds: 0.1}}}, 1, true},
		"none":     {&rest.StatusError{Status: rest.Status{Code: 429}}, 0, false},
		"details":  {&rest.StatusError{Status: rest.Status{Code: 429, Details: &rest.StatusDetails{Name: "n"}}}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := apierrors.SuggestsClientDelay(clientgo.Error(c.err)); got != c.want || ok != c.ok {
				t.Errorf("got %d, %t, want %d, %t", got, ok, c.want, c.ok)
			}
		})
	}
}

// An error that is not a refusal is returned unchanged.
func TestErrorOfAnotherKind(t *testing.T) {
	for _, err := range []error{nil, context.Canceled, apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "web", errors.New("changed"))} {
		if got := clientgo.Error(err); got != err { //nolint:errorlint // the same value
			t.Errorf("got %#v, want %#v", got, err)
		}
	}
}
