package watch_test

import (
	"context"
	"errors"
	"net/http"
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

// oneList answers lists with a page, watches with the given replies in turn.
func oneList(watches ...func() *reply) *answers {
	return inTurn(func() *reply { return page("10", "", "a@5") }, watches...)
}

func body(pieces ...any) func() *reply { return func() *reply { return streams(pieces...) } }

// expired is the last event of a reading whose version the server has forgotten.
const expired = "ERROR watch pods default/*: expired (410): too old"

// A reading ends at the first good end of a cycle, or when its version has expired; whatever fails
// is retried as in any other watch.
func TestOnce(t *testing.T) {
	failed := func(why string) string { return "WATCHFAILED watch Pod failed, retrying in 1s: " + why }
	var (
		refusal = func() *reply { return refuse(http.StatusForbidden, "Forbidden", "no") }
		change  = body("MODIFIED a@11")
	)
	for name, tt := range map[string]struct {
		o     watch.Options
		s     *answers
		want  []string // events
		asked string
		lasts time.Duration
	}{
		"after the timeout": {
			s: oneList(body(300 * time.Second)), want: []string{"ADDED a", "SYNCED"}, asked: "list, watch 10", lasts: 300 * time.Second,
		},
		"at a version, without a list": {
			o: watch.Options{ResourceVersion: "10"}, s: oneList(body("MODIFIED a@11", 60*time.Second)),
			want: []string{"MODIFIED a"}, asked: "watch 10", lasts: time.Minute,
		},
		"from the cache": {
			o: watch.Options{ResourceVersion: "0"}, s: oneList(body(2 * time.Second)), want: []string{"ADDED a", "SYNCED"}, asked: "list 0, watch 10", lasts: 2 * time.Second,
		},
		"early, after an event": {s: oneList(change), want: []string{"ADDED a", "SYNCED", "MODIFIED a"}, asked: "list, watch 10"},
		"early, after an event that a filter drops": {
			o: watch.Options{Keep: []watch.Filter{watch.Types(watch.Deleted)}}, s: oneList(change), want: []string{"SYNCED"}, asked: "list, watch 10",
		},
		"early, after a bookmark": {s: oneList(body("BOOKMARK @12")), want: []string{"ADDED a", "SYNCED"}, asked: "list, watch 10"},
		"before a tenth of the timeout, without an event": {
			s: oneList(body(2 * time.Second)), want: []string{"ADDED a", "SYNCED"}, asked: "list, watch 10", lasts: 2 * time.Second,
		},
		"an end at once, without an event, is a failure": {
			s: oneList(body(), change), want: []string{"ADDED a", "SYNCED", failed("the stream ended early, without a new event"), "MODIFIED a"},
			asked: "list, watch 10, watch 10", lasts: time.Second,
		},
		"the second such end in a row makes it list": {
			s: oneList(body(), body(), change), lasts: 3 * time.Second, asked: "list, watch 10, watch 10, list, watch 10",
			want: []string{
				"ADDED a", "SYNCED", failed("the stream ended early, without a new event"),
				"WATCHFAILED watch Pod failed, retrying in 2s: the stream ended early, without a new event", "SYNCED", "MODIFIED a",
			},
		},
		"an end at once, without a minimum": {
			o: watch.Options{MinDuration: -1}, s: oneList(body()), want: []string{"ADDED a", "SYNCED"}, asked: "list, watch 10",
		},
		"a refusal is a failure": {
			s: oneList(refusal, change), want: []string{"ADDED a", "SYNCED", failed("HTTP 403 Forbidden: no"), "MODIFIED a"},
			asked: "list, watch 10, watch 10", lasts: time.Second,
		},
		"a stream that breaks is a failure, also after an event": {
			s:     oneList(body("MODIFIED a@11", errReset), body("MODIFIED a@12")),
			want:  []string{"ADDED a", "SYNCED", "MODIFIED a", failed("connection reset by peer"), "MODIFIED a"},
			asked: "list, watch 10, watch 11", lasts: time.Second,
		},
		"an end on another ERROR event is a failure": {
			s: oneList(body(failure(http.StatusInternalServerError, "InternalError", "no")), change), lasts: time.Second, asked: "list, watch 10, watch 10",
			want: []string{
				"ADDED a", "SYNCED", "ERROR watch pods default/*: internal error (500): no",
				failed("the stream ended on an error: 500 InternalError: no"), "MODIFIED a",
			},
		},
		"a first list that fails": {
			s: func() *answers {
				n := 0
				return inTurn(func() *reply {
					if n++; n == 1 {
						return refuse(http.StatusInternalServerError, "InternalError", "no")
					}
					return page("10", "", "a@5")
				}, change)
			}(),
			want: []string{failed("HTTP 500 InternalError: no"), "ADDED a", "SYNCED", "MODIFIED a"}, asked: "list, list, watch 10", lasts: time.Second,
		},
		"it gives up": {
			o: watch.Options{Backoff: stream.Backoff{MaxRetries: stream.NoRetries}}, s: oneList(refusal),
			want:  []string{"ADDED a", "SYNCED", "WATCHFAILED watch Pod failed, giving up after 0 retries: HTTP 403 Forbidden: no"},
			asked: "list, watch 10",
		},
		"410 as an event": {
			o: watch.Options{ResourceVersion: "10"}, s: oneList(body(failure(http.StatusGone, "Expired", "too old"))), want: []string{expired}, asked: "watch 10",
		},
		"410 as an event Gone, after others": {
			o: watch.Options{ResourceVersion: "10"}, s: oneList(body("MODIFIED a@11", failure(http.StatusGone, "Gone", "too old"))),
			want: []string{"MODIFIED a", expired}, asked: "watch 10",
		},
		"410 as a refusal": {
			o: watch.Options{ResourceVersion: "10"}, s: oneList(func() *reply { return refuse(http.StatusGone, "Expired", "too old") }),
			want: []string{expired}, asked: "watch 10",
		},
		"410 that is not a Status": {
			o: watch.Options{ResourceVersion: "10"}, s: oneList(func() *reply { return &reply{code: http.StatusGone, pieces: []any{"too old"}} }),
			want: []string{expired}, asked: "watch 10",
		},
		"410 right after the list": {
			s: oneList(body(failure(http.StatusGone, "Expired", "too old"))), want: []string{"ADDED a", "SYNCED", expired}, asked: "list, watch 10",
		},
		"410 after a failure": {
			o: watch.Options{ResourceVersion: "10"}, s: oneList(refusal, body(failure(http.StatusGone, "Expired", "too old"))),
			want: []string{failed("HTTP 403 Forbidden: no"), expired}, asked: "watch 10, watch 10", lasts: time.Second,
		},
		"410, and a filter without errors": {
			o: watch.Options{ResourceVersion: "10", Keep: []watch.Filter{watch.Types(watch.Added)}},
			s: oneList(body(failure(http.StatusGone, "Expired", "too old"))), want: []string{expired}, asked: "watch 10",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.o.Once, tt.o.PageSize = true, 500
				if tt.o.Backoff == (stream.Backoff{}) {
					tt.o.Backoff = exact
				}
				start := time.Now()
				events := watch.Events(t.Context(), tt.s.pods(t), tt.o)
				got := expect(t, events, tt.want...)
				for ev := range events {
					if ev.Type != watch.Recovered {
						t.Errorf("got %s, want a closed channel", line(ev))
					}
				}
				if d := time.Since(start); d != tt.lasts {
					t.Errorf("it lasted %v, want %v", d, tt.lasts)
				}
				last := got[len(got)-1]
				if ends := last.Type == watch.Error; ends != errors.Is(last.Err, rest.ErrExpired) {
					t.Errorf("%v: an Error at the end matches ErrExpired, and nothing else does", last.Err)
				}
				requests := tt.s.requests()
				asked := make([]string, 0, len(requests))
				for _, a := range requests {
					asked = append(asked, strings.TrimSuffix(a.verb+" "+a.version, " "))
				}
				if d := cmp.Diff(tt.asked, strings.Join(asked, ", ")); d != "" {
					t.Errorf("the requests (-want +got)\n%s", d)
				}
			})
		})
	}
}

// A list that the server streams is a part of the reading.
func TestOnceWithAListAsAStream(t *testing.T) {
	for name, tt := range map[string]struct {
		first *reply
		want  []string
		asked int
	}{
		"whole": {streams("ADDED a@5", "END @10", 60*time.Second), []string{"ADDED a", "SYNCED"}, 1},
		"it breaks off": {
			streams("ADDED a@5"),
			[]string{"ADDED a", "WATCHFAILED watch Pod failed, retrying in 1s: the stream ended before its list was complete", "SYNCED"},
			3,
		},
		"410 in place of it is a failure": {
			streams(failure(http.StatusGone, "Expired", "too old")), nil, 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := true
				s := &answers{answer: func(r *http.Request) *reply {
					switch {
					case r.URL.Query().Get("timeoutSeconds") != "60" && r.URL.Query().Get("watch") == "true":
						t.Errorf("a watch asks for %s s, want 60", r.URL.Query().Get("timeoutSeconds"))
					case first:
						first = false
						return tt.first
					case r.URL.Query().Get("watch") == "true":
						return streams(60 * time.Second)
					}
					return page("10", "", "a@5")
				}}
				events := watch.Events(t.Context(), s.pods(t), watch.Options{Once: true, Timeout: time.Minute, Backoff: exact})
				expect(t, events, tt.want...)
				synced := false
				for ev := range events {
					synced = synced || ev.Type == watch.Synced
				}
				if n := len(s.requests()); n != tt.asked || tt.want == nil && !synced {
					t.Errorf("%d requests, want %d, and a list at last: %v", n, tt.asked, synced)
				}
			})
		})
	}
}

// The server is asked for exactly the timeout, in every cycle.
func TestOnceAsksForTheWholeTimeout(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "300", time.Second: "1", 1500 * time.Millisecond: "2", 10 * time.Second: "10", 10 * time.Minute: "600",
	} {
		for range 5 { // it could be a random part
			bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
				s.Inject(fakeapi.Cut().After(time.Second/2).On("watch", "configmaps"))
				start := time.Now()
				n := 0
				for ev := range watch.Events(t.Context(), configMaps(s), watch.Options{Once: true, PageSize: 500, Timeout: d, Backoff: exact}) {
					if ev.Type == watch.WatchFailed {
						n++
					}
				}
				var asked []string
				for _, r := range s.Journal() {
					if verbOf(r) == "watch" {
						asked = append(asked, query(r, "timeoutSeconds"))
					}
				}
				if diff := cmp.Diff([]string{want, want}, asked); diff != "" || n != 1 {
					t.Errorf("%v, %d failures: the timeouts (-want +got)\n%s", d, n, diff)
				}
				whole, err := time.ParseDuration(want + "s")
				if more := time.Since(start) - whole - 1500*time.Millisecond; err != nil || more < 0 || more > 2*time.Millisecond {
					t.Errorf("%v: it lasted %v", d, time.Since(start))
				}
			})
		}
	}
}

func TestOnceEndsWithItsContext(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		events := watch.Events(ctx, configMaps(s), watch.Options{Once: true})
		expect(t, events, "SYNCED")
		expectClosed(t, events)
		if ctx.Err() == nil {
			t.Error("it closed before the context ended")
		}
	})
}

// A reading without an event could never end well.
func TestOnceNeedsATimeoutAboveTheMinimum(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		o := watch.Options{Once: true, Timeout: 5 * time.Second, MinDuration: 6 * time.Second}
		events := watch.Events(t.Context(), configMaps(s), o)
		expect(t, events, "WATCHFAILED watch ConfigMap cannot begin: option MinDuration is 6s, longer than the Timeout of 5s; "+
			"with Once, a reading without an event would never end")
		expectClosed(t, events)
		if n := len(s.Journal()); n != 0 {
			t.Errorf("%d requests, want none", n)
		}
		o.MinDuration = o.Timeout
		events = watch.Events(t.Context(), configMaps(s), o)
		expect(t, events, "SYNCED")
		expectClosed(t, events)
	})
}
