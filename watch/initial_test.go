package watch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// Tests of lists that come as the beginning of a watch.

// asks returns the journal as "stream", "watch", "list" and "continue".
func asks(s *fakeapi.Server) []string {
	journal := s.Journal()
	out := make([]string, 0, len(journal))
	for _, r := range journal {
		out = append(out, askOf(r))
	}
	return out
}

func askOf(r fakeapi.Request) string {
	if query(r, "sendInitialEvents") == "true" {
		return "stream"
	}
	return verbOf(r)
}

// verbsOf returns what a scripted server was asked.
func verbsOf(s *answers) string {
	all := s.requests()
	out := make([]string, 0, len(all))
	for _, a := range all {
		out = append(out, a.verb)
	}
	return strings.Join(out, " ")
}

// onStream answers streamed lists with the first function, lists with the second, and watches with
// streams that stay open.
func onStream(stream, list func() *reply) *answers {
	return &answers{answer: func(r *http.Request) *reply {
		switch q := r.URL.Query(); {
		case q.Has("sendInitialEvents"):
			return stream()
		case q.Get("watch") == "true":
			return streams(hour)
		}
		return list()
	}}
}

// A list, the difference after a gap, and the changes in between come over one request each.
func TestStreamedList(t *testing.T) {
	overBoth(t, fakeapi.Options{Objects: []any{cm("a", "1"), cm("b", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		events := watch.Events(t.Context(), configMaps(s), watch.Options{Backoff: exact})
		for _, ev := range expect(t, events, "ADDED a=1", "ADDED b=1", "SYNCED") {
			if !ev.Listed && ev.Type != watch.Synced {
				t.Errorf("%s is not listed", line(ev))
			}
		}
		must(t)(s.Apply(cm("a", "2")))
		expect(t, events, "MODIFIED a=2")
		if d := cmp.Diff([]string{"stream"}, asks(s)); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		s.Inject(fakeapi.Delay(2*time.Second).On("watch", "configmaps"), fakeapi.Expired().On("watch", "configmaps"))
		s.Disconnect()
		synctest.Wait()
		must(t)(s.Apply(cm("a", "3")))
		must(t)(s.Remove("ConfigMap", "default", "b"))
		must(t)(s.Create(cm("c", "1")))
		s.Expire()
		for ev := range events {
			if ev.Type == watch.Modified {
				if line(ev) != "MODIFIED a=3" || !ev.Listed {
					t.Errorf("got %s, listed: %v", line(ev), ev.Listed)
				}
				break
			}
			if ev.Type != watch.WatchFailed && ev.Type != watch.Recovered {
				t.Fatalf("got %s", line(ev))
			}
		}
		expect(t, events, "ADDED c=1", "DELETED b inferred", "SYNCED")
		must(t)(s.Apply(cm("c", "2")))
		expect(t, events, "MODIFIED c=2")
		if got := asks(s); got[len(got)-1] != "stream" || slices.Contains(got, "list") {
			t.Errorf("it asked for %q", got)
		}
	})
}

// A server without the feature refuses it. That is told once, and nothing waits; other watches of
// the client list at once, until an hour has passed.
func TestServerThatCannotStream(t *testing.T) {
	bubble(t, fakeapi.Options{NoWatchList: true, Objects: []any{cm("a", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		began := time.Now()
		events := watch.Events(t.Context(), configMaps(s), watch.Options{})
		ev := <-events
		if ev.Type != watch.Error || !errors.Is(ev.Err, rest.ErrNoStreaming) || !errors.Is(ev.Err, rest.ErrInvalid) {
			t.Fatalf("got %s", line(ev))
		}
		expect(t, events, "ADDED a=1", "SYNCED")
		expect(t, watch.Events(t.Context(), configMaps(s), watch.Options{}), "ADDED a=1", "SYNCED")
		kinds := rest.For[rest.Object](s.Client(), "Secret").In("default")
		if ev := <-watch.Events(t.Context(), kinds, watch.Options{}); !errors.Is(ev.Err, rest.ErrNoStreaming) {
			t.Errorf("another resource: %s", line(ev))
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it takes %v", took)
		}
		time.Sleep(time.Hour)
		if ev := <-watch.Events(t.Context(), configMaps(s), watch.Options{}); !errors.Is(ev.Err, rest.ErrNoStreaming) {
			t.Errorf("an hour later: %s", line(ev))
		}
		quiet := watch.Events(t.Context(), configMaps(s), watch.Options{Keep: []watch.Filter{watch.Types(watch.Added)}})
		expect(t, quiet, "ADDED a=1", "SYNCED")
	})
}

// A server that does not say where the list ends is not waited for without a limit: a minute after
// the request, or ten seconds after the last object, if that is later. What it has brought is not
// told again.
func TestListWithoutAnEnd(t *testing.T) {
	list := func() *reply { return page("5", "", "a@4", "b@5", "c@5", "d@5") }
	for name, c := range map[string]struct {
		stream []any
		before time.Duration
		after  time.Duration
		reader time.Duration // how long the reader sleeps after the first event
	}{
		"nothing comes":             {stream: []any{hour}, after: time.Minute},
		"not even headers":          {before: time.Hour, after: time.Minute},
		"some come":                 {stream: []any{"ADDED a@4", hour}, after: time.Minute},
		"bookmarks come":            {stream: []any{"ADDED a@4", 30 * time.Second, "BOOKMARK @5", hour}, after: time.Minute},
		"the last one comes late":   {stream: []any{55 * time.Second, "ADDED a@4", hour}, after: 65 * time.Second},
		"the reader is not counted": {stream: []any{"ADDED a@4", "ADDED b@5", "ADDED c@5", "ADDED d@5", hour}, after: 2 * time.Minute, reader: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := onStream(func() *reply { re := streams(c.stream...); re.before = c.before; return re }, list)
				began := time.Now()
				events := watch.Events(t.Context(), s.pods(t), watch.Options{})
				got := []string{}
				for ev := range events {
					if ev.Type == watch.Error {
						if !errors.Is(ev.Err, rest.ErrNoStreaming) || time.Since(began) != c.after {
							t.Errorf("%s after %v, want it after %v", line(ev), time.Since(began), c.after)
						}
						continue
					}
					if got = append(got, line(ev)); ev.Type == watch.Synced {
						break
					}
					if len(got) == 1 {
						time.Sleep(c.reader)
					}
				}
				if d := cmp.Diff([]string{"ADDED a", "ADDED b", "ADDED c", "ADDED d", "SYNCED"}, got); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			})
		})
	}
}

// A slow server that goes on bringing objects is waited for.
func TestSlowStreamedList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pieces := []any{}
		want := []string{}
		for n := range 20 {
			pieces = append(pieces, 9*time.Second, fmt.Sprintf("ADDED o%02d@%d", n, n+1))
			want = append(want, fmt.Sprintf("ADDED o%02d", n))
		}
		s := onStream(func() *reply { return streams(append(pieces, "END @30", hour)...) }, nil)
		expect(t, watch.Events(t.Context(), s.pods(t), watch.Options{}), append(want, "SYNCED")...)
	})
}

// A stream that breaks off inside its list is a failed attempt. The next list comes in pages, and
// tells nothing twice; the one after it is a stream again.
func TestStreamThatBreaksOff(t *testing.T) {
	for name, c := range map[string]struct {
		ends []any
		want string
	}{
		"an end":                {nil, "the stream ended before its list was complete"},
		"a cut":                 {[]any{errReset}, "connection reset by peer"},
		"a broken frame":        {[]any{"{]"}, "broken frame"},
		"an odd frame":          {[]any{`{"type":"WHAT","object":{"metadata":{"name":"a","resourceVersion":"5"}}}` + "\n"}, `broken frame: type "WHAT"`},
		"410":                   {[]any{failure(410, "Expired", "too old")}, "410 Expired"},
		"504":                   {[]any{failure(504, "Timeout", "Too large resource version")}, "504 Timeout"},
		"500":                   {[]any{failure(500, "InternalError", "no progress notify")}, "500 InternalError"},
		"no version":            {[]any{`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","namespace":"default"}}}` + "\n"}, "no resource version"},
		"no version at its end": {[]any{strings.Replace(frame("END @5"), `"5"`, `"0"`, 1)}, "no resource version"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				s := onStream(func() *reply {
					if n++; n == 1 {
						return streams(append([]any{"ADDED a@4"}, c.ends...)...)
					}
					return streams("ADDED a@4", "END @6", hour)
				}, func() *reply { return page("5", "", "a@4", "b@5") })
				events := watch.Events(t.Context(), s.pods(t), watch.Options{Backoff: exact})
				expect(t, events, "ADDED a")
				ev := <-events
				if ev.Type == watch.Error { // the ERROR event itself
					ev = <-events
				}
				if e := attempt(t, ev); e.Delay != time.Second || !strings.Contains(e.Error(), c.want) {
					t.Errorf("got %s, want %q", line(ev), c.want)
				}
				expect(t, events, "ADDED b", "SYNCED")
				if got := verbsOf(s); !strings.HasPrefix(got, "stream list") {
					t.Errorf("it asked for %s", got)
				}
			})
		})
	}
}

// A refusal of the request itself says nothing about streams: the next attempt asks for one again.
func TestRefusedStream(t *testing.T) {
	for _, code := range []int{401, 403, 404, 429, 500, 503} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				s := onStream(func() *reply {
					if n++; n == 1 {
						return refuse(code, "", "no")
					}
					return streams("ADDED a@4", "END @5", hour)
				}, nil)
				events := watch.Events(t.Context(), s.pods(t), watch.Options{Backoff: exact})
				if e := attempt(t, <-events); e.Status.Code != code {
					t.Errorf("got %v", e)
				}
				expect(t, events, "ADDED a", "SYNCED")
				if got := verbsOf(s); got != "stream stream" {
					t.Errorf("it asked for %s", got)
				}
			})
		})
	}
}

// What changes while a list is streamed is told as a change, once. The end of a list that nobody
// asked for is a bookmark like others, and one that is not marked does not end a list.
func TestChangesInsideAStreamedList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := `{"type":"ADDED","object":{"kind":"Service","apiVersion":"v1","metadata":{"name":"s","namespace":"default","resourceVersion":"5"}}}` + "\n"
		s := onStream(func() *reply {
			return streams("ADDED a@4", "ADDED b@5", "ADDED a@4", "BOOKMARK @5", "MODIFIED a@6", "MODIFIED a@5", "DELETED b@7", "DELETED b@7", "DELETED x@7",
				other, "MODIFIED c@7", "ADDED d@8", "END @8", "ADDED d@8", "END @9", "MODIFIED d@10", hour)
		}, nil)
		events := watch.Events(t.Context(), s.pods(t), watch.Options{
			Known: map[rest.Key]watch.Version{{Kind: "Pod", Namespace: "default", Name: "x"}: {UID: "u-x", ResourceVersion: "1"}},
		})
		expect(t, events, "ADDED a", "ADDED b", "MODIFIED a", "DELETED b")
		if ev := <-events; ev.Type != watch.Error || !errors.Is(ev.Err, rest.ErrAnswer) {
			t.Errorf("got %s, want an Error for the service", line(ev))
		}
		expect(t, events, "ADDED c", "ADDED d", "DELETED x inferred", "SYNCED", "MODIFIED d")
		expectQuiet(t, events, time.Minute)
	})
}

// Options mean the same as with pages.
func TestOptionsOfAStreamedList(t *testing.T) {
	bubble(t, fakeapi.Options{Objects: []any{cm("a", "1"), cm("b", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		for name, c := range map[string]struct {
			o     watch.Options
			query string
			want  []string
		}{
			"name":       {watch.Options{Name: "b"}, "fieldSelector=metadata.name%3Db", []string{"ADDED b=1", "SYNCED"}},
			"names":      {watch.Options{Keep: []watch.Filter{watch.Names("b")}}, "", []string{"ADDED b=1", "SYNCED"}},
			"from cache": {watch.Options{ResourceVersion: "0"}, "resourceVersion=0", []string{"ADDED a=1", "ADDED b=1", "SYNCED"}},
			"labels":     {watch.Options{LabelSelector: "x=y"}, "labelSelector=x%3Dy", []string{"SYNCED"}},
			"pages":      {watch.Options{PageSize: 1}, "limit=1", []string{"ADDED a=1", "ADDED b=1", "SYNCED"}},
			"one piece":  {watch.Options{PageSize: -1}, "", []string{"ADDED a=1", "ADDED b=1", "SYNCED"}},
		} {
			s.ResetJournal()
			ctx, cancel := context.WithCancel(t.Context())
			expect(t, watch.Events(ctx, configMaps(s), c.o), c.want...)
			cancel()
			synctest.Wait()
			first := s.Journal()[0]
			if !strings.Contains(first.Query, c.query) || (query(first, "sendInitialEvents") == "true") != (c.o.PageSize == 0) {
				t.Errorf("%s: asked for %s", name, first.Query)
			}
		}
	})
}
