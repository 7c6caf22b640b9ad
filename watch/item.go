package watch

import (
	"bytes"
	"context"
	"sync"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// item is an event before T is known: metadata, and the object as the bytes that came.
type item struct {
	typ                Type
	key                rest.Key
	uid, version       string
	listed             bool
	inferred, replayed bool
	raw                *[]byte // from buffers; given away with the item
	err                error
}

// buffers carry objects from the connection to the decoder, and are used again after decoding.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxKept bounds the buffers that are used again, so that one huge object is not held forever.
const maxKept = 256 << 10

// copied copies the JSON of an object into a buffer.
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

// decode is the last step of a watch, the one that knows T.
func decode[T any](ctx context.Context, items <-chan item, o Options) <-chan Event[T] {
	return stream.Generate(ctx, func(ctx context.Context, send func(Event[T]) bool) {
		// The items are the watch's own and close when ctx ends; once they have, the connection is released.
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
	}
	if it.raw == nil {
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
