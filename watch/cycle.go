package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch/internal/frame"
)

// grace is how much longer than its timeout a server may keep a cycle open before it is taken for dead.
const grace = 5 * time.Second

// ending says how a cycle ended.
type ending struct {
	moved bool  // an event came, filtered or not, or a bookmark of a new version
	err   error // nil: it ended well
}

// cycle is one watch request, from the version on, until it ends.
func (w *watcher) cycle(ctx context.Context, a *stream.Attempt[item]) (end ending) {
	started := time.Now()
	query := url.Values{
		"watch":               {"true"},
		"allowWatchBookmarks": {"true"},
		"resourceVersion":     {w.version},
		"timeoutSeconds":      {strconv.Itoa(int(w.options.Timeout / time.Second))},
	}
	res, err := w.request(ctx, "watch", query, w.options.Timeout+grace)
	if err != nil {
		return ending{err: err}
	}
	defer res.close()

	var told *rest.StatusError // the ERROR event, while it is the last frame
	frames := frame.NewReader(res, w.endpoint.MaxObject())
	for {
		f, err := frames.Next()
		if err != nil {
			end.err = w.ended(res.cause(err), told, end.moved, time.Since(started))
			return end
		}
		it, was := item{typ: Type(f.Type)}, w.version
		switch it.typ {
		case Added, Modified, Deleted, Bookmark:
			err, told = w.take(&it, f.Object), nil
		case Error:
			if told, err = w.refusal(f.Object); err == nil {
				it.err, err = w.refusal(f.Object) // the reader's own
			}
		default:
			err = fmt.Errorf("%w: type %q", ErrFrame, f.Type)
		}
		switch {
		case err != nil:
			end.err = err
			return end
		case it.typ == Bookmark && w.version == was: // it brings nothing, and a server may repeat it for ever
		case told == nil:
			end.moved = true
			a.OK()
		case errors.Is(told, rest.ErrExpired):
			end.err = told
			return end
		}
		if !w.tell(a, res, it) {
			end.err = ctx.Err()
			return end
		}
	}
}

// take reads the metadata of an event's object, moves the version, follows what is known, and copies the object unless it
// is filtered.
func (w *watcher) take(it *item, object []byte) error {
	m, err := rest.ReadMeta(object)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFrame, err)
	}
	if m.ResourceVersion == "" {
		return fmt.Errorf("%s %s: %w", it.typ, strings.TrimSuffix(w.key(m).String(), " "), ErrNoVersion)
	}
	w.version, it.version = m.ResourceVersion, m.ResourceVersion
	if it.typ == Bookmark {
		return nil
	}
	it.key = w.key(m)
	switch {
	case !w.filters.matter(it.key):
		return nil
	case it.typ == Deleted:
		w.known.remove(it.key)
	default:
		w.known.put(it.key, it.version)
	}
	if w.filters.keep(it.typ, it.key) {
		it.raw = newBuffer()
		*it.raw = append(*it.raw, object...)
	}
	return nil
}

func (w *watcher) key(m rest.Meta) rest.Key {
	return rest.Key{Kind: w.endpoint.Kind().Kind, Namespace: m.Namespace, Name: m.Name, UID: m.UID}
}

// refusal reads the Status of an ERROR event.
func (w *watcher) refusal(object []byte) (*rest.StatusError, error) {
	status, err := rest.Decode[rest.Status](object)
	if err != nil {
		return nil, fmt.Errorf("%w: ERROR without a Status: %w", ErrFrame, err)
	}
	return w.endpoint.Refusal("watch", "", *status), nil
}

// tell delivers the item, unless it is filtered; false means that the watch is over. While the reader is slow the server
// is not held to its deadline.
func (w *watcher) tell(a *stream.Attempt[item], res *response, it item) bool {
	if it.typ == Bookmark && !w.options.Bookmarks || !w.filters.keep(it.typ, it.key) {
		return true
	}
	it.kind = w.partial
	res.pause()
	defer res.resume()
	return a.Send(it)
}

// ended decides whether a stream that ended with err ended well.
func (w *watcher) ended(err error, told *rest.StatusError, moved bool, lasted time.Duration) error {
	clean := errors.Is(err, io.EOF) || goneAway(err)
	switch {
	case told != nil:
		return &endedOnError{told}
	case errors.Is(err, frame.ErrTooLarge):
		return fmt.Errorf("%w: %w (%d bytes)", ErrFrame, rest.ErrTooLarge, w.endpoint.MaxObject())
	case errors.Is(err, frame.ErrSyntax):
		return fmt.Errorf("%w: %w", ErrFrame, err)
	case !clean:
		return err
	case !moved && lasted < w.options.MinDuration:
		return ErrShort
	default:
		return nil
	}
}

// goneAway reports whether an HTTP/2 server closed the connection with an orderly GOAWAY. The type of that error is not
// exported by net/http, its text is all there is.
func goneAway(err error) bool {
	s := err.Error()
	return strings.Contains(s, "server sent GOAWAY") && strings.Contains(s, "ErrCode=NO_ERROR")
}
