package watch

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// request sends a GET for the collection, with the selectors and what the query adds. The server may take as long as
// patience for the answer and all of its body.
func (w *watcher) request(ctx context.Context, op string, query url.Values, patience time.Duration) (*response, error) {
	if w.options.LabelSelector != "" {
		query.Set("labelSelector", w.options.LabelSelector)
	}
	if w.options.FieldSelector != "" {
		query.Set("fieldSelector", w.options.FieldSelector)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	res := &response{cancel: cancel, left: patience, cause: func(err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}}
	req, err := w.endpoint.Request(ctx, http.MethodGet, "", "", query, nil)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	w.asked = time.Now()
	res.resume()
	answer, err := w.endpoint.Client().RoundTripper().RoundTrip(req) //nolint:bodyclose // response.close does
	if err != nil {
		defer res.close()
		return nil, res.cause(err)
	}
	res.body = answer.Body
	w.endpoint.Warn(op, "", answer.Header)
	if answer.StatusCode != http.StatusOK {
		defer res.close()
		return nil, rest.NewStatusError(op, w.endpoint, "", answer)
	}
	return res, nil
}

// response is the body of an answer that must come to its end in time. The clock stands still while the reader of the
// events is waited for: that is not the server's doing.
type response struct {
	body   io.ReadCloser
	cancel context.CancelCauseFunc
	cause  func(error) error // the reason why the request was given up, else the error itself

	timer *time.Timer
	left  time.Duration
	since time.Time
}

func (r *response) Read(p []byte) (int, error) { return r.body.Read(p) }

// resume starts the clock, or starts it again. On nil, where nothing is being read, it does nothing.
func (r *response) resume() {
	if r == nil {
		return
	}
	r.since = time.Now()
	if r.timer == nil {
		r.timer = time.AfterFunc(r.left, func() { r.cancel(ErrOverdue) })
		return
	}
	r.timer.Reset(r.left)
}

func (r *response) pause() {
	if r != nil && r.timer.Stop() {
		r.left = max(0, r.left-time.Since(r.since))
	}
}

func (r *response) close() {
	if r.timer != nil {
		r.timer.Stop()
	}
	if r.body != nil {
		r.body.Close()
	}
	r.cancel(nil)
}
