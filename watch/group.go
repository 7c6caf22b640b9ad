package watch

import (
	"context"

	"github.com/tideway-go/tideway/stream"
)

// A Group merges watches onto one channel, and its members may change while it runs: a watch for
// each namespace that appears, for instance. Members of several clusters, or of several kinds (see
// [Erase]), work alike. If the set of watches never changes, [stream.Merge] is enough.
//
//   - Every event of a member carries its source in Event.Source, in place of Options.Source. The
//     events of one member keep their order.
//   - Each member has a context of its own. Whatever happens to one member, the others go on.
//   - A member whose channel closes by itself, because the watch gave up or could not begin, is
//     reported by one Ended, the last event of its source.
//   - AllSynced comes once every member has sent Synced, and again each time that becomes true
//     after an Add. A watch that begins at Options.ResourceVersion sends no Synced until it lists.
//   - Nothing is queued: a slow reader slows down all members. The group holds one event, and one
//     of each member.
//
// All methods may be called from several goroutines, and also by the reader of the channel: none of
// them waits for an event to be read.
type Group[T any] struct {
	events <-chan Event[T]
	calls  chan<- func(context.Context, *members[T])
	over   <-chan struct{}
}

// NewGroup returns a group without members. It lasts until ctx ends.
func NewGroup[T any](ctx context.Context) *Group[T] {
	if ctx == nil {
		panic("watch: nil context")
	}
	out, calls, over := make(chan Event[T]), make(chan func(context.Context, *members[T])), make(chan struct{})
	go func() {
		defer close(out)
		ms := members[T]{bySource: map[string]*member{}, arrivals: make(chan arrival[T])}
		defer ms.running.Wait()
		defer close(over)
		ms.serve(ctx, calls, out)
	}()
	return &Group[T]{events: out, calls: calls, over: over}
}

// Events returns the channel of the group, which is the same with every call. It is closed when the
// context of the group ends, as soon as the channels of all members are closed, and at no other
// time.
func (g *Group[T]) Events() <-chan Event[T] { return g.events }

// Add starts a member: the group calls open once and reads the channel that it returns, which must
// close when the context ends, as the channels of [Events] and of all stages do. The context ends
// with the group, with Remove, and after Ended.
//
// Add returns false, and does nothing, if the group has a member with this source already, or if
// its context has ended. After Ended the source may be added again.
func (g *Group[T]) Add(source string, open func(ctx context.Context) <-chan Event[T]) bool {
	if open == nil {
		panic("watch: Add of a nil function")
	}
	added := false
	g.call(func(ctx context.Context, ms *members[T]) { added = ms.add(ctx, source, open) })
	return added
}

// Remove ends a member. Once it has returned, the channel of the group delivers nothing more of
// this source, not even Ended; a stage that reads the channel may still hold events of it. Deleted
// is not sent for the objects of the member. Remove does not wait for the request to end.
//
// It returns false if the group has no member with this source.
func (g *Group[T]) Remove(source string) bool {
	removed := false
	g.call(func(_ context.Context, ms *members[T]) { removed = ms.remove(source) })
	return removed
}

// call runs f in the goroutine of the group, unless that is over.
func (g *Group[T]) call(f func(context.Context, *members[T])) {
	done := make(chan struct{})
	select {
	case g.calls <- func(ctx context.Context, ms *members[T]) { defer close(done); f(ctx, ms) }:
		<-done // at once: the goroutine waits for nobody else
	case <-g.over:
	}
}

// Erase is a stage that lets events of different types merge: *ev.Object is the pointer to the
// object, as in
//
//	switch object := (*ev.Object).(type) {
//	case *corev1.Pod:
//	case *corev1.Node:
//	}
//
// All other fields stay as they are.
func Erase[T any](ctx context.Context, in <-chan Event[T]) <-chan Event[any] {
	switch {
	case ctx == nil:
		panic("watch: Erase of a nil context")
	case in == nil:
		panic("watch: Erase of a nil channel")
	}
	return stream.Map(ctx, in, erased[T])
}

func erased[T any](ev Event[T]) Event[any] {
	if same, ok := any(ev).(Event[any]); ok {
		return same
	}
	e := Event[any]{
		Type: ev.Type, Key: ev.Key, UID: ev.UID, ResourceVersion: ev.ResourceVersion, Source: ev.Source,
		Listed: ev.Listed, Inferred: ev.Inferred, Replayed: ev.Replayed, Empty: ev.Empty, Raw: ev.Raw,
		Recovery: ev.Recovery, Err: ev.Err,
	}
	if ev.Object != nil {
		object := any(ev.Object)
		e.Object = &object
	}
	return e
}
