package rest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// ErrInvalidArgument means that an argument, an option or a handle cannot be used; trying again
// cannot help. Nothing was sent, unless the argument is a change that [Resource.Modify] cannot
// make.
var ErrInvalidArgument = errors.New("invalid argument")

// argumentError is the error of a wrong argument. It reads as its cause.
type argumentError struct{ err error }

func (e *argumentError) Error() string { return line.Of(e.err.Error()) }

// Is matches ErrInvalidArgument.
func (e *argumentError) Is(target error) bool { return target == ErrInvalidArgument }

func (e *argumentError) Unwrap() error { return e.err }

// invalid marks err as the error of a wrong argument; nil stays nil.
func invalid(err error) error {
	if err == nil {
		return nil
	}
	return &argumentError{err}
}

// ErrTooLarge means that an answer, or an item of a list or a watch, exceeds
// [CallOptions].MaxObject.
var ErrTooLarge = errors.New("larger than CallOptions.MaxObject")

// ErrDisruptionBudget means that a PodDisruptionBudget forbids an eviction for now. The error also
// matches [ErrTooManyRequests], and may have a RetryAfter.
var ErrDisruptionBudget = errors.New("a disruption budget does not allow it")

// The refusals that errors.Is finds in a [StatusError]. The server's reason decides; its code
// counts only if the reason is missing or unknown.
var (
	ErrBadRequest           = newRefusal("bad request", http.StatusBadRequest, ReasonBadRequest)
	ErrUnauthorized         = newRefusal("unauthorized", http.StatusUnauthorized, ReasonUnauthorized)
	ErrForbidden            = newRefusal("forbidden", http.StatusForbidden, ReasonForbidden)
	ErrNotFound             = newRefusal("not found", http.StatusNotFound, ReasonNotFound)
	ErrMethodNotAllowed     = newRefusal("method not allowed", http.StatusMethodNotAllowed, ReasonMethodNotAllowed)
	ErrNotAcceptable        = newRefusal("not acceptable", http.StatusNotAcceptable, ReasonNotAcceptable)
	ErrConflict             = newRefusal("conflict", http.StatusConflict, ReasonConflict)
	ErrAlreadyExists        = newRefusal("already exists", 0, ReasonAlreadyExists)
	ErrExpired              = newRefusal("expired", http.StatusGone, ReasonExpired, ReasonGone)
	ErrRequestTooLarge      = newRefusal("request too large", http.StatusRequestEntityTooLarge, ReasonRequestEntityTooLarge)
	ErrUnsupportedMediaType = newRefusal("unsupported media type", http.StatusUnsupportedMediaType, ReasonUnsupportedMediaType)
	ErrInvalid              = newRefusal("invalid", http.StatusUnprocessableEntity, ReasonInvalid)
	ErrTooManyRequests      = newRefusal("too many requests", http.StatusTooManyRequests, ReasonTooManyRequests)
	ErrInternal             = newRefusal("internal error", http.StatusInternalServerError, ReasonInternalError, ReasonStorageReadError)
	ErrServerTimeout        = newRefusal("server timeout", 0, ReasonServerTimeout)
	ErrServiceUnavailable   = newRefusal("service unavailable", http.StatusServiceUnavailable, ReasonServiceUnavailable)
	ErrTimeout              = newRefusal("timeout", http.StatusGatewayTimeout, ReasonTimeout)
)

// refusals lists the sentinels: the phrase and the synthesised reason of a Status come from here.
var refusals []*refusalError

// refusalError is one class of refusals.
type refusalError struct {
	phrase  string
	code    int // 0: only the reason decides
	reasons []string
}

// newRefusal makes a sentinel, while the package is initialised.
func newRefusal(phrase string, code int, reasons ...string) error {
	r := &refusalError{phrase, code, reasons}
	refusals = append(refusals, r)
	return r
}

// Error returns the phrase of the refusal: "not found".
func (r *refusalError) Error() string { return r.phrase }

// refusalOf finds the class of a status, nil if it is not a known one.
func refusalOf(s *Status) *refusalError {
	var byCode *refusalError
	for _, r := range refusals {
		if slices.Contains(r.reasons, s.Reason) {
			return r
		}
		if r.code != 0 && r.code == s.Code {
			byCode = r
		}
	}
	return byCode
}

// reasonOf synthesises the reason of an answer that gives none.
func reasonOf(op string, code int) string {
	if code == http.StatusConflict && op == "create" {
		return ReasonAlreadyExists
	}
	if r := refusalOf(&Status{Code: code}); r != nil {
		return r.reasons[0]
	}
	return ""
}

func tooLarge(limit int64) error { return fmt.Errorf("%w (%d bytes)", ErrTooLarge, limit) }

// OneLine returns a text that somebody else wrote as the errors of the library show it: one line of
// valid UTF-8 and at most 4 KiB, without control characters. What is longer ends with "...".
func OneLine(text string) string { return line.Of(text) }
