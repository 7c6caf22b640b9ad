package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/tideway-go/tideway/rest/internal/wire"
	"github.com/tideway-go/tideway/stream"
)

// How often Modify begins again when somebody else was faster.
const (
	modifyRetries = 5
	modifyFirst   = 10 * time.Millisecond
	modifyLongest = time.Second
)

// Modify reads the object called name, calls change to change it, and sends the difference as a merge
// patch that holds only for the version that was read. It answers with the object as the server stored
// it.
//
// If the object was changed in the meantime, Modify reads it again: change may be called several times,
// each time with a new object, and is called in another goroutine. That happens up to five times, after
// 10 milliseconds that double; then the error matches [ErrConflict]. An object that change leaves as it
// was is not sent, and is the answer. An error of change ends Modify, and can be unwrapped.
//
// What T does not know stays as it is: a struct with the fields that change needs is enough. The
// exception is an array: it is sent as a whole, and if T does not know all members of its elements, a
// change to it is refused.
//
// A server ignores a change of status unless it comes through the subresource: such a change is an
// error, and [Resource.ModifyStatus] makes it.
func (r Resource[T]) Modify(ctx context.Context, name string, change func(*T) error) <-chan stream.Result[*T] {
	return r.modify(ctx, name, modification[T]{change: change})
}

// ModifyStatus is [Resource.Modify] for the status of the object: it reads the object and patches its
// subresource. A change of anything else is an error.
func (r Resource[T]) ModifyStatus(ctx context.Context, name string, change func(*T) error) <-chan stream.Result[*T] {
	return r.modify(ctx, name, modification[T]{change: change, status: true})
}

// modification is what Modify was asked to do.
type modification[T any] struct {
	change func(*T) error
	status bool // only the status, through its subresource
}

func (r Resource[T]) modify(ctx context.Context, name string, m modification[T]) <-chan stream.Result[*T] {
	err := r.endpoint.checkName("modify", name)
	switch {
	case err != nil:
	case m.change == nil:
		err = r.endpoint.bad("modify", name, errors.New("the function is nil"))
	case m.status:
		err = r.endpoint.whole("modify")
	}
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	return stream.Go(ctx, func(ctx context.Context) (*T, error) {
		return resolved(ctx, r.endpoint, func(e Endpoint) (*T, error) { return m.until(ctx, &e, name) })
	})
}

// until tries until nobody else was faster.
func (m modification[T]) until(ctx context.Context, e *Endpoint, name string) (*T, error) {
	pause := stream.Backoff{Initial: modifyFirst, Max: modifyLongest}
	for failures := 1; ; failures++ {
		v, err := m.once(ctx, e, name)
		if !errors.Is(err, errChanged) {
			return v, err
		}
		if failures > modifyRetries {
			return nil, &retriedError{err: errors.Unwrap(err), times: modifyRetries}
		}
		timer := time.NewTimer(pause.Delay(failures))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, e.failed("modify", name, context.Cause(ctx))
		}
	}
}

// errChanged means that somebody else was faster.
var errChanged = errors.New("the object was changed in the meantime")

// changedError is the conflict that says so.
type changedError struct{ err error }

func (e *changedError) Error() string { return e.err.Error() }

// Is matches errChanged.
func (e *changedError) Is(target error) bool { return target == errChanged }

func (e *changedError) Unwrap() error { return e.err }

// once is one try.
func (m modification[T]) once(ctx context.Context, e *Endpoint, name string) (*T, error) {
	got, err := e.do(ctx, &request{op: "modify", method: http.MethodGet, name: name})
	if err != nil {
		return nil, err
	}
	v, doc, err := Resource[T]{*e}.difference(got.body, m.change)
	if err == nil {
		err = m.check(e, doc)
	}
	switch {
	case err != nil:
		return nil, e.failed("modify", name, err)
	case len(doc) == 0:
		return v, nil
	}
	patch, err := Encode(doc)
	if err != nil {
		return nil, e.failed("modify", name, err)
	}
	to := e
	if m.status {
		status := Sub[T](Resource[T]{*e}, subStatus).endpoint
		to = &status
	}
	write := &request{op: "modify", method: http.MethodPatch, name: name, contentType: string(TypeMergePatch), body: patch}
	v, err = taker[*T](func(e *Endpoint, q *request, a answer) (*T, error) {
		if err := m.checkAnswer(e, doc, got.body, a.body); err != nil {
			return nil, err
		}
		return answered[T](e, q, a)
	}).exchange(ctx, to, write)
	if errors.Is(err, ErrConflict) {
		return nil, &changedError{err}
	}
	return v, err
}

const memberStatus = "status"

var errStatus = invalid(errors.New("the status is a subresource and would not change: use ModifyStatus"))

// check refuses changes that the server would drop without a word.
func (m modification[T]) check(e *Endpoint, doc map[string]any) error {
	_, status := doc[memberStatus]
	switch {
	case m.status:
		for member := range doc {
			if member != memberStatus && member != "metadata" || member == "metadata" && len(doc[member].(map[string]any)) > 1 {
				return invalid(fmt.Errorf("%s is not part of the status: use Modify", member))
			}
		}
	case status && e.subresource == "":
		if s := e.client.served(e.kind); s != nil && slices.Contains(s.Subresources, subStatus) {
			return errStatus
		}
	}
	return nil
}

// checkAnswer reports a change of the status that the server did drop: whether a kind has the
// subresource is not known if only a descriptor is.
func (m modification[T]) checkAnswer(e *Endpoint, doc map[string]any, before, after []byte) error {
	if _, ok := doc[memberStatus]; !ok || e.subresource != "" {
		return nil
	}
	type status struct {
		Status any `json:"status"`
	}
	was, err := Decode[status](before)
	if err != nil {
		return nil //nolint:nilerr // the answer is decoded next, and the error is said there
	}
	is, err := Decode[status](after)
	if err == nil && same(was.Status, is.Status) {
		return errStatus
	}
	return nil
}

// difference returns the object after the change and the merge patch that makes it, empty if there is no
// difference.
func (r Resource[T]) difference(raw []byte, change func(*T) error) (*T, map[string]any, error) {
	v, err := r.Decode(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("decoding the answer: %w", err)
	}
	before, err := generic(v)
	if err != nil {
		return nil, nil, err
	}
	if err := change(v); err != nil {
		return nil, nil, err
	}
	after, err := generic(v)
	if err != nil {
		return nil, nil, err
	}
	stored, err := Decode[map[string]any](raw)
	if err != nil {
		return nil, nil, err
	}
	doc, err := mergeDiff(*stored, before, after, "")
	if err != nil || len(doc) == 0 {
		return v, nil, err
	}
	is, err := wire.ReadIdentity(raw)
	if err == nil && is.ResourceVersion == "" {
		err = errors.New("the server's object has no resource version")
	}
	if err != nil {
		return nil, nil, err
	}
	metadata, ok := doc["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		doc["metadata"] = metadata
	}
	metadata["resourceVersion"] = is.ResourceVersion
	return v, doc, nil
}

// generic returns an object as JSON has it.
func generic(v any) (map[string]any, error) {
	raw, err := Encode(v)
	if err != nil {
		return nil, fmt.Errorf("encoding the object: %w", err)
	}
	m, err := Decode[map[string]any](raw)
	if err != nil {
		return nil, fmt.Errorf("encoding the object: %w", err)
	}
	return *m, nil
}
