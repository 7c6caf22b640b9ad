package watch_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

const forbidden = `configmaps is forbidden`

// arrivals returns when each request of a verb reached the server.
func arrivals(s *fakeapi.Server, verb string) []time.Duration {
	var at []time.Duration
	for _, r := range s.Records() {
		if verbOf(r.Request) == verb {
			at = append(at, r.At)
		}
	}
	return at
}

func TestBackoffIsExact(t *testing.T) {
	overBoth(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.Refuse(403).Message(forbidden).On("watch", "configmaps").Times(3))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "SYNCED",
			"WATCHFAILED watch ConfigMap failed, retrying in 1s: HTTP 403 Forbidden: configmaps is forbidden",
			"WATCHFAILED watch ConfigMap failed, retrying in 2s: HTTP 403 Forbidden: configmaps is forbidden",
			"WATCHFAILED watch ConfigMap failed, retrying in 4s: HTTP 403 Forbidden: configmaps is forbidden")
		expectQuiet(t, events, time.Minute)
		at := arrivals(s, "watch")
		want := []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second}
		if d := cmp.Diff(want, at); d != "" {
			t.Errorf("the requests came at (-want +got)\n%s", d)
		}
		if lists := arrivals(s, "list"); len(lists) != 1 {
			t.Errorf("it listed %d times, want once: the version of the first list is good", len(lists))
		}
	})
}

func TestDelayAnnouncedIsDelayWaited(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.Refuse(500).On("list", "configmaps").Times(8))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500})
		base, sum := time.Second, time.Duration(0)
		for n := 1; n <= 8; n++ {
			ev := <-events
			e := attempt(t, ev)
			if e.Delay > base || e.Delay < base*4/5-time.Millisecond || e.Delay%time.Millisecond != 0 || e.Attempt != n {
				t.Errorf("attempt %d (%d) waits %v, want %v less up to a fifth", n, e.Attempt, e.Delay, base)
			}
			if s := time.Duration(e.Status.Details.RetryAfterSeconds*1000+0.5) * time.Millisecond; s != e.Delay {
				t.Errorf("the Status says %v, want %v", s, e.Delay)
			}
			base, sum = min(2*base, 30*time.Second), sum+e.Delay
		}
		expect(t, events, "SYNCED")
		if last := arrivals(s, "list")[8]; last != sum {
			t.Errorf("the last attempt came at %v, want %v: what was announced", last, sum)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fault fakeapi.Fault
		want  time.Duration
	}{
		{"longer than the backoff", fakeapi.Refuse(429).RetryAfter(7 * time.Second), 7 * time.Second},
		{"shorter than the backoff", fakeapi.Refuse(429).RetryAfter(time.Second / 2), time.Second},
		{"only the header", fakeapi.Respond(503, "text/plain", "busy").Header("Retry-After", "90"), 90 * time.Second},
		{"past five minutes", fakeapi.Refuse(503).RetryAfter(time.Hour), 5 * time.Minute},
		{"within the stream", fakeapi.ErrorEvent(rest.Status{
			Kind: "Status", Status: "Failure", Code: 429, Reason: "TooManyRequests", Details: &rest.StatusDetails{RetryAfterSeconds: 8},
		}), 8 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
				s.Inject(tt.fault.On("watch", "configmaps"))
				events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
				var e *watch.AttemptError
				for e == nil {
					errors.As((<-events).Err, &e)
				}
				if e.Delay != tt.want {
					t.Errorf("it waits %v, want %v", e.Delay, tt.want)
				}
				expectQuiet(t, events, 6*time.Minute)
				if at := arrivals(s, "watch"); len(at) < 2 || at[1] != tt.want {
					t.Errorf("the requests came at %v, want the second at %v", at, tt.want)
				}
			})
		})
	}
}

func TestGivesUp(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.Refuse(403).Message(forbidden).On("watch", "configmaps").Always())
		o := watch.Options{PageSize: 500, Backoff: stream.Backoff{Jitter: -1, MaxRetries: 3}}
		for range 2 { // a new call starts with the full count
			s.ResetJournal()
			events := watch.Events(t.Context(), configMaps(s), o)
			got := expect(t, events, "SYNCED",
				"WATCHFAILED watch ConfigMap failed, retrying in 1s: HTTP 403 Forbidden: configmaps is forbidden",
				"WATCHFAILED watch ConfigMap failed, retrying in 2s: HTTP 403 Forbidden: configmaps is forbidden",
				"WATCHFAILED watch ConfigMap failed, retrying in 4s: HTTP 403 Forbidden: configmaps is forbidden",
				"WATCHFAILED watch ConfigMap failed, giving up after 3 retries: HTTP 403 Forbidden: configmaps is forbidden")
			expectClosed(t, events)
			last := got[4].Err
			want := rest.Status{
				Kind: "Status", APIVersion: "v1", Status: "Failure", Reason: "WatchFailed", Code: 403,
				Message: last.Error(), Details: &rest.StatusDetails{Kind: "ConfigMap"},
			}
			if d := cmp.Diff(want, attempt(t, got[4]).Status); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if !errors.Is(last, watch.ErrGaveUp) || !errors.Is(last, rest.ErrForbidden) || errors.Is(got[3].Err, watch.ErrGaveUp) {
				t.Errorf("%v: want ErrGaveUp and ErrForbidden, the former only of the last", last)
			}
			if n := len(arrivals(s, "watch")); n != 4 {
				t.Errorf("%d attempts, want four", n)
			}
		}
	})
}

func TestNoRetries(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.Refuse(500).Message("no").On("list", "configmaps"))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: stream.Backoff{MaxRetries: stream.NoRetries}})
		expect(t, events, "WATCHFAILED watch ConfigMap failed, giving up after 0 retries: HTTP 500 InternalError: no")
		expectClosed(t, events)
	})
}

// An event starts the backoff over even if a filter drops it, and so does a cycle that ended well.
func TestWhatStartsTheBackoffOver(t *testing.T) {
	const refusal = "WATCHFAILED watch ConfigMap failed, retrying in %s: HTTP 500 InternalError: no"
	refuse := fakeapi.Refuse(500).Message("no").On("watch", "configmaps")
	for _, tt := range []struct {
		name  string
		o     watch.Options
		fault fakeapi.Fault
		after string // the delay after two refusals, the fault, and one more refusal
	}{
		{"nothing", watch.Options{PageSize: 500}, fakeapi.Fault{}, "4s"},
		{"an event", watch.Options{PageSize: 500}, fakeapi.Truncate().AfterEvents(1), "2s"},
		{"a dropped event", watch.Options{PageSize: 500, Keep: []watch.Filter{watch.Names("none")}}, fakeapi.Truncate().AfterEvents(1), "2s"},
		{"an end after an event", watch.Options{PageSize: 500}, fakeapi.End().AfterEvents(1), "1s"},
		{"a long cycle without an event", watch.Options{PageSize: 500}, fakeapi.End().After(time.Minute), "1s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, fakeapi.Options{Objects: []any{cm("a", "1")}, BookmarkEvery: -1}, func(t *testing.T, s *fakeapi.Server) {
				s.Inject(refuse.Times(2))
				if tt.name != "nothing" {
					s.Inject(tt.fault.On("watch", "configmaps"))
				}
				s.Inject(refuse)
				tt.o.Backoff = exact
				events := watch.Events(t.Context(), configMaps(s), tt.o)
				var failures []string
				for range 2 {
					ev := <-events
					for ev.Type != watch.WatchFailed {
						ev = <-events
					}
				}
				if tt.name != "nothing" {
					time.Sleep(2*time.Second + time.Millisecond)
					must(t)(s.Apply(cm("a", "2")))
				}
				for len(failures) == 0 || !strings.Contains(failures[len(failures)-1], "500") {
					if ev := <-events; ev.Type == watch.WatchFailed {
						failures = append(failures, line(ev))
					}
				}
				if want := fmt.Sprintf(refusal, tt.after); failures[len(failures)-1] != want {
					t.Errorf("got %q, want the last to be %q", failures, want)
				}
			})
		})
	}
}

func TestEndsAtOnce(t *testing.T) {
	const short = "WATCHFAILED watch ConfigMap failed, retrying in %s: the stream ended early, without a new event"
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.End().On("watch", "configmaps").Times(3))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		// After the second in a row the watch lists: some servers do this when the version has
		// expired.
		got := expect(t, events, "SYNCED", fmt.Sprintf(short, "1s"), fmt.Sprintf(short, "2s"), "SYNCED", fmt.Sprintf(short, "4s"))
		if e := attempt(t, got[1]); e.Status.Code != 0 || !errors.Is(e, watch.ErrShort) {
			t.Errorf("code %d, cause %v, want 0 and ErrShort", e.Status.Code, e.Err)
		}
		expectQuiet(t, events, time.Hour)
	})
	t.Run("switched off", func(t *testing.T) {
		bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
			s.Inject(fakeapi.End().On("watch", "configmaps").Times(3))
			events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, MinDuration: -1, Backoff: exact})
			expect(t, events, "SYNCED", // the second in a row counts, and so does the fourth
				"WATCHFAILED watch ConfigMap failed, retrying in 1s: the stream ended early, without a new event", "SYNCED")
			expectQuiet(t, events, time.Hour)
			if d := cmp.Diff([]string{"list", "watch", "watch", "list", "watch", "watch"}, verbs(s)[:6]); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	})
	t.Run("the clock starts with the request", func(t *testing.T) {
		bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
			slow := fakeapi.Delay(2*time.Second).On("watch", "configmaps")
			s.Inject(slow, fakeapi.End().On("watch", "configmaps"))
			events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500})
			expect(t, events, "SYNCED")
			expectQuiet(t, events, time.Hour)
		})
	})
}

func TestErrorEvents(t *testing.T) {
	status := rest.Status{
		Kind: "Status", APIVersion: "v1", Status: "Failure", Reason: "Forbidden", Message: "not any more", Code: 403,
	}
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.ErrorEvent(status).On("watch", "configmaps"))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		synced := expect(t, events, "SYNCED")[0].ResourceVersion
		told, failed := <-events, <-events
		var refused *rest.StatusError
		if told.Type != watch.Error || !errors.As(told.Err, &refused) {
			t.Fatalf("got %s, want an Error with a StatusError", line(told))
		}
		if d := cmp.Diff(status, refused.Status); d != "" {
			t.Errorf("the Status was touched (-want +got)\n%s", d)
		}
		const want = "WATCHFAILED watch ConfigMap failed, retrying in 1s: the stream ended on an error: 403 Forbidden: not any more"
		if line(failed) != want || attempt(t, failed).Status.Code != 403 {
			t.Errorf("got %s, want %s", line(failed), want)
		}
		expectQuiet(t, events, time.Minute)
		if d := cmp.Diff([]string{"list", "watch " + synced, "watch " + synced}, requests(s)); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
	t.Run("filtered", func(t *testing.T) {
		bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
			s.Inject(fakeapi.ErrorEvent(status).On("watch", "configmaps"))
			events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Keep: []watch.Filter{watch.Types(watch.Added)}, Backoff: exact})
			expect(t, events, "SYNCED",
				"WATCHFAILED watch ConfigMap failed, retrying in 1s: the stream ended on an error: 403 Forbidden: not any more")
		})
	})
}

func TestVersionTooLarge(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.ErrorEvent(rest.Status{
			Kind: "Status", Status: "Failure", Reason: "Timeout", Code: 504, Message: "Too large resource version",
			Details: &rest.StatusDetails{RetryAfterSeconds: 1, Causes: []rest.StatusCause{{Type: "ResourceVersionTooLarge"}}},
		}).On("watch", "configmaps"))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, ResourceVersion: "999999", Backoff: exact})
		expect(t, events, "ERROR watch configmaps default/*: timeout (504): Too large resource version",
			"WATCHFAILED watch ConfigMap failed, retrying in 1s: the stream ended on an error: 504 Timeout: Too large resource version",
			"SYNCED")
	})
}

func TestNoVersion(t *testing.T) {
	bubble(t, fakeapi.Options{Objects: []any{cm("a", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.Text(`{"type":"MODIFIED","object":{"metadata":{"name":"a","namespace":"default"}}}`+"\n").On("watch", "configmaps"))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "ADDED a=1", "SYNCED",
			"WATCHFAILED watch ConfigMap failed, retrying in 1s: MODIFIED ConfigMap default/a: no resource version", "SYNCED")
	})
}

func TestDecodeError(t *testing.T) {
	type strict struct {
		Data map[string]int `json:"data"`
	}
	bubble(t, fakeapi.Options{Objects: []any{cm("a", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		bad := must(t)(s.Get("ConfigMap", "default", "a"))
		events := watch.Events(ctx, rest.For[strict](s.Client(), "ConfigMap").In("default"), watch.Options{PageSize: 500})
		ev := <-events
		var e *watch.DecodeError
		if ev.Type != watch.Error || !errors.As(ev.Err, &e) || ev.Object != nil {
			t.Fatalf("got %+v, want an Error with a DecodeError", ev)
		}
		key := rest.Key{Kind: "ConfigMap", Namespace: "default", Name: "a"}
		want := watch.DecodeError{Type: watch.Added, Key: key, ResourceVersion: bad.ResourceVersion()}
		got := *e
		got.Err = nil
		if d := cmp.Diff(want, got); d != "" || !strings.Contains(string(ev.Raw), `"v":"1"`) || ev.Key != key {
			t.Errorf("(-want +got)\n%s\nraw %s", d, ev.Raw)
		}
		if !strings.HasPrefix(e.Error(), "decode ADDED ConfigMap default/a: ") {
			t.Errorf("it reads %q", e)
		}
		if ev := <-events; ev.Type != watch.Synced {
			t.Errorf("got %v, want SYNCED", ev.Type)
		}
		must(t)(s.Apply(rest.Object{"kind": "ConfigMap", "apiVersion": "v1", "metadata": map[string]any{"name": "b"}}))
		if ev := <-events; ev.Type != watch.Added || ev.Key.Name != "b" {
			t.Errorf("got %v %v, want the watch to go on", ev.Type, ev.Key)
		}
		filtered := watch.Events(ctx, rest.For[strict](s.Client(), "ConfigMap").In("default"), watch.Options{
			PageSize: 500,
			Keep:     []watch.Filter{watch.Types(watch.Added)},
		})
		if ev := <-filtered; ev.Type != watch.Error || ev.Key.Name != "a" {
			t.Errorf("got %v %v, want the Error: a filter of types does not hide it", ev.Type, ev.Key)
		}
		named := watch.Keep(ctx, watch.Events(ctx, rest.For[strict](s.Client(), "ConfigMap").In("default"), watch.Options{PageSize: 500}),
			watch.Types(watch.Added), watch.Names("a", "b"))
		if ev := <-named; ev.Type != watch.Error || ev.Key.Name != "a" {
			t.Errorf("got %v %v, want the stage to pass it as well", ev.Type, ev.Key)
		}
	})
}

func TestNobodyListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fakeapi.New(t, fakeapi.Options{})
		refused := errors.New("connection refused")
		dead := func(context.Context, string, string) (net.Conn, error) { return nil, refused }
		c, err := rest.New(s.Config(), rest.Options{Dial: dead})
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseIdle()
		events := watch.Events(t.Context(), rest.For[rest.Object](c, "Pod"), watch.Options{PageSize: 500, Backoff: exact})
		got := expect(t, events, "WATCHFAILED watch Pod failed, retrying in 1s: connecting to 127.0.0.1:8080: connection refused")
		if e := attempt(t, got[0]); e.Status.Code != 0 || !errors.Is(e, refused) {
			t.Errorf("code %d, cause %v", e.Status.Code, e.Err)
		}
	})
}
