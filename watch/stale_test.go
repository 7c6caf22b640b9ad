package watch_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// watched reads the events of a watch of one cycle after a list at version 10 with a@5 and b@6, and
// the version at which the next cycle begins.
func watched(t *testing.T, o watch.Options, frames ...any) (told []string, position string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := inTurn(func() *reply { return page("10", "", "a@5", "b@6") },
			func() *reply { return streams(append(frames, 2*time.Minute)...) }, func() *reply { return streams(hour) })
		o.Backoff = exact
		events := watch.Events(t.Context(), s.pods(t), o)
		for over := time.After(3 * time.Minute); ; {
			select {
			case ev := <-events:
				told = append(told, line(ev))
				continue
			case <-over:
			}
			break
		}
		asked := s.requests()
		position = asked[len(asked)-1].version
	})
	return told, position
}

// An event that repeats, or that goes back, is neither sent again nor moves the position. What the
// reader does not know yet is sent in any case.
func TestEventsThatRepeatOrGoBack(t *testing.T) {
	for name, tt := range map[string]struct {
		frames   []any
		told     string
		position string
	}{
		"new ones":                         {[]any{"MODIFIED a@11", "ADDED c@12", "DELETED b@13"}, "MODIFIED a, ADDED c, DELETED b", "13"},
		"the same one":                     {[]any{"MODIFIED a@11", "MODIFIED a@11", "MODIFIED a@11"}, "MODIFIED a", "11"},
		"the same as another type":         {[]any{"ADDED c@11", "MODIFIED c@11"}, "ADDED c", "11"},
		"the list once more":               {[]any{"ADDED a@5", "ADDED b@6"}, "", "10"},
		"an older version":                 {[]any{"MODIFIED a@4"}, "", "10"},
		"older than the position, but new": {[]any{"MODIFIED a@7"}, "MODIFIED a", "10"},
		"one that was deleted since":       {[]any{"ADDED c@11", "DELETED c@12", "ADDED c@11"}, "ADDED c, DELETED c", "12"},
		"deleted twice":                    {[]any{"DELETED a@11", "DELETED a@11"}, "DELETED a", "11"},
		"deleted, with its old version":    {[]any{"DELETED a@5", "MODIFIED b@11"}, "DELETED a, MODIFIED b", "11"},
		"deleted, long ago":                {[]any{"MODIFIED a@12", "DELETED a@11"}, "MODIFIED a", "12"},
		"deleted, never seen, long ago":    {[]any{"DELETED c@3"}, "", "10"},
		"an older bookmark":                {[]any{"BOOKMARK @12", "BOOKMARK @11"}, "BOOKMARK", "12"},
		"the same bookmark":                {[]any{"BOOKMARK @12", "BOOKMARK @12"}, "BOOKMARK", "12"},
		"longer numbers are newer":         {[]any{"MODIFIED a@100", "MODIFIED a@99"}, "MODIFIED a", "100"},
		"numbers of any length":            {[]any{"MODIFIED a@99999999999999999999", "MODIFIED a@100000000000000000000", "MODIFIED a@99999999999999999999"}, "MODIFIED a, MODIFIED a", "100000000000000000000"},
		"no numbers":                       {[]any{"MODIFIED a@x", "MODIFIED a@x", "MODIFIED a@y"}, "MODIFIED a, MODIFIED a", "y"},
	} {
		t.Run(name, func(t *testing.T) {
			told, position := watched(t, watch.Options{PageSize: 500, Bookmarks: true}, tt.frames...)
			if got := strings.Join(told[3:], ", "); got != tt.told {
				t.Errorf("it told %s, want %s", got, tt.told)
			}
			if position != tt.position {
				t.Errorf("it goes on at %s, want %s", position, tt.position)
			}
		})
	}
}

// A server that sends all objects although a version was given does not move the position back.
func TestBurstThoughAVersionWasGiven(t *testing.T) {
	told, position := watched(t, watch.Options{PageSize: 500, ResourceVersion: "10"}, "ADDED a@5", "ADDED b@6", "ADDED c@11")
	if d := cmp.Diff([]string{"ADDED c"}, told); d != "" || position != "11" {
		t.Errorf("it goes on at %s, want 11 (-want +got)\n%s", position, d)
	}
}

// A name filter drops events, but not their versions: a repeated one is not new.
func TestDroppedEventsMoveThePositionOnly(t *testing.T) {
	told, position := watched(t, watch.Options{PageSize: 500, Keep: []watch.Filter{watch.Names("a")}}, "ADDED c@11", "MODIFIED c@12", "ADDED c@11")
	if d := cmp.Diff([]string{"ADDED a", "SYNCED"}, told); d != "" || position != "12" {
		t.Errorf("it goes on at %s, want 12 (-want +got)\n%s", position, d)
	}
}

// An object of another kind is an Error, and changes nothing that the reader knows.
func TestObjectOfAnotherKind(t *testing.T) {
	service := `{"type":"ADDED","object":{"kind":"Service","apiVersion":"v1","metadata":{"name":"s","namespace":"default","resourceVersion":"11"}}}` + "\n"
	for name, o := range map[string]watch.Options{"": {PageSize: 500}, "filtered by type": {PageSize: 500, Keep: []watch.Filter{watch.Types(watch.Added, watch.Deleted)}}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := inTurn(func() *reply { return page("10", "") }, func() *reply { return streams(service, "ADDED a@12", hour) })
				events := watch.Events(t.Context(), s.pods(t), o)
				expect(t, events, "SYNCED")
				ev := <-events
				var e *watch.DecodeError
				want := rest.Key{Kind: "Service", Namespace: "default", Name: "s"}
				if ev.Type != watch.Error || !errors.As(ev.Err, &e) || !errors.Is(ev.Err, rest.ErrAnswer) || ev.Object != nil || ev.Key != want || e.Key != want || e.Type != watch.Added {
					t.Errorf("got %+v", ev)
				}
				if !strings.Contains(string(ev.Raw), `"kind":"Service"`) {
					t.Errorf("Raw is %q", ev.Raw)
				}
				expect(t, events, "ADDED a")
			})
		})
	}
	told, _ := watched(t, watch.Options{PageSize: 500, Keep: []watch.Filter{watch.Types(watch.Modified)}}, service)
	if d := cmp.Diff([]string{"SYNCED"}, told); d != "" {
		t.Errorf("with a filter (-want +got)\n%s", d)
	}
}

// A list without a version that a watch can start at is a failed attempt.
func TestListWithoutAVersion(t *testing.T) {
	for _, version := range []string{"0", "", strings.Repeat("1", 257)} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			s := inTurn(func() *reply {
				if n++; n == 1 {
					return page(version, "", "a@5")
				}
				return page("10", "", "a@5")
			}, func() *reply { return streams(hour) })
			events := watch.Events(t.Context(), s.pods(t), watch.Options{PageSize: 500, Backoff: exact})
			expect(t, events, "ADDED a", "WATCHFAILED watch Pod failed, retrying in 1s: list: no resource version", "RECOVERED after 1s and 1", "SYNCED")
			time.Sleep(time.Minute)
			if s.requests()[2].version != "10" {
				t.Errorf("it watches from %q", s.requests()[2].version)
			}
		})
	}
}

// slowList answers with 600 objects, of which one arrives every 200 ms, and with watches that stay
// open.
func slowList(r *http.Request) *reply {
	const all, each = 600, time.Second / 5
	q := r.URL.Query()
	if q.Has("watch") {
		return streams(hour)
	}
	from, limit := 0, all
	_, _ = fmt.Sscan(q.Get("continue"), &from)
	_, _ = fmt.Sscan(q.Get("limit"), &limit)
	to, token := min(from+limit, all), ""
	if to < all {
		token = strconv.Itoa(to)
	}
	re := &reply{pieces: []any{fmt.Sprintf(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1000","continue":%q},"items":[`, token)}}
	comma := ""
	for i := from; i < to; i++ {
		re.pieces = append(re.pieces, each, comma+object(fmt.Sprintf("o%d@%d", i, i+1)))
		comma = ","
	}
	re.pieces = append(re.pieces, "]}")
	return re
}

// A page that cannot be read in time is asked for with half of what arrived, until it fits. No
// object is sent twice, and later pages grow again.
func TestPagesThatFit(t *testing.T) {
	for name, tt := range map[string]struct {
		size  int
		want  []string
		fails int
	}{
		"the default":  {0, []string{"500", "162", "162", "162", "162"}, 1},
		"in one piece": {-1, []string{"", "162", "162", "162", "162"}, 1},
		"small ones":   {200, []string{"200", "200", "200"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &answers{answer: slowList}
				events := watch.Events(t.Context(), s.pods(t), watch.Options{PageSize: tt.size, Backoff: exact})
				seen := map[string]bool{}
				fails := 0
				for ev := range events {
					switch {
					case ev.Type == watch.WatchFailed:
						fails++
						if !errors.Is(ev.Err, rest.ErrOverdue) {
							t.Error(line(ev))
						}
					case ev.Type == watch.Added && seen[ev.Key.Name]:
						t.Errorf("%s is sent twice", ev.Key)
					case ev.Type == watch.Added:
						seen[ev.Key.Name] = true
					}
					if ev.Type == watch.Synced {
						break
					}
				}
				var limits []string
				for _, a := range s.requests() {
					if a.verb == "list" || a.verb == "continue" {
						limits = append(limits, a.limit)
					}
				}
				if d := cmp.Diff(tt.want, limits); d != "" || len(seen) != 600 || fails != tt.fails {
					t.Errorf("%d objects and %d failures, with pages of (-want +got)\n%s", len(seen), fails, d)
				}
			})
		})
	}
}

// A server that holds its headers back and then ends the stream does not keep the watch in silence.
func TestLateEmptyStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := inTurn(func() *reply { return page("10", "") }, func() *reply { return &reply{before: 1200 * time.Millisecond, pieces: []any{""}} })
		events := watch.Events(t.Context(), s.pods(t), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "SYNCED", "WATCHFAILED watch Pod failed, retrying in 1s: the stream ended early, without a new event", "SYNCED")
	})
}
