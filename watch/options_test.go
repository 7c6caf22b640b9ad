package watch_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

func TestBadOptions(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    watch.Options
		want string
	}{
		{"timeout", watch.Options{PageSize: 500, Timeout: time.Second - 1}, "option Timeout"},
		{"timeout of a lifetime", watch.Options{PageSize: 500, Timeout: math.MaxInt64}, "option Timeout"},
		{"negative timeout", watch.Options{PageSize: 500, Timeout: -1}, "option Timeout"},
		{"minimum duration", watch.Options{PageSize: 500, MinDuration: -2}, "option MinDuration"},
		{"jitter not a number", watch.Options{PageSize: 500, Backoff: stream.Backoff{Jitter: math.NaN()}}, "backoff: Jitter"},
		{"jitter over 1", watch.Options{PageSize: 500, Backoff: stream.Backoff{Jitter: 1.1}}, "backoff: Jitter"},
		{"maximum below the first delay", watch.Options{PageSize: 500, Backoff: stream.Backoff{Initial: 2, Max: 1}}, "backoff: Max"},
		{"negative delay", watch.Options{PageSize: 500, Backoff: stream.Backoff{Initial: -2}}, "backoff: Initial"},
		{"negative retries", watch.Options{PageSize: 500, Backoff: stream.Backoff{MaxRetries: -2}}, "backoff: MaxRetries"},
		{"name with a namespace", watch.Options{PageSize: 500, Name: "default/web"}, "option Name"},
		{"label selector", watch.Options{PageSize: 500, LabelSelector: "a in ("}, "option LabelSelector"},
		{"field selector", watch.Options{PageSize: 500, FieldSelector: "a"}, "option FieldSelector"},
		{"pattern", watch.Options{PageSize: 500, Keep: []watch.Filter{watch.Names("[*")}}, "option Keep"},
		{"no pattern", watch.Options{PageSize: 500, Keep: []watch.Filter{{}, watch.Names()}}, "option Keep"},
		{"no expression", watch.Options{PageSize: 500, Keep: []watch.Filter{watch.NamesMatching()}}, "option Keep"},
		{"no filter", watch.Options{PageSize: 500, Keep: []watch.Filter{watch.Or()}}, "option Keep"},
		{"type", watch.Options{PageSize: 500, Keep: []watch.Filter{watch.Types("POD")}}, "option Keep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
				tt.o.Source = "here"
				events := watch.Events(t.Context(), configMaps(s), tt.o)
				ev := <-events
				e := attempt(t, ev)
				if ev.Source != "here" {
					t.Fatalf("got %+v, want a WatchFailed", ev)
				}
				if !errors.Is(ev.Err, rest.ErrInvalidArgument) || !errors.Is(e.Err, rest.ErrInvalidArgument) {
					t.Errorf("%v does not match ErrInvalidArgument", ev.Err)
				}
				if s := e.Error(); !strings.HasPrefix(s, "watch ConfigMap cannot begin: "+tt.want) {
					t.Errorf("it says %q, which does not name %s", s, tt.want)
				}
				if e.Delay != 0 || e.Attempt != 0 || e.Status.Details.RetryAfterSeconds != 0 || e.Status.Reason != "WatchFailed" {
					t.Errorf("got %+v, want no delay", e)
				}
				expectClosed(t, events)
				if n := len(s.Journal()); n != 0 {
					t.Errorf("%d requests were sent, want none", n)
				}
			})
		})
	}
}

func TestBadHandle(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		for want, r := range map[string]rest.Resource[rest.Object]{
			`"Pot"`:  rest.For[rest.Object](s.Client(), "Pot"),
			`"a/b"`:  rest.For[rest.Object](s.Client(), "Pod").In("a/b"),
			`"Node"`: rest.For[rest.Object](s.Client(), "Node").In("default"),
		} {
			events := watch.Events(t.Context(), r, watch.Options{PageSize: 500})
			if ev := <-events; ev.Type != watch.WatchFailed || !strings.Contains(ev.Err.Error(), strings.Trim(want, `"`)) {
				t.Errorf("got %s, want a WatchFailed that names %s", line(ev), want)
			} else if !errors.Is(ev.Err, rest.ErrInvalidArgument) {
				t.Errorf("%v does not match ErrInvalidArgument", ev.Err)
			}
			expectClosed(t, events)
		}
		if n := len(s.Journal()); n != 0 {
			t.Errorf("%d requests were sent, want none", n)
		}
	})
}

func TestTimeoutIsSentInWholeSeconds(t *testing.T) {
	for d, want := range map[time.Duration]struct{ least, most int }{
		0: {240, 300}, time.Second: {1, 1}, 1500 * time.Millisecond: {2, 2}, 10 * time.Minute: {480, 600},
	} {
		bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
			events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Timeout: d})
			expect(t, events, "SYNCED")
			expectQuiet(t, events, time.Second/2)
			r := s.Journal()[1]
			got, err := strconv.Atoi(query(r, "timeoutSeconds"))
			if err != nil || got < want.least || got > want.most || query(r, "allowWatchBookmarks") != "true" {
				t.Errorf("%v: %s, want timeoutSeconds from %d to %d, and bookmarks", d, r, want.least, want.most)
			}
		})
	}
}
