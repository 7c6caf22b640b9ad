package watch_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// opened returns the function that opens a watch.
func opened(r rest.Resource[rest.Object], o watch.Options) func(context.Context) <-chan watch.Event[rest.Object] {
	return func(ctx context.Context) <-chan watch.Event[rest.Object] { return watch.Events(ctx, r, o) }
}

// given returns a function that opens a channel with these events, which closes after them.
func given(events ...watch.Event[rest.Object]) func(context.Context) <-chan watch.Event[rest.Object] {
	return func(ctx context.Context) <-chan watch.Event[rest.Object] {
		return stream.Generate(ctx, func(_ context.Context, send func(watch.Event[rest.Object]) bool) {
			for _, ev := range events {
				if !send(ev) {
					return
				}
			}
		})
	}
}

// sourced reads n events, and formats each with its source.
func sourced(t *testing.T, events <-chan watch.Event[rest.Object], n int) []string {
	t.Helper()
	got := make([]string, 0, n)
	for range n {
		ev, ok := <-events
		if !ok {
			return append(got, "closed")
		}
		got = append(got, ev.Source+": "+line(ev))
	}
	return got
}

// wantEvents reads as many events, and compares them.
func wantEvents(t *testing.T, events <-chan watch.Event[rest.Object], want ...string) {
	t.Helper()
	if d := cmp.Diff(want, sourced(t, events, len(want))); d != "" {
		t.Fatalf("(-want +got)\n%s", d)
	}
}

func TestGroupOfNamespaces(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		must(t)(s.Create(rest.Object{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "other"}}))
		must(t)(s.Create(cm("a", "1")))
		group := watch.NewGroup[rest.Object](ctx)
		events := group.Events()
		maps := configMaps(s)
		if !group.Add("default", opened(maps, watch.Options{Source: "mine"})) {
			t.Error("the first member is not added")
		}
		if group.Add("default", opened(maps, watch.Options{})) {
			t.Error("a source is added twice")
		}
		wantEvents(t, events, "default: ADDED a=1", "default: SYNCED", ": ALLSYNCED")
		group.Add("other", opened(maps.In("other"), watch.Options{}))
		wantEvents(t, events, "other: SYNCED", ": ALLSYNCED")

		other := cm("b", "2")
		other["metadata"] = map[string]any{"name": "b", "namespace": "other"}
		must(t)(s.Create(other))
		wantEvents(t, events, "other: ADDED b=2")
		if !group.Remove("other") || group.Remove("other") || group.Remove("nobody") {
			t.Error("a member is removed once")
		}
		must(t)(s.Remove("ConfigMap", "other", "b"))
		must(t)(s.Merge("ConfigMap", "default", "a", `{"data":{"v":"3"}}`))
		wantEvents(t, events, "default: MODIFIED a=3")
		expectQuiet(t, events, time.Hour)
		cancel()
		expectClosed(t, events)
		if group.Add("late", opened(maps, watch.Options{})) || group.Remove("default") {
			t.Error("a group that is over takes or has members")
		}
	})
}

// How each member ends is told by its last event; the other member goes on.
func TestGroupTellsHowMembersEnd(t *testing.T) {
	failed := errors.New("some failure")
	for name, tt := range map[string]struct {
		open func(*fakeapi.Server) func(context.Context) <-chan watch.Event[rest.Object]
		want []string
		is   error
	}{
		"gave up": {
			func(s *fakeapi.Server) func(context.Context) <-chan watch.Event[rest.Object] {
				s.Inject(fakeapi.Refuse(500).On("*", "secrets").Times(100))
				secrets := rest.For[rest.Object](s.Client(), "Secret").In("default")
				return opened(secrets, watch.Options{Backoff: stream.Backoff{Jitter: -1, MaxRetries: 1}})
			},
			[]string{
				"m: WATCHFAILED watch Secret failed, retrying in 1s: HTTP 500 Internal error occurred",
				"m: WATCHFAILED watch Secret failed, giving up after 1 retry: HTTP 500 Internal error occurred",
				"m: ENDED watch Secret failed, giving up after 1 retry: HTTP 500 Internal error occurred",
			},
			watch.ErrGaveUp,
		},
		"cannot begin": {
			func(s *fakeapi.Server) func(context.Context) <-chan watch.Event[rest.Object] {
				return opened(configMaps(s), watch.Options{Name: "a/b"})
			},
			[]string{
				`m: WATCHFAILED watch ConfigMap cannot begin: option Name is "a/b", which is not a valid name; use one name without a namespace`,
				`m: ENDED watch ConfigMap cannot begin: option Name is "a/b", which is not a valid name; use one name without a namespace`,
			},
			rest.ErrInvalidArgument,
		},
		"no channel": {
			func(*fakeapi.Server) func(context.Context) <-chan watch.Event[rest.Object] {
				return func(context.Context) <-chan watch.Event[rest.Object] { return nil }
			},
			[]string{`m: ENDED the function that opens "m" returned a nil channel`},
			rest.ErrInvalidArgument,
		},
		"just closes": {
			func(*fakeapi.Server) func(context.Context) <-chan watch.Event[rest.Object] { return given() },
			[]string{"m: ENDED"},
			nil,
		},
		"closes after it has recovered": {
			func(*fakeapi.Server) func(context.Context) <-chan watch.Event[rest.Object] {
				return given(watch.Event[rest.Object]{Type: watch.WatchFailed, Err: failed}, watch.Event[rest.Object]{Type: watch.Recovered})
			},
			[]string{"m: WATCHFAILED some failure", "m: RECOVERED", "m: ENDED"},
			nil,
		},
		"events of another group are no more than events": {
			func(*fakeapi.Server) func(context.Context) <-chan watch.Event[rest.Object] {
				return given(watch.Event[rest.Object]{Type: watch.Ended}, watch.Event[rest.Object]{Type: watch.AllSynced}, watch.Event[rest.Object]{Type: watch.Bookmark})
			},
			[]string{"m: ENDED", "m: ALLSYNCED", "m: BOOKMARK", "m: ENDED"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
				group := watch.NewGroup[rest.Object](t.Context())
				events := group.Events()
				group.Add("lives", opened(configMaps(s), watch.Options{}))
				wantEvents(t, events, "lives: SYNCED", ": ALLSYNCED")
				open := tt.open(s)
				for range 2 { // the source is free again
					if !group.Add("m", open) {
						t.Fatal("not added")
					}
					n := len(tt.want)
					wantEvents(t, events, tt.want[:n-1]...)
					last := <-events
					if got := last.Source + ": " + line(last); got != tt.want[n-1] || !errors.Is(last.Err, tt.is) {
						t.Fatalf("it ended with %s, want %s", got, tt.want[n-1])
					}
					wantEvents(t, events, ": ALLSYNCED")
				}
				must(t)(s.Create(cm("a", "1")))
				wantEvents(t, events, "lives: ADDED a=1")
				expectQuiet(t, events, time.Hour)
			})
		})
	}
}

// AllSynced is true when it is read, whatever was added or removed by the reader before.
func TestGroupAllSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group := watch.NewGroup[rest.Object](t.Context())
		events := group.Events()
		in := map[string]chan watch.Event[rest.Object]{}
		add := func(source string) {
			c := make(chan watch.Event[rest.Object])
			in[source] = c
			group.Add(source, func(ctx context.Context) <-chan watch.Event[rest.Object] {
				return watch.Keep(ctx, c)
			})
		}
		synced := watch.Event[rest.Object]{Type: watch.Synced}
		expectQuiet(t, events, time.Hour) // a group of nobody
		add("a")
		add("b")
		expectQuiet(t, events, time.Hour)
		in["a"] <- synced
		wantEvents(t, events, "a: SYNCED")
		expectQuiet(t, events, time.Hour)
		in["b"] <- synced
		wantEvents(t, events, "b: SYNCED")
		synctest.Wait() // AllSynced waits for the reader
		add("c")        // and is not true any more
		expectQuiet(t, events, time.Hour)
		in["a"] <- synced // a relist
		wantEvents(t, events, "a: SYNCED")
		expectQuiet(t, events, time.Hour)
		group.Remove("c") // the one that was missing
		wantEvents(t, events, ": ALLSYNCED")
		in["b"] <- synced
		wantEvents(t, events, "b: SYNCED")
		group.Remove("b")
		expectQuiet(t, events, time.Hour) // told already
		add("d")
		in["d"] <- synced
		wantEvents(t, events, "d: SYNCED")
		synctest.Wait()
		group.Remove("a")
		group.Remove("d") // nobody is left to be synced
		expectQuiet(t, events, time.Hour)
		add("e")
		close(in["e"])
		wantEvents(t, events, "e: ENDED")
		expectQuiet(t, events, time.Hour)
	})
}

// A removed member delivers nothing, although an event of it waits for the reader.
func TestGroupRemoveDropsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 100 {
			group := watch.NewGroup[rest.Object](t.Context())
			bookmark := watch.Event[rest.Object]{Type: watch.Bookmark}
			group.Add("a", given(bookmark, bookmark, bookmark))
			synctest.Wait()
			group.Remove("a")
			group.Add("a", given())
			wantEvents(t, group.Events(), "a: ENDED")
		}
	})
}

// Without a reader, a group takes one event and each member another; it ends with its context.
func TestGroupIsUnbuffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		group := watch.NewGroup[rest.Object](ctx)
		sent := 0
		group.Add("a", func(ctx context.Context) <-chan watch.Event[rest.Object] {
			return stream.Generate(ctx, func(_ context.Context, send func(watch.Event[rest.Object]) bool) {
				for send(watch.Event[rest.Object]{Type: watch.Bookmark}) {
					sent++
				}
			})
		})
		synctest.Wait()
		if sent != 2 {
			t.Errorf("%d events were taken, want two", sent)
		}
		cancel()
		synctest.Wait()
		expectClosed(t, group.Events())
	})
}

// The channel of a group closes after the channels of its members.
func TestGroupClosesLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		group := watch.NewGroup[rest.Object](ctx)
		group.Add("slow", func(ctx context.Context) <-chan watch.Event[rest.Object] {
			return stream.Generate(ctx, func(ctx context.Context, _ func(watch.Event[rest.Object]) bool) {
				<-ctx.Done()
				time.Sleep(time.Minute)
			})
		})
		synctest.Wait()
		start := time.Now()
		cancel()
		expectClosed(t, group.Events())
		if d := time.Since(start); d != time.Minute {
			t.Errorf("it closed after %v, want a minute", d)
		}
	})
}

// Erase copies every field, and the object is the same pointer.
func TestErase(t *testing.T) {
	type config struct{ Data map[string]string }
	object := &config{}
	ev := watch.Event[config]{
		Type: watch.Added, Object: object, Key: rest.Key{Kind: "ConfigMap"}, UID: "u", ResourceVersion: "1", Source: "s",
		Listed: true, Inferred: true, Replayed: true, Empty: true, Raw: []byte("{}"), Recovery: &watch.Recovery{}, Err: watch.ErrShort,
	}
	in := make(chan watch.Event[config], 2)
	in <- ev
	in <- watch.Event[config]{Type: watch.Synced}
	close(in)
	out := watch.Erase(t.Context(), watch.Erase(t.Context(), in)) // a second time changes nothing
	got := <-out
	if (*got.Object).(*config) != object {
		t.Errorf("the object is %v", *got.Object)
	}
	was, is := reflect.ValueOf(ev), reflect.ValueOf(got)
	for i := range was.NumField() {
		field := was.Type().Field(i).Name
		if was.Field(i).IsZero() {
			t.Errorf("the test leaves out %s", field)
		}
		if field == "Object" {
			continue
		}
		if d := cmp.Diff(was.Field(i).Interface(), is.Field(i).Interface(), cmpopts.EquateErrors()); d != "" {
			t.Errorf("%s (-want +got)\n%s", field, d)
		}
	}
	if synced := <-out; synced.Type != watch.Synced || synced.Object != nil {
		t.Errorf("got %v", synced)
	}
	if _, ok := <-out; ok {
		t.Error("the output is open")
	}
}
