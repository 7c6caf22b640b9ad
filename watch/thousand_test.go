package watch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// A thousand watches are started and cancelled at random moments while objects change and the
// server misbehaves. A second after the last one has ended, nothing is left of them. The test runs
// in real time, so that the moments are random. Every fifth watch lives until the server has been
// under load, so that even a slow machine has watches to cancel.
func TestThousandWatches(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Run("at once", func(t *testing.T) {
		for _, http2 := range []bool{false, true} {
			t.Run(fmt.Sprintf("HTTP2=%v", http2), func(t *testing.T) {
				t.Parallel()
				thousandWatches(t, http2)
			})
		}
	})
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

func thousandWatches(t *testing.T, http2 bool) {
	t.Helper()
	s, err := fakeapi.Start(t.Context(), fakeapi.Options{HTTP1: !http2})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Inject(
		fakeapi.Refuse(503).On("watch", "configmaps").Nth(7).Times(50),
		fakeapi.Cut().AfterEvents(3).On("watch", "configmaps").Nth(9).Times(100),
		fakeapi.Expired().On("watch", "configmaps").Nth(13).Times(50),
		fakeapi.Silence().BeforeHeaders().On("list", "configmaps").Nth(15).Times(50),
	)
	client, err := rest.New(s.Config(), rest.Options{Dial: s.Dial, UnencryptedHTTP2: http2, HTTP1: !http2})
	if err != nil {
		t.Fatal(err)
	}
	o := watch.Options{PageSize: 500, Backoff: stream.Backoff{Initial: time.Second / 2}} // so that many are cancelled during a delay
	load, stop := context.WithCancel(t.Context())
	loaded := make(chan struct{})
	var writing, watching sync.WaitGroup
	writing.Go(func() { write(load, t, s) })
	for i := range 1000 {
		watching.Go(func() {
			life := time.Duration(rand.IntN(1000)) * time.Millisecond
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			watching.Go(func() {
				if i%5 == 0 {
					<-loaded
				}
				select {
				case <-time.After(life):
					cancel()
				case <-ctx.Done():
				}
			})
			reads := rand.IntN(50) // after which it stops reading
			for range watch.Events(ctx, rest.For[rest.Object](client, "ConfigMap").In("default"), o) {
				if reads--; reads == 0 && i%2 == 0 {
					<-ctx.Done()
				}
			}
		})
	}
	for deadline := time.Now().Add(time.Minute); len(s.Journal()) < 100 || s.MaxStreams() == 0; {
		if time.Now().After(deadline) {
			t.Errorf("%d requests, at most %d streams at once: that is not enough load", len(s.Journal()), s.MaxStreams())
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	close(loaded)
	watching.Wait()
	stop()
	writing.Wait()
	client.CloseIdle()
	for deadline := time.Now().Add(time.Second); s.Streams() > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("%d streams are open on the server after a second", s.Streams())
		}
		<-time.After(time.Millisecond)
	}
}

// write changes objects until ctx ends.
func write(ctx context.Context, t *testing.T, s *fakeapi.Server) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for i := 0; ctx.Err() == nil; i++ {
		if _, err := s.Apply(cm(fmt.Sprintf("cm-%d", i%20), strconv.Itoa(i))); err != nil {
			t.Error(err)
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}
