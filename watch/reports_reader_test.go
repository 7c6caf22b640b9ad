package watch_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/watch"
)

// Behaviour that users of other clients miss, at the side of the reader: one that stops reading,
// stops the watch or starts it again.

// Nothing leaks when a reader stops reading before it stops the watch. TestCancelUnread and
// TestThousandWatches check the rest.
func TestConsumerStopsReading(t *testing.T) {
	t.Parallel()
	overBoth(t, fakeapi.Options{Queue: 20_000, History: 20_000}, func(t *testing.T, s *fakeapi.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		events := watch.Events(ctx, configMaps(s), watch.Options{PageSize: 500})
		expect(t, events, "SYNCED")
		for i := range 2000 {
			must(t)(s.Apply(cm("a", string(rune('a'+i%26)))))
		}
		<-events
		synctest.Wait() // the next event is ready to be sent
		cancel()
		time.Sleep(time.Second)
		if n := s.Streams(); n != 0 {
			t.Errorf("%d streams are open a second later, want none", n)
		}
		expectClosed(t, events)
	})
}

// A quiet stream can be stopped at once.
func TestStopOnAQuietStream(t *testing.T) {
	overBoth(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		events := watch.Events(ctx, configMaps(s), watch.Options{PageSize: 500})
		expect(t, events, "SYNCED")
		time.Sleep(time.Minute)
		start := time.Now()
		cancel()
		expectClosed(t, events)
		synctest.Wait()
		if d := time.Since(start); d != 0 || s.Streams() != 0 {
			t.Errorf("it took %v, and %d streams are open, want no time and none", d, s.Streams())
		}
		must(t)(s.Create(cm("a", "1")))
	})
}

// Starting again after an error does not multiply the requests: a waiting watch sends nothing once
// it is cancelled, and a watch that has ended is gone.
func TestStartedAgain(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.Refuse(500).On("watch", "configmaps").Times(10))
		for range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			events := watch.Events(ctx, configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
			for ev := range events {
				if ev.Type == watch.WatchFailed {
					break // it is waiting for a second
				}
			}
			cancel()
			expectClosed(t, events)
		}
		s.ResetJournal()
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "SYNCED")
		expectQuiet(t, events, time.Minute)
		if n := len(s.Journal()); n != 2 || s.MaxStreams() != 1 {
			t.Errorf("%d requests in a minute, %d at once, want a list and a watch", n, s.MaxStreams())
		}
	})
}

// Objects that were deleted while the watch was down are reported as deleted.
func TestDeletedInTheGap(t *testing.T) {
	bubble(t, fakeapi.Options{Objects: []any{cm("a", "1"), cm("b", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		events := interrupted(t, s, watch.Options{PageSize: 500}, forReal, func() {
			must(t)(s.Apply(cm("a", "2")))
			must(t)(s.Remove("ConfigMap", "default", "b"))
		}, "ADDED a=1", "ADDED b=1", "SYNCED")
		expect(t, events, "MODIFIED a=2", "DELETED b inferred", "SYNCED")
	})
}
