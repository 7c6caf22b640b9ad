package stream

import "context"

// Latest decouples a slow reader: of the waiting values it keeps only the latest of each key.
//
// Latest is always ready to receive. Keys are delivered in the order in which they began to wait; a
// newer value replaces the one that is waiting. Memory is bounded by the number of distinct keys
// that wait. When in is closed, the values still waiting are delivered before the output is closed.
func Latest[K comparable, T any](ctx context.Context, in <-chan T, key func(T) K) <-chan T {
	require(ctx != nil, "nil context")
	require(in != nil, "Latest of a nil channel")
	require(key != nil, "Latest needs a function")
	out := make(chan T)
	go func() {
		defer close(out)
		waiting := pending[K, T]{places: make(map[K]int)}
		for ctx.Err() == nil && (in != nil || !waiting.empty()) {
			var ready chan<- T // nil, and so never chosen, while nothing waits
			var first T
			if !waiting.empty() {
				ready, first = out, waiting.first()
			}
			select {
			case v, ok := <-in:
				if ok {
					waiting.put(key(v), v)
				} else {
					in = nil
				}
			case ready <- first:
				waiting.drop()
			case <-ctx.Done():
			}
		}
	}()
	return out
}

// pending is a queue with one entry per key.
type pending[K comparable, T any] struct {
	queue   []entry[K, T]
	places  map[K]int // the key's index in queue, counted from the first entry there ever was
	head    int       // index of the first entry in queue
	dropped int       // number of entries removed from the front of queue
}

type entry[K comparable, T any] struct {
	key   K
	value T
}

func (p *pending[K, T]) empty() bool { return p.head == len(p.queue) }

func (p *pending[K, T]) first() T    { return p.queue[p.head].value }
func (p *pending[K, T]) firstKey() K { return p.queue[p.head].key }

func (p *pending[K, T]) has(k K) bool {
	_, ok := p.places[k]
	return ok
}

// put replaces the value of k, or appends it.
func (p *pending[K, T]) put(k K, v T) {
	if place, ok := p.places[k]; ok {
		p.queue[place-p.dropped].value = v
		return
	}
	if len(p.queue) == cap(p.queue) && p.head > len(p.queue)/2 {
		// More than half is free: moving the rest costs little and keeps the queue from growing
		// forever.
		n := copy(p.queue, p.queue[p.head:])
		clear(p.queue[n:])
		p.queue, p.dropped, p.head = p.queue[:n], p.dropped+p.head, 0
	}
	p.places[k] = p.dropped + len(p.queue)
	p.queue = append(p.queue, entry[K, T]{k, v})
}

// drop removes the first entry.
func (p *pending[K, T]) drop() {
	delete(p.places, p.queue[p.head].key)
	p.queue[p.head] = entry[K, T]{} // so that the value can be collected
	p.head++
}
