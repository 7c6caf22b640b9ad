package stream

import (
	"container/list"
	"context"
	"time"
)

// Debounce sends the newest value once no other has come for the time quiet: see [DebounceBy].
func Debounce[T any](ctx context.Context, in <-chan T, quiet time.Duration) <-chan T {
	require(in != nil, "Debounce of a nil channel")
	require(quiet > 0, "Debounce needs a time greater than 0")
	return DebounceBy(ctx, in, quiet, func(T) struct{} { return struct{}{} })
}

// DebounceBy sends the newest value of each key once no other of this key has come for the time
// quiet.
//
// It is always ready to receive. Values are sent in the order in which they became due; one that is
// due and waits for the reader is replaced by a newer one of its key. Memory is bounded by the
// number of distinct keys that wait. When in is closed, what waits is sent at once.
func DebounceBy[K comparable, T any](ctx context.Context, in <-chan T, quiet time.Duration, key func(T) K) <-chan T {
	require(ctx != nil, "nil context")
	require(in != nil, "DebounceBy of a nil channel")
	require(quiet > 0, "DebounceBy needs a time greater than 0")
	require(key != nil, "DebounceBy needs a function")
	return delayed(ctx, in, quiet, key, func(s *delays[K, T], k K, v T) {
		if s.ready.has(k) {
			s.ready.put(k, v)
			return
		}
		s.hold(k, v, true)
	}, nil)
}

// Throttle sends a value at once, and then at most one in each interval: see [ThrottleBy].
func Throttle[T any](ctx context.Context, in <-chan T, every time.Duration) <-chan T {
	require(in != nil, "Throttle of a nil channel")
	require(every > 0, "Throttle needs a time greater than 0")
	return ThrottleBy(ctx, in, every, func(T) struct{} { return struct{}{} })
}

// ThrottleBy sends a value of each key at once, and then at most one in each interval, the newest
// of those that came meanwhile. The last value is never lost.
//
// The interval begins when the reader takes a value. ThrottleBy is always ready to receive. Memory
// is bounded by the number of distinct keys that wait or have been sent within the interval. When
// in is closed, what waits is sent at once.
func ThrottleBy[K comparable, T any](ctx context.Context, in <-chan T, every time.Duration, key func(T) K) <-chan T {
	require(ctx != nil, "nil context")
	require(in != nil, "ThrottleBy of a nil channel")
	require(every > 0, "ThrottleBy needs a time greater than 0")
	require(key != nil, "ThrottleBy needs a function")
	return delayed(ctx, in, every, key, func(s *delays[K, T], k K, v T) {
		if !s.replace(k, v) {
			s.ready.put(k, v)
		}
	}, func(s *delays[K, T], k K) {
		var none T
		s.hold(k, none, false)
	})
}

// delays is the state of a stage that holds values back. All of them wait equally long, so that the
// first to be held is the first to be due, and one timer suffices.
type delays[K comparable, T any] struct {
	ready pending[K, T] // due, and waiting for the reader
	wait  time.Duration
	order list.List // of *held[K, T]
	held  map[K]*list.Element
	timer *time.Timer // set for the first of them, or earlier
}

// held is a key that waits, perhaps without a value.
type held[K comparable, T any] struct {
	key   K
	value T
	full  bool
	until time.Time
}

// delayed runs such a stage: arrived is called for each value, sent for each key whose value the
// reader has taken.
func delayed[K comparable, T any](
	ctx context.Context, in <-chan T, wait time.Duration, key func(T) K,
	arrived func(s *delays[K, T], k K, v T), sent func(s *delays[K, T], k K),
) <-chan T {
	out := make(chan T)
	go func() {
		defer close(out)
		s := &delays[K, T]{
			ready: pending[K, T]{places: make(map[K]int)}, wait: wait, held: make(map[K]*list.Element), timer: time.NewTimer(wait),
		}
		defer s.timer.Stop()
		for ctx.Err() == nil && (in != nil || !s.ready.empty()) {
			var ready chan<- T // nil, and so never chosen, while nothing waits
			var first T
			if !s.ready.empty() {
				ready, first = out, s.ready.first()
			}
			select {
			case v, ok := <-in:
				if ok {
					arrived(s, key(v), v)
				} else {
					in = nil
					s.release(time.Time{})
				}
			case ready <- first:
				k := s.ready.firstKey()
				if s.ready.drop(); sent != nil && in != nil {
					sent(s, k)
				}
			case now := <-s.timer.C:
				s.release(now)
			case <-ctx.Done():
			}
		}
	}()
	return out
}

// hold makes a key wait from now on.
func (s *delays[K, T]) hold(k K, v T, full bool) {
	if e, ok := s.held[k]; ok {
		s.order.Remove(e)
	}
	s.held[k] = s.order.PushBack(&held[K, T]{k, v, full, time.Now().Add(s.wait)})
	if s.order.Len() == 1 {
		s.timer.Reset(s.wait)
	}
}

// replace gives a key that waits another value. It reports whether it does wait.
func (s *delays[K, T]) replace(k K, v T) bool {
	e, ok := s.held[k]
	if ok {
		h := e.Value.(*held[K, T])
		h.value, h.full = v, true
	}
	return ok
}

// release makes ready what is due by now; the zero time is the end of all.
func (s *delays[K, T]) release(now time.Time) {
	for e := s.order.Front(); e != nil; e = s.order.Front() {
		h := e.Value.(*held[K, T])
		if !now.IsZero() && h.until.After(now) {
			s.timer.Reset(time.Until(h.until))
			return
		}
		s.order.Remove(e)
		delete(s.held, h.key)
		if h.full {
			s.ready.put(h.key, h.value)
		}
	}
}
