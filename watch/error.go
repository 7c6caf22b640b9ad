package watch

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// ErrGaveUp is what errors.Is finds in the last WatchFailed of a watch that reached its limit of retries.
var ErrGaveUp = errors.New("watch gave up")

// Reasons for which an attempt fails although nobody refused it. They are the causes of an AttemptError.
var (
	// ErrShort means that the stream ended within Options.MinDuration and brought no event.
	ErrShort = errors.New("the stream ended at once, without an event")
	// ErrNoVersion means that an object or a list came without a resource version; the watch lists again.
	ErrNoVersion = errors.New("no resource version")
)

// An AttemptError tells one failed attempt to list or to watch; a WatchFailed event carries it.
//
// errors.As finds in it the *rest.StatusError of a refusal, errors.Is the sentinels of rest and those above.
type AttemptError struct {
	// Status tells the failure as the API server tells its own: status "Failure", reason "WatchFailed", code the HTTP
	// status, or the code of the ERROR event that the stream ended on, or 0; details with the kind and, while it retries,
	// retryAfterSeconds. Its message is what Error returns.
	Status rest.Status
	// Attempt counts the consecutive failures, this one included. It is 0 for options that cannot be used.
	Attempt int
	// Delay is how long the watch waits before the next attempt, exactly; 0 when there is none.
	Delay time.Duration
	// Err is the cause.
	Err error

	gaveUp bool
}

// Error returns one line: what is watched, what happens next, and the cause.
func (e *AttemptError) Error() string { return e.Status.Message }

// Unwrap returns the cause.
func (e *AttemptError) Unwrap() error { return e.Err }

// Is reports whether target is ErrGaveUp and the watch gave up.
func (e *AttemptError) Is(target error) bool { return target == ErrGaveUp && e.gaveUp }

// A DecodeError tells an object that is sound JSON but does not decode into T. The watch has moved past it.
type DecodeError struct {
	// Type is that of the event which brought the object.
	Type Type
	// Key names the object.
	Key rest.Key
	// ResourceVersion is the version of the object.
	ResourceVersion string
	// Err is what the decoder said.
	Err error
}

// Error returns one line with the event, the object and the decoder's words.
func (e *DecodeError) Error() string {
	return fmt.Sprintf("decode %s %s: %v", e.Type, e.Key, e.Err)
}

// Unwrap returns the decoder's error.
func (e *DecodeError) Unwrap() error { return e.Err }

// optionError is the error of a bad option. It reads as its cause.
type optionError struct{ err error }

func (e *optionError) Error() string        { return e.err.Error() }
func (e *optionError) Is(target error) bool { return target == rest.ErrInvalidArgument }
func (e *optionError) Unwrap() error        { return e.err }

// endedOnError is the failure of a stream that ended right after an ERROR event.
type endedOnError struct{ status *rest.StatusError }

func (e *endedOnError) Error() string { return "the stream ended on an error: " + statusText(e.status) }
func (e *endedOnError) Unwrap() error { return e.status }

// attemptFailed turns what stream.Retry says of a failure into the error that the reader of the channel gets.
func attemptFailed(kind string, r stream.Retrying) *AttemptError {
	next := "retrying in " + r.Delay.String()
	if r.GaveUp {
		next = fmt.Sprintf("giving up after %d retries", r.Attempt-1)
	}
	e := newAttemptError(kind, "failed, "+next, r.Err)
	e.Attempt, e.Delay, e.gaveUp = r.Attempt, r.Delay, r.GaveUp
	if !r.GaveUp {
		e.Status.Details.RetryAfterSeconds = math.Round(r.Delay.Seconds()*1000) / 1000
	}
	return e
}

func newAttemptError(kind, what string, err error) *AttemptError {
	cause, code := "", 0
	if refused, ok := errors.AsType[*rest.StatusError](err); ok {
		code = refused.Status.Code
	}
	if direct, ok := err.(*rest.StatusError); ok { //nolint:errorlint // one that is wrapped says more in its own words
		cause = "HTTP " + statusText(direct)
	} else {
		cause = err.Error()
	}
	subject := "watch"
	if kind != "" {
		subject += " " + kind
	}
	return &AttemptError{
		Err: err,
		Status: rest.Status{
			Kind: "Status", APIVersion: "v1", Status: "Failure", Reason: "WatchFailed", Code: code,
			Message: subject + " " + what + ": " + cause,
			Details: &rest.StatusDetails{Kind: kind},
		},
	}
}

// statusText gives a refusal as "403 Forbidden: pods is forbidden".
func statusText(e *rest.StatusError) string {
	text := strconv.Itoa(e.Status.Code)
	if e.Status.Reason != "" {
		text += " " + e.Status.Reason
	}
	if e.Status.Message != "" {
		text += ": " + e.Status.Message
	}
	return text
}
