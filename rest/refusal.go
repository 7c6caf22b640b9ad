package rest

import "net/http"

// The refusals that errors.Is finds in a [StatusError], and in all that wraps
// one. What counts is the reason that the server gives; a code decides only
// where the reason is missing or not one of the known ones.
var (
	ErrBadRequest           error = &refusalError{"bad request", http.StatusBadRequest, []string{ReasonBadRequest}}
	ErrUnauthorized         error = &refusalError{"unauthorized", http.StatusUnauthorized, []string{ReasonUnauthorized}}
	ErrForbidden            error = &refusalError{"forbidden", http.StatusForbidden, []string{ReasonForbidden}}
	ErrNotFound             error = &refusalError{"not found", http.StatusNotFound, []string{ReasonNotFound}}
	ErrMethodNotAllowed     error = &refusalError{"method not allowed", http.StatusMethodNotAllowed, []string{ReasonMethodNotAllowed}}
	ErrNotAcceptable        error = &refusalError{"not acceptable", http.StatusNotAcceptable, []string{ReasonNotAcceptable}}
	ErrConflict             error = &refusalError{"conflict", http.StatusConflict, []string{ReasonConflict}}
	ErrAlreadyExists        error = &refusalError{"already exists", 0, []string{ReasonAlreadyExists}}
	ErrExpired              error = &refusalError{"expired", http.StatusGone, []string{ReasonExpired, ReasonGone}}
	ErrRequestTooLarge      error = &refusalError{"request too large", http.StatusRequestEntityTooLarge, []string{ReasonRequestEntityTooLarge}}
	ErrUnsupportedMediaType error = &refusalError{"unsupported media type", http.StatusUnsupportedMediaType, []string{ReasonUnsupportedMediaType}}
	ErrInvalid              error = &refusalError{"invalid", http.StatusUnprocessableEntity, []string{ReasonInvalid}}
	ErrTooManyRequests      error = &refusalError{"too many requests", http.StatusTooManyRequests, []string{ReasonTooManyRequests}}
	ErrInternal             error = &refusalError{"internal error", http.StatusInternalServerError, []string{ReasonInternalError, ReasonStorageReadError}}
	ErrServerTimeout        error = &refusalError{"server timeout", 0, []string{ReasonServerTimeout}}
	ErrServiceUnavailable   error = &refusalError{"service unavailable", http.StatusServiceUnavailable, []string{ReasonServiceUnavailable}}
	ErrTimeout              error = &refusalError{"timeout", http.StatusGatewayTimeout, []string{ReasonTimeout}}
)

// refusals lists the sentinels: the phrase and the synthesised reason of a
// Status come from here.
var refusals = []*refusalError{
	ErrBadRequest.(*refusalError), ErrUnauthorized.(*refusalError), ErrForbidden.(*refusalError), ErrNotFound.(*refusalError),
	ErrMethodNotAllowed.(*refusalError), ErrNotAcceptable.(*refusalError), ErrConflict.(*refusalError), ErrAlreadyExists.(*refusalError),
	ErrExpired.(*refusalError), ErrRequestTooLarge.(*refusalError), ErrUnsupportedMediaType.(*refusalError), ErrInvalid.(*refusalError),
	ErrTooManyRequests.(*refusalError), ErrInternal.(*refusalError), ErrServerTimeout.(*refusalError), ErrServiceUnavailable.(*refusalError),
	ErrTimeout.(*refusalError),
}

// refusalError is one class of refusals.
type refusalError struct {
	phrase  string
	code    int // 0: told apart by the reason alone
	reasons []string
}

// Error returns the phrase of the refusal: "not found".
func (r *refusalError) Error() string { return r.phrase }

// refusalOf finds the class of a status, nil when it is none of the known.
func refusalOf(s *Status) *refusalError {
	var byCode *refusalError
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
