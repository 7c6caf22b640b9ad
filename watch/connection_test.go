package watch_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// A server that sends nothing any more, not even the end that is due, is noticed.
func TestSilentServer(t *testing.T) {
	for name, tt := range map[string]struct {
		fault fakeapi.Fault
		cause string // over HTTP/2, where pings may notice it earlier
	}{
		"answers pings":    {fakeapi.Silence().AfterEvents(1), rest.ErrOverdue.Error()},
		"lost in the path": {fakeapi.Freeze().AfterEvents(1), "http2: client connection lost"},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, fakeapi.Options{BookmarkEvery: -1}, func(t *testing.T, s *fakeapi.Server) {
				s.Inject(tt.fault.On("watch", "configmaps"))
				events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
				expect(t, events, "SYNCED")
				at := must(t)(s.Create(cm("a", "1"))).ResourceVersion()
				expect(t, events, "ADDED a=1")
				start := time.Now()
				must(t)(s.Create(cm("b", "1"))) // into the void
				timeout, err := time.ParseDuration(query(s.Journal()[1], "timeoutSeconds") + "s")
				if err != nil {
					t.Fatal(err)
				}
				cause, within := rest.ErrOverdue.Error(), timeout+5*time.Second
				if strings.Contains(t.Name(), "HTTP2=true") && tt.cause != cause {
					cause, within = tt.cause, 45*time.Second
				}
				expect(t, events, "WATCHFAILED watch ConfigMap failed, retrying in 1s: "+cause)
				if d := time.Since(start); d != within {
					t.Errorf("it took %v, want %v", d, within)
				}
				expect(t, events, "ADDED b=1") // nothing is lost
				if r := s.Journal()[2]; query(r, "resourceVersion") != at {
					t.Errorf("resumed with %s, want %s", r, at)
				}
			})
		})
	}
}

func TestSilentServerDuringTheList(t *testing.T) {
	overBoth(t, fakeapi.Options{Objects: []any{cm("a", "1"), cm("b", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.Silence().BeforeHeaders().On("list", "configmaps"), fakeapi.Silence().AfterBytes(400).On("list", "configmaps"))
		start := time.Now()
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		failed := "WATCHFAILED watch ConfigMap failed, retrying in %: " + rest.ErrOverdue.Error()
		expect(t, events, strings.ReplaceAll(failed, "%", "1s"), "ADDED a=1", strings.ReplaceAll(failed, "%", "2s"), "ADDED b=1", "SYNCED")
		if d := time.Since(start); d != 133*time.Second {
			t.Errorf("it took %v, want twice 65s and the delays", d)
		}
	})
}

// The time that the reader needs does not count against the server.
func TestSlowReaderIsNotSilence(t *testing.T) {
	overBoth(t, fakeapi.Options{BookmarkEvery: -1}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.NoBookmarks().On("watch", "configmaps").Always())
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "SYNCED")
		for _, name := range []string{"a", "b", "c", "d"} {
			must(t)(s.Create(cm(name, "1")))
		}
		time.Sleep(time.Hour)
		expect(t, events, "ADDED a=1", "ADDED b=1", "ADDED c=1", "ADDED d=1")
		expectQuiet(t, events, time.Hour)
	})
}

// When the server cuts off a reader that is too slow, the watch still makes progress, and no event
// is lost or sent twice.
func TestServerCutsASlowReader(t *testing.T) {
	t.Parallel()
	overBoth(t, fakeapi.Options{Queue: 5, History: 10_000}, func(t *testing.T, s *fakeapi.Server) {
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "SYNCED")
		const n = 2000
		big := strings.Repeat("x", 6000) // in all more than the client buffers, which is 4 MiB over HTTP/2
		go func() {
			for i := range n {
				o := cm("a", big)
				o["data"].(map[string]any)["n"] = string(rune('0' + i%10))
				if _, err := s.Apply(o); err != nil {
					t.Error(err)
				}
			}
		}()
		for i := range n {
			ev := <-events
			if want := string(rune('0' + i%10)); ev.Object == nil || ev.Object.String("data", "n") != want {
				t.Fatalf("event %d is %s, want version %s of a", i, ev.Type, want)
			}
			time.Sleep(10 * time.Millisecond)
		}
		if w := len(arrivals(s, "watch")); w < 2 || s.MaxStreams() != 1 {
			t.Errorf("%d watch requests, %d at once, want several, one at a time", w, s.MaxStreams())
		}
		if l := len(arrivals(s, "list")); l != 1 {
			t.Errorf("it listed %d times, want once", l)
		}
	})
}

func TestCutAndResumed(t *testing.T) {
	for name, fault := range map[string]fakeapi.Fault{
		"reset":               fakeapi.Cut().AfterEvents(1),
		"no final chunk":      fakeapi.Truncate().AfterEvents(1),
		"in the middle":       fakeapi.Cut().AfterBytes(300),
		"before the headers":  fakeapi.Cut().BeforeHeaders(),
		"right after them":    fakeapi.Cut(),
		"garbage":             fakeapi.Text("<html>\n").AfterEvents(1),
		"an event of no type": fakeapi.Text(`{"type":"NEW","object":{}}` + "\n").AfterEvents(1),
		"a malformed Status":  fakeapi.Text(`{"type":"ERROR","object":{"code":"x"}}` + "\n").AfterEvents(1),
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
				s.Inject(fault.On("watch", "configmaps"))
				events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
				expect(t, events, "SYNCED")
				go func() {
					for _, v := range []string{"1", "2", "3"} {
						if _, err := s.Apply(cm("a", v)); err != nil {
							t.Error(err)
						}
						time.Sleep(10 * time.Second)
					}
				}()
				var got []string
				failures := 0
				for len(got) < 3 {
					ev := next(events)
					if ev.Type == watch.WatchFailed {
						failures++
						continue
					}
					got = append(got, line(ev))
				}
				want := 1
				if strings.HasSuffix(t.Name(), "before_the_headers/HTTP2=false") {
					want = 0 // net/http sends a GET again if an idle connection was closed before any answer
				}
				if strings.Join(got, ", ") != "ADDED a=1, MODIFIED a=2, MODIFIED a=3" || failures != want {
					t.Errorf("got %q and %d failures, want each version once and %d", got, failures, want)
				}
				expectQuiet(t, events, time.Hour)
			})
		})
	}
}

func TestGoAwayIsAGoodEnd(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.GoAway().On("watch", "configmaps"))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "SYNCED")
		must(t)(s.Create(cm("a", "1")))
		expect(t, events, "ADDED a=1")
		expectQuiet(t, events, 10*time.Minute)
		must(t)(s.Create(cm("b", "1")))
		expect(t, events, "ADDED b=1")
	})
}

func TestCancel(t *testing.T) {
	stop := errors.New("stop")
	for name, prepare := range map[string]func(s *fakeapi.Server){
		"quiet stream":           func(*fakeapi.Server) {},
		"waiting for a delay":    func(s *fakeapi.Server) { s.Inject(fakeapi.Refuse(500).On("watch", "configmaps").Always()) },
		"waiting for headers":    func(s *fakeapi.Server) { s.Inject(fakeapi.Silence().BeforeHeaders().On("watch", "configmaps")) },
		"waiting for the list":   func(s *fakeapi.Server) { s.Inject(fakeapi.Silence().AfterBytes(10).On("list", "configmaps")) },
		"a connection that died": func(s *fakeapi.Server) { s.Inject(fakeapi.Freeze().On("watch", "configmaps")) },
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
				prepare(s)
				ctx, cancel := context.WithCancelCause(t.Context())
				events := watch.Events(ctx, configMaps(s), watch.Options{PageSize: 500})
				go func() {
					time.Sleep(10 * time.Second)
					cancel(stop)
				}()
				start := time.Now()
				for ev := range events {
					if time.Since(start) >= 10*time.Second {
						t.Errorf("%s was sent after the end", line(ev))
					}
				}
				if d := time.Since(start); d != 10*time.Second {
					t.Errorf("it ended after %v, want at once", d)
				}
				synctest.Wait()
				if !strings.Contains(name, "died") && s.Streams() != 0 { // the server does not notice that a connection died
					t.Errorf("%d streams are open on the server, want none", s.Streams())
				}
			})
		})
	}
}

// A watch can be cancelled while nobody reads.
func TestCancelUnread(t *testing.T) {
	t.Parallel()
	overBoth(t, fakeapi.Options{Queue: 20_000, History: 20_000}, func(t *testing.T, s *fakeapi.Server) {
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			events := watch.Events(ctx, configMaps(s), watch.Options{PageSize: 500})
			for ev := range events {
				if ev.Type == watch.Synced {
					break
				}
			}
			for range 500 {
				must(t)(s.Apply(cm("a", time.Now().String())))
				time.Sleep(time.Nanosecond)
			}
			<-events
			synctest.Wait()
			cancel()
			synctest.Wait()
			if n := s.Streams(); n != 0 {
				t.Fatalf("%d streams are open on the server, want none", n)
			}
			if _, ok := <-events; ok {
				t.Fatal("an event was sent after the end")
			}
		}
	})
}

func TestBeforeTheFirstRequest(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		expectClosed(t, watch.Events(ctx, rest.For[rest.Object](s.Client(), "Pod"), watch.Options{PageSize: 500}))
		if n := len(s.Journal()); n != 0 {
			t.Errorf("%d requests were sent, want none", n)
		}
	})
}
