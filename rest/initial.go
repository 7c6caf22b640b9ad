package rest

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// ErrNoStreaming means that the server cannot begin a watch with what there is, as
// [WatchOptions].Initial asks it to: it refuses the parameters (422, 400), or has not said in time
// where the initial events end. Servers before Kubernetes 1.32, and some that stand in front of
// others, cannot do it. A list and a watch after it always work.
var ErrNoStreaming = errors.New("the server does not stream lists")

// errNoMark means that the end of the initial events did not come in time.
var errNoMark = line.Errorf("%w: it has not said where the initial events end", ErrNoStreaming)

const (
	// markPatience is how long a server may take until it has said where the initial events end,
	// and markIdle how long it may be silent after one of them, if that is later.
	markPatience, markIdle = time.Minute, 10 * time.Second
	// streamingAgain is how long the client remembers that a server cannot stream the lists of a
	// resource.
	streamingAgain = time.Hour
)

// endOfInitial is the annotation of the bookmark that ends the initial events.
const endOfInitial = "k8s.io/initial-events-end"

// Streams reports whether [WatchOptions].Initial is worth asking for. It is not for an hour after
// an [ErrNoStreaming] of this client for this resource.
func (e Endpoint) Streams() bool { return e.client != nil && !e.client.lists.cannot(e.kind) }

// lists remembers the resources whose lists the server cannot stream.
type lists struct {
	mu    sync.Mutex
	until map[Kind]time.Time
}

func (l *lists) cannot(k Kind) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	until, ok := l.until[k]
	return ok && time.Now().Before(until)
}

// note remembers that the server cannot stream the lists of a kind.
func (l *lists) note(k Kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(l.until, func(_ Kind, until time.Time) bool { return !now.Before(until) })
	if l.until == nil {
		l.until = make(map[Kind]time.Time)
	}
	l.until[k] = now.Add(streamingAgain)
}

// openInitial sends a watch request that asks for what there is.
func (e *Endpoint) openInitial(ctx context.Context, q *request, patience time.Duration) (*timedBody, error) {
	body, err := e.openMarked(ctx, q, patience, markPatience)
	refused, ok := errors.AsType[*StatusError](err)
	switch {
	case errors.Is(err, ErrNoStreaming):
	case ok && (refused.Status.Code == http.StatusUnprocessableEntity || refused.Status.Code == http.StatusBadRequest):
		err = line.Errorf("%w: %w", ErrNoStreaming, err)
	default:
		return body, err
	}
	e.client.lists.note(e.kind)
	return nil, err
}

// initial looks for the end of the initial events in a frame. A bookmark that cannot be read has
// none.
func (f *Frames) initial(frame *Frame) {
	switch frame.Type {
	case "ADDED":
		f.body.mark.extend(markIdle) // changes come without end
		return
	case "BOOKMARK":
	default:
		return
	}
	bookmark, err := Decode[PartialObjectMetadata](frame.JSON)
	if err == nil && bookmark.Metadata.Annotations[endOfInitial] == "true" {
		frame.EndOfInitial = true
		f.waits = false
		f.body.mark.stop()
	}
}
