package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/tideway-go/tideway/rest/internal/shape"
	"github.com/tideway-go/tideway/rest/internal/wire"
	"github.com/tideway-go/tideway/stream"
)

// How often, and after how long, Modify starts over if somebody else was faster.
const (
	modifyRetries = 5
	modifyFirst   = 10 * time.Millisecond
	modifyLongest = time.Second
)

// Modify reads the object called name, calls change, and sends the difference as a merge patch for
// the version that was read. It answers with the object as stored. If change leaves the object as
// it was, nothing is sent.
//
// If somebody else changed the object in the meantime, Modify starts over, up to five times, after
// 10 milliseconds that double; then the error matches [ErrConflict]. So change may be called
// several times, each time with a new object, in another goroutine. Its error ends Modify, and is
// wrapped.
//
// A field that is nil now, or an entry that is gone, is removed from the object. A field that held
// something and now holds false, 0, "" or an empty struct is set to that, even if its tag says
// omitempty: a type that has to mean "absent" is a pointer.
//
// Fields that T does not have stay as they are, so a small struct is enough. Arrays are sent as a
// whole: a change to one is refused if T lacks fields of its elements. Servers ignore a change of
// status here, so it is an error: use [Resource.ModifyStatus].
func (r Resource[T]) Modify(ctx context.Context, name string, change func(*T) error) <-chan stream.Result[*T] {
	needContext(ctx)
	return r.modify(ctx, name, modification[T]{change: change})
}

// ModifyStatus is [Resource.Modify] for the status: it patches the subresource. A change of
// anything else is an error.
func (r Resource[T]) ModifyStatus(ctx context.Context, name string, change func(*T) error) <-chan stream.Result[*T] {
	needContext(ctx)
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

// until tries until nobody else has changed the object in between.
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

// changedError is the conflict of such a try.
type changedError struct{ err error }

func (e *changedError) Error() string { return e.err.Error() }

// Is matches errChanged.
func (e *changedError) Is(target error) bool { return target == errChanged }

func (e *changedError) Unwrap() error { return e.err }

// once tries once.
func (m modification[T]) once(ctx context.Context, e *Endpoint, name string) (*T, error) {
	got, err := e.do(ctx, &request{op: "modify", method: http.MethodGet, name: name})
	if err != nil {
		return nil, err
	}
	got.body = wire.Single(got.body)
	if err := cmp.Or(got.notJSON(), e.asks(name).object(got.body)); err != nil {
		return nil, e.failed("modify", name, fmt.Errorf("decoding the answer: %w", err))
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
	var stored []byte
	v, err = taker[*T](func(e *Endpoint, q *request, a answer) (*T, error) {
		stored = a.body
		return answered[T](e, q, a)
	}).exchange(ctx, to, write)
	switch {
	case errors.Is(err, ErrConflict):
		return nil, &changedError{err}
	case err == nil && m.dropped(to, doc, got.body, stored):
		return nil, e.failed("modify", name, errStatus)
	}
	return v, err
}

const memberStatus = "status"

var errStatus = invalid(errors.New("the status is a subresource and would not change: use ModifyStatus"))

// check refuses changes that the server would silently drop.
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

// dropped reports whether the server has dropped a change of the status. If all that is known of a
// kind is its descriptor, nobody knows in advance whether it has the subresource.
func (m modification[T]) dropped(e *Endpoint, doc map[string]any, before, after []byte) bool {
	if _, ok := doc[memberStatus]; !ok || e.subresource != "" {
		return false
	}
	type status struct {
		Status any `json:"status"`
	}
	was, err := Decode[status](before)
	if err != nil {
		return false
	}
	is, err := Decode[status](after)
	return err == nil && same(was.Status, is.Status)
}

// difference returns the object after the change and the merge patch that makes it, empty if there
// is no difference.
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
	shape.SetZeros(v, before, after)
	stored, err := Decode[map[string]any](raw)
	if err != nil {
		return nil, nil, err
	}
	doc, err := mergeDiff(*stored, before, after, "")
	if err != nil || len(doc) == 0 {
		return v, nil, invalid(err)
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

// generic returns an object as a map, as its JSON reads.
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
