package stream

import (
	"slices"
	"testing"
)

// Delivered values leave nothing behind, and the queue is no longer than its longest backlog
// required.
func TestPendingKeepsOnlyWhatWaits(t *testing.T) {
	for waiting := range 20 {
		p := pending[int, *int]{places: make(map[int]int)}
		for n := range 10_000 {
			p.put(n, new(int))
			if n >= waiting {
				p.drop()
			}
		}
		if len(p.places) != waiting || len(p.queue)-p.head != waiting {
			t.Errorf("%d wait: %d keys, %d entries", waiting, len(p.places), len(p.queue)-p.head)
		}
		if cap(p.queue) > 100 {
			t.Errorf("%d wait: room for %d", waiting, cap(p.queue))
		}
		room := slices.Concat(p.queue[:p.head], p.queue[len(p.queue):cap(p.queue)])
		if slices.ContainsFunc(room, func(e entry[int, *int]) bool { return e.value != nil }) {
			t.Errorf("%d wait: a value that has gone is still held", waiting)
		}
	}
}
