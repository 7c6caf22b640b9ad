package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/stream"
)

// retry makes a request, and makes it again as long as the handle asks for that and it is safe. The
// error says how often it was made again.
func (e *Endpoint) retry(ctx context.Context, method string, try func() error) error {
	b := e.options().Retry
	off := b == stream.Backoff{}
	for failures := 1; ; failures++ {
		err := try()
		if err == nil {
			return nil
		}
		if last, ok := errors.AsType[*lastError](err); ok {
			return last.err
		}
		wait, ok := retryDelay(ctx, b, failures, method, err)
		if off || !ok || (b.MaxRetries != 0 && failures > b.MaxRetries) {
			if failures > 1 {
				err = &retriedError{err: err, times: failures - 1}
			}
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// retryDelay returns how long to wait before the request is made again, and whether it may be.
func retryDelay(ctx context.Context, b stream.Backoff, failures int, method string, err error) (time.Duration, bool) {
	if ctx.Err() != nil || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrAnswer) || isUndecoded(err) {
		return 0, false
	}
	wait := b.Delay(failures)
	reads := method == http.MethodGet
	var refused *StatusError
	if !errors.As(err, &refused) {
		return wait, reads // nobody knows what became of a write
	}
	asked, again := refused.comeAgain()
	switch {
	case asked > stream.MaxRetryAfter, errors.Is(err, ErrDisruptionBudget):
		return 0, false
	case reads:
		switch refused.Status.Code {
		case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return max(wait, asked), true
		}
		return 0, false
	}
	switch refused.Status.Code {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return max(wait, asked), again
	}
	return 0, false
}

// lastError is an error after which the request must not be made again.
type lastError struct{ err error }

func (e *lastError) Error() string { return e.err.Error() }

func (e *lastError) Unwrap() error { return e.err }

// retriedError says how many retries have failed.
type retriedError struct {
	err   error
	times int
}

func (e *retriedError) Error() string {
	const most = line.Most - len(" (after 1000000000 retries)")
	text := line.Bounded(e.err.Error(), most)
	if e.times == 1 {
		return text + " (after 1 retry)"
	}
	return fmt.Sprintf("%s (after %d retries)", text, e.times)
}

func (e *retriedError) Unwrap() error { return e.err }
