// Package frame cuts the body of a watch into its events.
package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	smallest = 4 << 10  // of a buffer: an idle watch holds no more
	ordinary = 64 << 10 // a buffer that grew past it for one huge frame is not kept
)

// Errors of Next. Any other is that of the reader underneath, io.EOF where it ended between two frames.
var (
	ErrSyntax   = errors.New("not a watch event")
	ErrTooLarge = errors.New("larger than the limit")
)

// A Reader reads the events of a watch. They may be cut and joined in any way: neither chunks, nor reads, nor line ends
// mean anything. Each frame is checked to be sound JSON, all of it.
type Reader struct {
	r    io.Reader
	max  int    // bytes of one frame
	mem  []byte // the buffer
	buf  []byte // the part of it that was read and is not yet used
	used int    // how much of that the last frame took
}

// NewReader returns a Reader on the body of a watch, none of whose frames may have more than so many bytes; 0 is no limit.
func NewReader(r io.Reader, limit int64) *Reader {
	if limit <= 0 || limit > math.MaxInt {
		limit = math.MaxInt
	}
	return &Reader{r: r, max: int(limit)}
}

// Event is one frame. Object is valid until the next call of Next.
type Event struct {
	Type   string
	Object []byte
}

// Next reads one event. A bare Status, as some proxies send it, comes as the object of an ERROR.
func (r *Reader) Next() (Event, error) {
	r.release()
	for {
		r.buf = r.buf[space(r.buf, 0):]
		if len(r.buf) > 0 {
			break
		}
		if err := r.fill(); err != nil {
			return Event{}, err
		}
	}
	if r.buf[0] != '{' {
		return Event{}, fmt.Errorf("%w: it does not begin with {", ErrSyntax)
	}
	// A line end is a good sign that the frame is there. Without one the structure tells, over as many reads as it takes.
	if bytes.IndexByte(r.buf, '\n') >= 0 {
		if ev, end := parse(r.buf); end != cut {
			return r.take(ev, end)
		}
	}
	var s structure
	for seen := 0; ; {
		if end := s.end(r.buf[seen:]); end >= 0 {
			ev, end := parse(r.buf[:seen+end])
			return r.take(ev, end)
		}
		if seen = len(r.buf); seen > r.max {
			return Event{}, ErrTooLarge
		}
		switch err := r.fill(); {
		case errors.Is(err, io.EOF):
			if _, end := parse(r.buf); end != cut {
				return r.take(Event{}, bad)
			}
			return Event{}, io.ErrUnexpectedEOF
		case err != nil:
			return Event{}, err
		}
	}
}

func (r *Reader) take(ev Event, end int) (Event, error) {
	switch {
	case end < 0:
		return Event{}, fmt.Errorf("%w: broken JSON", ErrSyntax)
	case end > r.max:
		return Event{}, ErrTooLarge
	case ev.Type == "" || len(ev.Object) == 0 || ev.Object[0] != '{':
		return Event{}, fmt.Errorf("%w: it lacks a type or an object", ErrSyntax)
	}
	r.used = end
	return ev, nil
}

// release forgets the last frame.
func (r *Reader) release() {
	r.buf, r.used = r.buf[r.used:], 0
	r.buf = r.buf[space(r.buf, 0):] // the line end that follows it is no reason to keep the buffer
	if len(r.buf) == 0 && cap(r.mem) > ordinary {
		r.mem, r.buf = nil, nil
	}
}

// fill reads once, into a buffer that grows while the reader has more than fits. It returns an error only if it read nothing.
func (r *Reader) fill() error {
	if room := cap(r.buf) - len(r.buf); room < cap(r.mem)/2 || room == 0 {
		if len(r.buf) > cap(r.mem)/2 || cap(r.mem) == 0 {
			r.mem = make([]byte, max(smallest, 2*cap(r.mem)))
		}
		r.buf = r.mem[:copy(r.mem, r.buf)]
	}
	for range 100 {
		n, err := r.r.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if n > 0 {
			if len(r.buf) == cap(r.mem) && cap(r.mem) < ordinary {
				r.mem = make([]byte, 2*cap(r.mem))
				r.buf = r.mem[:copy(r.mem, r.buf)]
			}
			return nil // an error comes again
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// parse reads the frame at the start of b, and returns where it ends, or cut, or bad.
func parse(b []byte) (ev Event, end int) {
	status := false
	end = object(b, 1, 1, func(name, v []byte) {
		switch string(unquote(name)) {
		case "type":
			ev.Type = typeOf(v)
		case "object":
			ev.Object = v
		case "kind":
			status = string(unquote(v)) == "Status"
		}
	})
	if end > 0 && ev.Type == "" && ev.Object == nil && status {
		return Event{Type: "ERROR", Object: b[:end]}, end
	}
	return ev, end
}

// typeOf gives the types that there are without an allocation.
func typeOf(v []byte) string {
	switch u := unquote(v); string(u) {
	case "ADDED":
		return "ADDED"
	case "MODIFIED":
		return "MODIFIED"
	case "DELETED":
		return "DELETED"
	case "BOOKMARK":
		return "BOOKMARK"
	default:
		return string(u)
	}
}

// unquote gives the text of a string that is known to be sound, and nothing for another value.
func unquote(v []byte) []byte {
	if len(v) < 2 || v[0] != '"' {
		return nil
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1]
	}
	u, _ := jsontext.AppendUnquote(nil, v) // an error tells of bad UTF-8, which is let through
	return u
}
