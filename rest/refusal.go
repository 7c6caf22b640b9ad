package rest

import "net/http"

// The refusals that errors.Is finds in a [StatusError], and in all that wraps
// one. What counts is the reason that the server gives; a code decides only
// where the reason is missing or not one of the known ones.
var (
	ErrBadRequest           error = &refusal{"bad request", http.StatusBadRequest, []string{ReasonBadRequest}}
	ErrUnauthorized         error = &refusal{"unauthorized", http.StatusUnauthorized, []string{ReasonUnauthorized}}
	ErrForbidden            error = &refusal{"forbidden", http.StatusForbidden, []string{ReasonForbidden}}
	ErrNotFound             error = &refusal{"not found", http.StatusNotFound, []string{ReasonNotFound}}
	ErrMethodNotAllowed     error = &refusal{"method not allowed", http.StatusMethodNotAllowed, []string{ReasonMethodNotAllowed}}
	ErrNotAcceptable        error = &refusal{"not acceptable", http.StatusNotAcceptable, []string{ReasonNotAcceptable}}
	ErrConflict             error = &refusal{"conflict", http.StatusConflict, []string{ReasonConflict}}
	ErrAlreadyExists        error = &refusal{"already exists", 0, []string{ReasonAlreadyExists}}
	ErrExpired              error = &refusal{"expired", http.StatusGone, []string{ReasonExpired, ReasonGone}}
	ErrRequestTooLarge      error = &refusal{"request too large", http.StatusRequestEntityTooLarge, []string{ReasonRequestEntityTooLarge}}
	ErrUnsupportedMediaType error = &refusal{"unsupported media type", http.StatusUnsupportedMediaType, []string{ReasonUnsupportedMediaType}}
	ErrInvalid              error = &refusal{"invalid", http.StatusUnprocessableEntity, []string{ReasonInvalid}}
	ErrTooManyRequests      error = &refusal{"too many requests", http.StatusTooManyRequests, []string{ReasonTooManyRequests}}
	ErrInternal             error = &refusal{"internal error", http.StatusInternalServerError, []string{ReasonInternalError, ReasonStorageReadError}}
	ErrServerTimeout        error = &refusal{"server timeout", 0, []string{ReasonServerTimeout}}
	ErrServiceUnavailable   error = &refusal{"service unavailable", http.StatusServiceUnavailable, []string{ReasonServiceUnavailable}}
	ErrTimeout              error = &refusal{"timeout", http.StatusGatewayTimeout, []string{ReasonTimeout}}
)

// refusals lists the sentinels: the phrase and the synthesised reason of a
// Status come from here.
var refusals = []*refusal{
	ErrBadRequest.(*refusal), ErrUnauthorized.(*refusal), ErrForbidden.(*refusal), ErrNotFound.(*refusal),
	ErrMethodNotAllowed.(*refusal), ErrNotAcceptable.(*refusal), ErrConflict.(*refusal), ErrAlreadyExists.(*refusal),
	ErrExpired.(*refusal), ErrRequestTooLarge.(*refusal), ErrUnsupportedMediaType.(*refusal), ErrInvalid.(*refusal),
	ErrTooManyRequests.(*refusal), ErrInternal.(*refusal), ErrServerTimeout.(*refusal), ErrServiceUnavailable.(*refusal),
	ErrTimeout.(*refusal),
}

// refusal is one class of refusals.
type refusal struct {
	phrase  string
	code    int // 0: told apart by the reason alone
	reasons []string
}

// Error returns the phrase of the refusal: "not found".
func (r *refusal) Error() string { return r.phrase }

// refusalOf finds the class of a status, nil when it is none of the known.
func refusalOf(s *Status) *refusal {
	var byCode *refusal
	for _, r := range refusals {
		for _, reason := range r.reasons {
			if s.Reason == reason {
				return r
			}
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
