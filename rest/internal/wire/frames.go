package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

const (
	smallest = 4 << 10  // size of a buffer: an idle watch holds no more
	ordinary = 64 << 10 // a buffer that grew past it for one huge frame is not kept
)

// Errors of Next. All others come from the reader underneath: io.EOF if it ended between two
// frames.
var (
	ErrSyntax   = errors.New("not a watch event")
	ErrTooLarge = errors.New("larger than the limit")
)

// Frames reads the events of a watch, however they are cut and joined: chunks, reads and line ends
// mean nothing. Each frame is checked to be valid JSON as a whole.
type Frames struct {
	r    io.Reader
	max  int    // bytes of one frame
	mem  []byte // the buffer
	buf  []byte // the part of it that was read and is not yet used
	used int    // how much of that the last frame took

	frame frameVisitor // of the frame that is read
}

// NewFrames returns a reader of the body of a watch. No frame may be longer than limit, in bytes; 0
// means no limit.
func NewFrames(r io.Reader, limit int64) *Frames {
	if limit <= 0 || limit > math.MaxInt {
		limit = math.MaxInt
	}
	return &Frames{r: r, max: int(limit)}
}

// Frame is one event of a watch: its type, such as "ADDED", and the JSON of its object.
type Frame struct {
	Type   string
	Object []byte // valid until the next call of Next
}

// Next reads one frame. A bare Status, as some proxies send it, becomes the object of an ERROR.
func (r *Frames) Next() (Frame, error) {
	r.release()
	for {
		r.buf = r.buf[space(r.buf, 0):]
		if len(r.buf) > 0 {
			break
		}
		if err := r.fill(); err != nil {
			return Frame{}, err
		}
	}
	if r.buf[0] != '{' {
		return Frame{}, fmt.Errorf("%w: it does not begin with {", ErrSyntax)
	}
	// A line end is a good sign that the frame is complete. Without one, braces and quotes show
	// where it ends, over as many reads as it takes.
	if bytes.IndexByte(r.buf, '\n') >= 0 {
		if ev, end := r.parse(r.buf); end != cut {
			return r.take(ev, end)
		}
	}
	var s structure
	for seen := 0; ; {
		if end := s.end(r.buf[seen:]); end >= 0 {
			ev, end := r.parse(r.buf[:seen+end])
			return r.take(ev, end)
		}
		if seen = len(r.buf); seen > r.max {
			return Frame{}, ErrTooLarge
		}
		switch err := r.fill(); {
		case errors.Is(err, io.EOF):
			if _, end := r.parse(r.buf); end != cut {
				return r.take(Frame{}, bad)
			}
			return Frame{}, io.ErrUnexpectedEOF
		case err != nil:
			return Frame{}, err
		}
	}
}

func (r *Frames) take(ev Frame, end int) (Frame, error) {
	switch {
	case end < 0:
		return Frame{}, fmt.Errorf("%w: broken JSON", ErrSyntax)
	case end > r.max:
		return Frame{}, ErrTooLarge
	case ev.Type == "" || len(ev.Object) == 0 || ev.Object[0] != '{':
		return Frame{}, fmt.Errorf("%w: it lacks a type or an object", ErrSyntax)
	}
	r.used = end
	if r.frame.object.doubled {
		ev.Object = single(ev.Object)
	}
	r.frame.ev = Frame{} // the buffer may be large
	return ev, nil
}

// release forgets the last frame.
func (r *Frames) release() {
	r.buf, r.used = r.buf[r.used:], 0
	r.buf = r.buf[space(r.buf, 0):] // a line end alone is no reason to keep the buffer
	if len(r.buf) == 0 && cap(r.mem) > ordinary {
		r.mem, r.buf = nil, nil
	}
}

// fill reads once, into a buffer that grows while the reader has more than fits. It returns an
// error only if it read nothing.
func (r *Frames) fill() error {
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
			return nil // the reader will return the error again
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// parse reads the frame at the start of b, and returns where it ends, or cut, or bad.
func (r *Frames) parse(b []byte) (ev Frame, end int) {
	r.frame = frameVisitor{}
	end = object(b, 1, 1, &r.frame)
	if f := &r.frame; end > 0 && f.ev.Type == "" && f.ev.Object == nil && f.status {
		return Frame{Type: "ERROR", Object: b[:end]}, end
	}
	return r.frame.ev, end
}

// frameVisitor collects the members of a frame.
type frameVisitor struct {
	ev     Frame
	status bool // the frame itself is a Status
	object objectVisitor
}

func (f *frameVisitor) enter(name []byte) visitor {
	if string(content(name)) != "object" {
		return nil
	}
	f.object = objectVisitor{}
	return &f.object
}

func (f *frameVisitor) member(name, v []byte) {
	switch string(content(name)) {
	case "type":
		f.ev.Type = typeOf(v)
	case "object":
		f.ev.Object = v
	case "kind":
		f.status = string(unquoted(v)) == "Status"
	}
}

// typeOf returns the types that servers send without an allocation.
func typeOf(v []byte) string {
	switch u := unquoted(v); string(u) {
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

// unquoted returns the content of a string, "" for any other value.
func unquoted(v []byte) []byte {
	if v[0] != '"' {
		return nil
	}
	return content(v)
}

// content returns what stands between the quotes of a string that is compared with ASCII alone:
// bytes that are not UTF-8 may stay.
func content(q []byte) []byte {
	if bytes.IndexByte(q, '\\') < 0 {
		return q[1 : len(q)-1]
	}
	return Unquote(q)
}
