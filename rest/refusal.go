package rest

import (
	"net/http"
	"slices"
)

// The refusals that errors.Is finds in a [StatusError], and in all that wraps
// one. What counts is the reason that the server gives; a code decides only
// where the reason is missing or not one of the known ones.
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

// refusals lists the sentinels: the phrase and the synthesised reason of a
// Status come from here.
var refusals []*refusalError

// refusalError is one class of refusals.
type refusalError struct {
	phrase  string
	code    int // 0: told apart by the reason alone
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

// refusalOf finds the class of a status, nil when it is none of the known.
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

// reasonOf synthesises the reason of an answer that gave none.
func reasonOf(op string, code int) string {
	if code == http.StatusConflict && op == "create" {
		return ReasonAlreadyExists
	}
	if r := refusalOf(&Status{Code: code}); r != nil {
		return r.reasons[0]
	}
	return ""
}
