package watch

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// ErrGaveUp means that the watch has reached its limit of retries. The last WatchFailed matches it.
var ErrGaveUp = errors.New("watch gave up")

// These are causes of an AttemptError for attempts that fail although no request was refused.
var (
	// ErrShort means that the stream carried nothing new and ended within Options.MinDuration, or,
	// as the one before, within a tenth of its timeout.
	ErrShort = errors.New("the stream ended early, without a new event")
	// ErrNoVersion means that an object or a list has no resource version, or one that a watch
	// cannot start at: "0", or more than 256 bytes. The watch lists again.
	ErrNoVersion = errors.New("no resource version")
)

// An AttemptError describes one failed attempt to list or to watch. A WatchFailed event carries it.
//
// errors.As finds the *rest.StatusError of a refusal in it. errors.Is finds the sentinels of
// package rest and of this package.
type AttemptError struct {
	// Status describes the failure in the form that API servers use: status "Failure", reason
	// "WatchFailed", and details with the kind and, while the watch retries, retryAfterSeconds. The
	// code is that of the refusal, or of the ERROR event that the stream ended on, else 0. The
	// message is the text that Error returns.
	Status rest.Status
	// Attempt counts the consecutive failures, including this one. It is 0 if the watch could not
	// begin at all.
	Attempt int
	// Delay is exactly how long the watch waits before the next attempt. It is 0 if there is none.
	Delay time.Duration
	// Refusal says what the server refused, if the reason looks permanent: see ErrRefused. It is
	// nil otherwise.
	Refusal *Refusal
	// Err is the cause.
	Err error

	gaveUp bool
}

// Error returns one line of at most 4 KiB with the kind, what happens next, and the cause.
func (e *AttemptError) Error() string { return e.Status.Message }

// Unwrap returns the cause.
func (e *AttemptError) Unwrap() error { return e.Err }

// Is reports whether target is ErrGaveUp and the watch has given up, or ErrRefused and Refusal is
// set.
func (e *AttemptError) Is(target error) bool {
	return target == ErrGaveUp && e.gaveUp || target == ErrRefused && e.Refusal != nil
}

// A DecodeError reports an object that is valid JSON but does not decode into T, or is of another
// kind than the watch. The watch goes on after it.
type DecodeError struct {
	// Type is the type of the event that carried the object.
	Type Type
	// Key identifies the object.
	Key rest.Key
	// ResourceVersion is the version of the object.
	ResourceVersion string
	// Err is the error of the decoder, or says which kind the object has.
	Err error
}

// Error returns one line with the type of the event, the object and the decoder's error.
func (e *DecodeError) Error() string {
	return rest.OneLine(fmt.Sprintf("decode %s %s: %v", e.Type, e.Key, e.Err))
}

// Unwrap returns the decoder's error.
func (e *DecodeError) Unwrap() error { return e.Err }

// optionError is the error of an invalid option or filter. Its text is that of its cause.
type optionError struct{ err error }

func (e *optionError) Error() string { return rest.OneLine(e.err.Error()) }

// Is matches rest.ErrInvalidArgument.
func (e *optionError) Is(target error) bool { return target == rest.ErrInvalidArgument }
func (e *optionError) Unwrap() error        { return e.err }

// endedOnError means that a stream ended right after an ERROR event.
type endedOnError struct{ status *rest.StatusError }

func (e *endedOnError) Error() string { return "the stream ended on an error: " + statusText(e.status) }
func (e *endedOnError) Unwrap() error { return e.status }

// attemptFailed turns the report of stream.Retry into the error that the reader of the channel
// receives.
func attemptFailed(kind string, r stream.Retrying, refusal *Refusal) *AttemptError {
	next := "retrying in " + r.Delay.String()
	if r.GaveUp {
		next = "giving up after " + count(r.Attempt-1, "retry", "retries")
	}
	e := newAttemptError(kind, "failed, "+next, r.Err)
	e.Attempt, e.Delay, e.gaveUp, e.Refusal = r.Attempt, r.Delay, r.GaveUp, refusal
	if !r.GaveUp {
		e.Status.Details.RetryAfterSeconds = math.Round(r.Delay.Seconds()*1000) / 1000
	}
	return e
}

// count returns a number with its noun: "1 retry", "3 retries".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func newAttemptError(kind, what string, err error) *AttemptError {
	cause, code := "", 0
	if refused, ok := errors.AsType[*rest.StatusError](err); ok {
		code = refused.Status.Code
	}
	if direct, ok := err.(*rest.StatusError); ok { //nolint:errorlint // the text of a wrapping error says more
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
			Message: rest.OneLine(subject + " " + what + ": " + cause),
			Details: &rest.StatusDetails{Kind: kind},
		},
	}
}

// statusText formats a refusal as "403 Forbidden: pods is forbidden". A message that begins with
// the reason says it alone: "504 Timeout: Too large resource version".
func statusText(e *rest.StatusError) string {
	text := strconv.Itoa(e.Status.Code)
	reason, message := rest.OneLine(e.Status.Reason), rest.OneLine(e.Status.Message)
	switch {
	case message == "":
		return strings.TrimSuffix(text+" "+reason, " ")
	case reason == "":
		return text + ": " + message
	case strings.HasPrefix(squeezed(message), squeezed(reason)):
		return text + " " + message
	}
	return text + " " + reason + ": " + message
}

// squeezed returns a text in lower case and without spaces, so that words equal a reason.
func squeezed(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "")) }
