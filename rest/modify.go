package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

// Modify reads the object called name, has change change it, and sends the
// difference as a merge patch that holds only for the version that was read. It
// answers with the object as the server stored it.
//
// When the object was changed meanwhile, Modify reads it again: change may be
// called several times, each time with a new object, and is called in another
// goroutine. That happens up to five times, after 10 milliseconds that double;
// then the error matches [ErrConflict]. An object that change leaves as it was
// is not sent, and is the answer. An error of change ends it, and can be
// unwrapped.
//
// What T does not know stays as it is, so that a struct with the fields that
// change needs is enough. The exception is an array: it is sent as a whole, and
// a change to one of whose members T does not know all is refused. The
// subresource status is modified by a handle of [Sub].
func (r Resource[T]) Modify(ctx context.Context, name string, change func(*T) error) <-chan stream.Result[*T] {
	err := r.endpoint.checkName("modify", name)
	if err == nil && change == nil {
		err = r.endpoint.bad("modify", name, errors.New("the function is nil"))
	}
	if err != nil {
		return stream.Answer[*T](nil, err)
	}
	return stream.Go(ctx, func(ctx context.Context) (*T, error) {
		return resolved(ctx, r.endpoint, func(e Endpoint) (*T, error) { return Resource[T]{e}.modifyUntil(ctx, name, change) })
	})
}

// modifyUntil tries until nobody else was faster.
func (r Resource[T]) modifyUntil(ctx context.Context, name string, change func(*T) error) (*T, error) {
	pause := stream.Backoff{Initial: modifyFirst, Max: modifyLongest}
	for failures := 1; ; failures++ {
		v, err := r.modify(ctx, name, change)
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
			return nil, r.endpoint.failed("modify", name, context.Cause(ctx))
		}
	}
}

// errChanged tells that somebody else was faster.
var errChanged = errors.New("the object was changed meanwhile")

// changedError is the conflict that says so.
type changedError struct{ err error }

func (e *changedError) Error() string { return e.err.Error() }

// Is matches errChanged.
func (e *changedError) Is(target error) bool { return target == errChanged }

func (e *changedError) Unwrap() error { return e.err }

// modify is one try.
func (r Resource[T]) modify(ctx context.Context, name string, change func(*T) error) (*T, error) {
	e := r.endpoint
	got, err := e.do(ctx, &request{op: "modify", method: http.MethodGet, name: name})
	if err != nil {
		return nil, err
	}
	v, doc, err := r.difference(got.body, change)
	switch {
	case err != nil:
		return nil, e.failed("modify", name, err)
	case doc == nil:
		return v, nil
	}
	write := &request{op: "modify", method: http.MethodPatch, name: name, contentType: string(TypeMergePatch), body: doc}
	v, err = taker[*T](answered[T]).exchange(ctx, &e, write)
	if errors.Is(err, ErrConflict) {
		return nil, &changedError{err}
	}
	return v, err
}

// difference returns the object after the change and the merge patch that makes
// it, nil when there is no difference.
func (r Resource[T]) difference(raw []byte, change func(*T) error) (*T, []byte, error) {
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
	patch, err := Encode(doc)
	return v, patch, err
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
