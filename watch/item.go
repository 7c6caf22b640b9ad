package watch

import (
	"bytes"
	"context"
	"sync"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// item is an event before it is decoded into T: the metadata, and the object as JSON.
type item struct {
	typ                Type
	key                rest.Key
	uid, version       string
	listed             bool
	inferred, replayed bool
	empty              bool
	raw                *[]byte // from buffers; whoever receives the item owns it
	err                error
	recovery           *Recovery
}

// buffers carry objects from the connection to the decoder, and are reused after decoding.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxKept is the size, in bytes, above which a buffer is not reused, so that one huge object is not
// held forever.
const maxKept = 256 << 10

// copied returns the JSON of an object in a buffer.
func copied(object []byte) *[]byte {
	b := buffers.Get().(*[]byte)
	*b = append(*b, object...)
	return b
}

func free(b *[]byte) {
	if cap(*b) <= maxKept {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}

// decode is the last step of a watch, and the only one that knows T.
func decode[T any](ctx context.Context, items <-chan item, o Options) <-chan Event[T] {
	return stream.Generate(ctx, func(ctx context.Context, send func(Event[T]) bool) {
		// Only the watch reads the items. They close when ctx ends, and then the connection has
		// been released.
		defer func() {
			for range items {
			}
		}()
		for {
			it, ok := stream.Recv(ctx, items)
			if !ok {
				return
			}
			ev := event[T](it, o.Raw)
			ev.Source = o.Source
			if !send(ev) {
				return
			}
		}
	})
}

func event[T any](it item, raw bool) Event[T] {
	ev := Event[T]{
		Type: it.typ, Key: it.key, UID: it.uid, ResourceVersion: it.version,
		Listed: it.listed, Inferred: it.inferred, Replayed: it.replayed, Err: it.err,
		Recovery: it.recovery, Empty: it.empty,
	}
	switch {
	case it.raw == nil:
		return ev
	case it.err != nil: // an object that does not belong here
		ev.Raw = bytes.Clone(*it.raw)
		free(it.raw)
		return ev
	}
	object, err := rest.Decode[T](*it.raw)
	if err != nil {
		ev.Type = Error
		ev.Err = &DecodeError{Type: it.typ, Key: it.key, ResourceVersion: it.version, Err: err}
	} else {
		ev.Object = object
	}
	if raw || err != nil {
		ev.Raw = bytes.Clone(*it.raw) // the buffer may be much larger
	}
	free(it.raw)
	return ev
}
