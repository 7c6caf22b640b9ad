package watch

import (
	"context"
	"fmt"
	"sync"

	"github.com/tideway-go/tideway/stream"
)

// members is the state of a Group. It belongs to the goroutine of the group, which alone sends to
// its channel: what it has dropped cannot be delivered any more.
type members[T any] struct {
	bySource  map[string]*member
	arrivals  chan arrival[T] // from the goroutines of the members
	running   sync.WaitGroup  // those goroutines
	next      *arrival[T]     // waits for the reader
	unsynced  int             // how many members have not delivered a Synced
	announced bool            // AllSynced has been delivered since the last Add
}

// member is one of the merged streams.
type member struct {
	source string
	end    context.CancelFunc
	synced bool
}

// arrival is an event of a member, or of the group itself.
type arrival[T any] struct {
	of    *member // nil for AllSynced
	event Event[T]
	last  bool // nothing follows from the member
}

// serve delivers what arrives, and runs calls in between, until ctx ends.
func (ms *members[T]) serve(ctx context.Context, calls <-chan func(context.Context, *members[T]), out chan<- Event[T]) {
	for {
		if ms.next == nil && ms.unsynced == 0 && !ms.announced && len(ms.bySource) > 0 {
			ms.next = &arrival[T]{event: Event[T]{Type: AllSynced}}
		}
		from, to := ms.arrivals, chan<- Event[T](nil) // a nil channel is never chosen
		var ev Event[T]
		if ms.next != nil {
			from, to, ev = nil, out, ms.next.event
		}
		select {
		case call := <-calls:
			call(ctx, ms)
		case a := <-from:
			if ms.bySource[a.of.source] == a.of {
				ms.next = &a
			}
		case to <- ev:
			ms.delivered()
		case <-ctx.Done():
			return
		}
	}
}

func (ms *members[T]) add(ctx context.Context, source string, open func(context.Context) <-chan Event[T]) bool {
	if ms.bySource[source] != nil || ctx.Err() != nil {
		return false
	}
	m := &member{source: source}
	ctx, m.end = context.WithCancel(ctx)
	ms.bySource[source] = m
	ms.unsynced++
	ms.announced = false
	if ms.next != nil && ms.next.of == nil {
		ms.next = nil // it is not true any more
	}
	ms.running.Go(func() { ms.follow(ctx, m, open) })
	return true
}

func (ms *members[T]) remove(source string) bool {
	m := ms.bySource[source]
	if m == nil {
		return false
	}
	m.end()
	delete(ms.bySource, source)
	if !m.synced {
		ms.unsynced--
	}
	if ms.next != nil && (ms.next.of == m || ms.next.of == nil && len(ms.bySource) == 0) {
		ms.next = nil
	}
	return true
}

// delivered notes that the reader has received the next event.
func (ms *members[T]) delivered() {
	a := ms.next
	ms.next = nil
	switch {
	case a.of == nil:
		ms.announced = true
	case a.last:
		ms.remove(a.of.source)
	case a.event.Type == Synced && !a.of.synced:
		a.of.synced = true
		ms.unsynced--
	}
}

// follow passes on the events of a member, and then Ended, until ctx ends. It returns when the
// channel of the member is closed.
func (ms *members[T]) follow(ctx context.Context, m *member, open func(context.Context) <-chan Event[T]) {
	in := open(ctx)
	if in == nil {
		err := &optionError{fmt.Errorf("the function that opens %q returned a nil channel", m.source)}
		stream.Send(ctx, ms.arrivals, arrival[T]{m, Event[T]{Type: Ended, Source: m.source, Err: err}, true})
		return
	}
	defer func() {
		for range in {
		}
	}()
	var failed error // of a WatchFailed that nothing has followed
	for {
		ev, ok := stream.Recv(ctx, in)
		switch {
		case ok:
		case ctx.Err() != nil:
			return
		default:
			ev = Event[T]{Type: Ended, Err: failed}
		}
		if failed = nil; ev.Type == WatchFailed {
			failed = ev.Err
		}
		ev.Source = m.source
		if !stream.Send(ctx, ms.arrivals, arrival[T]{m, ev, !ok}) || !ok {
			return
		}
	}
}
