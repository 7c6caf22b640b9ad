package watch_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// Servers and proxies that misbehave.

// The limit of the handle applies to frames and to the items of lists. A frame above it would come
// again and again, so that the watch lists instead.
func TestObjectTooLarge(t *testing.T) {
	t.Parallel()
	overBoth(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		bounded := configMaps(s).With(rest.CallOptions{MaxObject: 1 << 20})
		events := watch.Events(t.Context(), bounded, watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "SYNCED")
		must(t)(s.Create(cm("a", strings.Repeat("x", 2<<20))))
		for _, want := range []string{
			"retrying in 1s: broken frame: larger than CallOptions.MaxObject (1048576 bytes)",
			"retrying in 2s: larger than CallOptions.MaxObject (1048576 bytes)",
		} {
			got := expect(t, events, "WATCHFAILED watch ConfigMap failed, "+want)
			if !errors.Is(got[0].Err, rest.ErrTooLarge) {
				t.Errorf("%v does not match ErrTooLarge", got[0].Err)
			}
		}
		must(t)(s.Apply(cm("a", "small")))
		expect(t, events, "ADDED a=small", "SYNCED")
		must(t)(s.Create(cm("b", "1")))
		expect(t, events, "ADDED b=1")
	})
}

// A higher limit, or none, lets the same object through.
func TestHigherLimit(t *testing.T) {
	t.Parallel()
	for _, most := range []int64{-1, 3 << 20} {
		bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
			bounded := configMaps(s).With(rest.CallOptions{MaxObject: most})
			changes := watch.Events(t.Context(), bounded, watch.Options{PageSize: 500, Backoff: exact})
			expect(t, changes, "SYNCED")
			large := strings.Repeat("x", 2<<20)
			must(t)(s.Create(cm("a", large)))
			listed := watch.Events(t.Context(), bounded, watch.Options{PageSize: 500, Backoff: exact})
			for _, ev := range []watch.Event[rest.Object]{<-changes, <-listed} {
				if ev.Type != watch.Added || ev.Object.String("data", "v") != large {
					t.Errorf("at a bound of %d: %s", most, ev.Type)
				}
			}
		})
	}
}

// Warnings in the answers to a list, to a watch and in a refusal go to the handle's channel, not
// into the events.
func TestWarnings(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		warn := func(text string, f fakeapi.Fault) fakeapi.Fault { return f.Header("Warning", `299 - "`+text+`"`) }
		list := `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]}`
		bookmark := `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"6"}}}`
		s.Inject(
			warn("old", fakeapi.Respond(http.StatusOK, "application/json", list).On("list", "configmaps")),
			warn("no", fakeapi.Refuse(http.StatusForbidden).On("watch", "configmaps")),
			warn("older", fakeapi.Respond(http.StatusOK, "application/json", bookmark).On("watch", "configmaps")),
		)
		warnings := make(chan rest.Warning, 3)
		events := watch.Events(t.Context(), configMaps(s).With(rest.CallOptions{Warnings: warnings}), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "SYNCED")
		if ev := <-events; ev.Type != watch.WatchFailed {
			t.Errorf("got %s", line(ev))
		}
		time.Sleep(2 * time.Second) // the next request has been answered
		var got []rest.Warning
		for len(warnings) > 0 {
			got = append(got, <-warnings)
		}
		want := []rest.Warning{
			{Op: "list", Resource: "configmaps", Object: "default/*", Code: 299, Agent: "-", Text: "old"},
			{Op: "watch", Resource: "configmaps", Object: "default/*", Code: 299, Agent: "-", Text: "no"},
			{Op: "watch", Resource: "configmaps", Object: "default/*", Code: 299, Agent: "-", Text: "older"},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
}

// A bookmark with the version that was asked for is not progress: otherwise the watch would never
// wait.
func TestBookmarkOfTheSameVersion(t *testing.T) {
	for name, then := range map[string]fakeapi.Fault{
		"410": fakeapi.Expired(),
		"end": fakeapi.End(),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
				bookmark := fmt.Sprintf(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":%q}}}`+"\n", s.ResourceVersion())
				s.Inject(fakeapi.Text(bookmark).On("watch", "configmaps").Always(), then.On("watch", "configmaps").Always())
				events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
				for failures := 0; failures < 3; {
					if ev := <-events; ev.Type == watch.WatchFailed {
						failures++
					}
				}
				if n := len(s.Journal()); n > 7 {
					t.Errorf("%d requests for three failures", n)
				}
			})
		})
	}
}

// Older servers report in the message alone that they have not reached the version.
func TestVersionTooLargeByMessage(t *testing.T) {
	for name, status := range map[string]rest.Status{
		"message": {Message: "Too large resource version: 999999, current: 7"},
		"cause":   {Message: "Timeout: x", Details: &rest.StatusDetails{Causes: []rest.StatusCause{{Message: "Too large resource version"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
				status.Kind, status.Status, status.Code, status.Reason = "Status", "Failure", 504, "Timeout"
				s.Inject(fakeapi.ErrorEvent(status).On("watch", "configmaps"))
				events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, ResourceVersion: "999999", Backoff: exact})
				for _, want := range []watch.Type{watch.Error, watch.WatchFailed, watch.Synced} {
					if ev := next(events); ev.Type != want {
						t.Errorf("got %s, want %s", ev, want)
					}
				}
			})
		})
	}
}

// The reader owns the error of an event, and may change it.
func TestErrorEventIsGivenAway(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.ErrorEvent(rest.Status{Kind: "Status", Status: "Failure", Code: 403, Reason: "Forbidden", Message: "no"}).On("watch", "configmaps"))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "SYNCED")
		told, ok := errors.AsType[*rest.StatusError]((<-events).Err)
		if !ok {
			t.Fatal("no Error was sent")
		}
		told.Status = rest.Status{Message: "changed"}
		expect(t, events, "WATCHFAILED watch ConfigMap failed, retrying in 1s: the stream ended on an error: 403 Forbidden: no")
	})
}

// Two streams that end at once lead to a list only if no event came in between.
func TestShortStreamsInARow(t *testing.T) {
	bubble(t, fakeapi.Options{Objects: []any{cm("a", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		on := func(f fakeapi.Fault) fakeapi.Fault { return f.On("watch", "configmaps") }
		s.Inject(on(fakeapi.End()), on(fakeapi.Cut().AfterEvents(1)), on(fakeapi.End()))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "ADDED a=1", "SYNCED")
		time.Sleep(2 * time.Second)
		must(t)(s.Apply(cm("a", "2")))
		for range 2 {
			if ev := <-events; ev.Type != watch.WatchFailed {
				break
			}
		}
		time.Sleep(time.Minute)
		go func() {
			for ev := range events {
				if ev.Type == watch.Synced {
					t.Error("it listed again, though an event came between")
				}
			}
		}()
		time.Sleep(time.Minute)
		if n := len(arrivals(s, "list")); n != 1 {
			t.Errorf("it listed %d times, want once", n)
		}
	})
}

// The raw JSON does not keep a larger buffer alive.
func TestRawIsACopy(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		other := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500})
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Raw: true})
		expect(t, other, "SYNCED")
		expect(t, events, "SYNCED")
		must(t)(s.Create(cm("large", strings.Repeat("x", 200<<10))))
		<-other
		<-events
		for range 10 {
			must(t)(s.Apply(cm("small", time.Now().String())))
			<-other
			if ev := <-events; cap(ev.Raw) > 2*len(ev.Raw) {
				t.Errorf("%d bytes hold %d", len(ev.Raw), cap(ev.Raw))
			}
			time.Sleep(time.Second)
		}
	})
}

func TestZeroHandle(t *testing.T) {
	events := watch.Events(t.Context(), rest.Resource[rest.Object]{}, watch.Options{PageSize: 500})
	want := []string{"WATCHFAILED watch cannot begin: rest: the resource has no client"}
	var got []string
	for ev := range events {
		got = append(got, line(ev))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
