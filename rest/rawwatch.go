package rest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/rest/internal/wire"
)

// ErrFrame means that something in a watch is not an event.
var ErrFrame = errors.New("broken frame")

// WatchOptions are the parameters of [Endpoint.Watch].
type WatchOptions struct {
	Name, LabelSelector, FieldSelector string        // as in [ListOptions]
	ResourceVersion                    string        // the events begin after it
	Timeout                            time.Duration // the server ends the watch then; whole seconds
	// Initial asks the server to send what there is first, as ADDED, and then a bookmark for which
	// Frame.EndOfInitial is set, and whose version is that of the whole. ResourceVersion is then
	// the oldest state that will do; "" means the present one. What cannot be done is an
	// [ErrNoStreaming]; so is an end that has not come 60 seconds after the request and 10 seconds
	// after the last ADDED, not counting the time between two reads.
	Initial bool
}

// watchGrace is how much longer than its timeout a server may keep a watch open before it is taken
// for dead.
const watchGrace = 5 * time.Second

// Watch sends one watch request, asks for bookmarks, and returns once the server has accepted it.
// The caller closes the frames.
//
// [CallOptions].Retry does not apply. If the server keeps the watch open for five seconds longer
// than o.Timeout, not counting the time between two reads, it ends with [ErrOverdue], and later
// requests use new connections. A refusal is a [*StatusError]; other errors are the bare cause,
// without the operation.
func (e Endpoint) Watch(ctx context.Context, o WatchOptions) (*Frames, error) {
	needContext(ctx)
	if err := e.whole("watch"); err != nil {
		return nil, err
	}
	q := request{op: "watch", method: http.MethodGet, collection: true, query: o.query()}
	if err := e.check(&q); err != nil {
		return nil, err
	}
	if err := e.checkResolved(); err != nil {
		return nil, err
	}
	open := e.openUntil
	if o.Initial {
		open = e.openInitial
	}
	body, err := open(ctx, &q, o.Timeout+watchGrace)
	if err != nil {
		return nil, err
	}
	limit := e.options().maxObject()
	return &Frames{
		endpoint: e, body: body, limit: limit, frames: wire.NewFrames(body, limit), asked: e.asks(o.Name),
		waits: o.Initial,
	}, nil
}

func (o *WatchOptions) query() url.Values {
	q := url.Values{
		"watch":               {"true"},
		"allowWatchBookmarks": {"true"},
		"resourceVersion":     {o.ResourceVersion},
		"timeoutSeconds":      {strconv.Itoa(int(o.Timeout / time.Second))},
	}
	if o.Initial {
		q.Set("sendInitialEvents", "true")
		q.Set("resourceVersionMatch", "NotOlderThan")
	}
	addNonEmpty(q, "labelSelector", o.LabelSelector)
	addNonEmpty(q, "fieldSelector", fieldsOf(o.Name, o.FieldSelector))
	return q
}

// Frames reads one watch request. It is not safe for concurrent use.
type Frames struct {
	endpoint Endpoint
	body     *timedBody
	limit    int64
	frames   *wire.Frames
	asked    *asked
	began    bool // there was an event
	waits    bool // for the end of the initial events
}

// Frame is one event of a watch, before its object is decoded.
type Frame struct {
	Type                 string // "ADDED", "MODIFIED", "DELETED", "BOOKMARK" or "ERROR"
	Key                  Key    // like the next two, empty for ERROR
	UID, ResourceVersion string
	JSON                 jsontext.Value // the object; valid until the next call of Next
	// Err is set if the object is not what the watch asked for: of another kind, name or namespace,
	// without a name, or with one of more than 4 KiB. It matches [ErrAnswer]. The other fields say
	// what came: Key has the kind of the object.
	Err error
	// EndOfInitial is set for the bookmark after the last of the initial events.
	EndOfInitial bool
	endpoint     *Endpoint
}

// Next returns the next event, and [io.EOF] if the server ended the watch in an orderly way. What
// is not an event is an [ErrFrame]; if it exceeds [CallOptions].MaxObject, the error also matches
// [ErrTooLarge]. An answer that is not JSON at all matches [ErrAnswer] as well.
func (f *Frames) Next() (Frame, error) {
	raw, err := f.frames.Next()
	if err != nil {
		return Frame{}, f.ended(err)
	}
	frame := Frame{Type: raw.Type, JSON: raw.Object, endpoint: &f.endpoint}
	if raw.Type == "ERROR" {
		f.began = true
		return frame, nil
	}
	is, err := wire.ReadIdentity(raw.Object)
	if err != nil {
		return Frame{}, line.Errorf("%w: %w", ErrFrame, err)
	}
	frame.Key, frame.UID, frame.ResourceVersion = f.endpoint.key(is.Namespace, is.Name), is.UID, is.ResourceVersion
	fits := f.asked.named
	if raw.Type == "BOOKMARK" {
		fits = f.asked.identity
	}
	if err := fits(&is); err != nil {
		frame.Err = line.Errorf("%s: %w", raw.Type, err)
		frame.Key.Name, frame.Key.Namespace, frame.UID = bounded(is.Name), bounded(is.Namespace), bounded(is.UID)
		if f.asked.types(is.Kind, is.APIVersion) != nil {
			frame.Key.Group, frame.Key.Kind = groupOf(is.APIVersion), is.Kind
		}
	} else if f.endpoint.partial {
		frame.JSON = f.endpoint.typed(raw.Object, &is)
	}
	if f.began = true; f.waits {
		f.initial(&frame)
	}
	return frame, nil
}

// Close ends the request.
func (f *Frames) Close() { f.body.close() }

// ended returns the error of a stream that has ended.
func (f *Frames) ended(err error) error {
	switch err = f.body.cause(err); {
	case errors.Is(err, ErrNoStreaming):
		f.endpoint.client.lists.note(f.endpoint.kind)
	case errors.Is(err, wire.ErrTooLarge):
		return line.Errorf("%w: %w", ErrFrame, tooLarge(f.limit))
	case errors.Is(err, wire.ErrSyntax):
		if body := f.body.reading(); body != nil && !f.began && !looksLikeJSON(body.begun) {
			err = body.notJSON()
		}
		return line.Errorf("%w: %w", ErrFrame, err)
	case goneAway(err):
		return io.EOF
	}
	return err
}

// orderly matches the text of the error of a connection that the server closed in an orderly way.
// The last part is quoted and its own words, so nothing may be looked for in it.
var orderly = regexp.MustCompile(`^http2: server sent GOAWAY and closed the connection; LastStreamID=\d+, ErrCode=NO_ERROR, debug="`)

// goneAway reports whether an HTTP/2 server closed the connection with an orderly GOAWAY. net/http
// does not export the type of that error; its text is all there is.
func goneAway(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if orderly.MatchString(err.Error()) {
			return true
		}
	}
	return false
}

// Refusal returns the error that an ERROR event carries, a new one at each call.
func (f Frame) Refusal() (*StatusError, error) {
	status, err := decodeStatus(f.JSON)
	if err != nil {
		return nil, line.Errorf("%w: ERROR without a Status: %w", ErrFrame, err)
	}
	return f.endpoint.refusal("watch", "", *status), nil
}
