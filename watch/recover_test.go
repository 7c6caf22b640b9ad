package watch_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

const hour = time.Hour

// After failures the first sign of life is reported, once, before anything else.
func TestRecovered(t *testing.T) {
	list := func() *reply { return page("5", "", "a@5") }
	const lost = "WATCHFAILED watch Pod failed, retrying in 1s: connection reset by peer"
	reset := func() *reply { return &reply{pieces: []any{errReset}} }
	for name, tt := range map[string]struct {
		lists   func() *reply
		watches []func() *reply
		o       watch.Options
		want    []string
	}{
		"an event": {
			list,
			[]func() *reply{reset, func() *reply { return streams(time.Second/2, "MODIFIED a@6", hour) }},
			watch.Options{PageSize: 500},
			[]string{"ADDED a", "SYNCED", lost, "RECOVERED after 1.5s and 1", "MODIFIED a"},
		},
		"a bookmark that is not sent": {
			list,
			[]func() *reply{reset, func() *reply { return streams(time.Second/2, "BOOKMARK @6", hour, "MODIFIED a@7") }},
			watch.Options{PageSize: 500},
			[]string{"ADDED a", "SYNCED", lost, "RECOVERED after 1.5s and 1"},
		},
		"an event that is known": {
			list,
			[]func() *reply{reset, func() *reply { return streams(time.Second/2, "MODIFIED a@5", hour) }},
			watch.Options{PageSize: 500},
			[]string{"ADDED a", "SYNCED", lost, "RECOVERED after 1.5s and 1"},
		},
		"an event that a filter drops": {
			list,
			[]func() *reply{reset, func() *reply { return streams("MODIFIED b@6", hour) }},
			watch.Options{PageSize: 500, Keep: []watch.Filter{watch.Names("a"), watch.Types(watch.Added)}},
			[]string{"ADDED a", "SYNCED", lost, "RECOVERED after 1s and 1"},
		},
		"an open watch": {
			list,
			[]func() *reply{reset, func() *reply { return streams(hour) }},
			watch.Options{PageSize: 500},
			[]string{"ADDED a", "SYNCED", lost, "RECOVERED after 2s and 1"},
		},
		"an open watch, at once": {
			list,
			[]func() *reply{reset, func() *reply { return streams(hour) }},
			watch.Options{PageSize: 500, MinDuration: -1},
			[]string{"ADDED a", "SYNCED", lost, "RECOVERED after 1s and 1"},
		},
		"an open watch, after a long wait for the headers": {
			list,
			[]func() *reply{reset, func() *reply { return &reply{before: 10 * time.Second, pieces: []any{hour}} }},
			watch.Options{PageSize: 500},
			[]string{"ADDED a", "SYNCED", lost, "RECOVERED after 12s and 1"},
		},
		"not an ERROR": {
			list,
			[]func() *reply{reset, func() *reply { return streams(failure(500, "InternalError", "x")) }, func() *reply { return streams(hour) }},
			watch.Options{PageSize: 500, Keep: []watch.Filter{watch.Types(watch.Added)}},
			[]string{"ADDED a", "SYNCED", lost, "WATCHFAILED watch Pod failed, retrying in 2s: the stream ended on an error: 500 InternalError: x", "RECOVERED after 4s and 2"},
		},
		"not headers alone": {
			list,
			[]func() *reply{reset, func() *reply { return streams(time.Second/2, errReset) }, func() *reply { return streams(hour) }},
			watch.Options{PageSize: 500},
			[]string{"ADDED a", "SYNCED", lost, "WATCHFAILED watch Pod failed, retrying in 2s: connection reset by peer", "RECOVERED after 4.5s and 2"},
		},
		"a list": {
			list,
			[]func() *reply{func() *reply { return refuse(http.StatusNotFound, "NotFound", "x") }, func() *reply { return streams(hour) }},
			watch.Options{PageSize: 500},
			[]string{"ADDED a", "SYNCED", "WATCHFAILED watch Pod failed, retrying in 1s: HTTP 404 NotFound: x", "RECOVERED after 1s and 1", "SYNCED"},
		},
		"each time": {
			list,
			[]func() *reply{reset, func() *reply { return streams(2*time.Second, errReset) }, func() *reply { return streams(hour) }},
			watch.Options{PageSize: 500},
			[]string{"ADDED a", "SYNCED", lost, "RECOVERED after 2s and 1", "WATCHFAILED watch Pod failed, retrying in 2s: connection reset by peer", "RECOVERED after 3s and 1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.o.Backoff = exact
				events := watch.Events(t.Context(), inTurn(tt.lists, tt.watches...).pods(t), tt.o)
				expect(t, events, tt.want...)
				select {
				case ev := <-events:
					t.Errorf("got %s, want no more", line(ev))
				case <-time.After(time.Minute):
				}
			})
		})
	}
}

// Recovered is sent while nobody reads, and the watch ends with its context nevertheless.
func TestRecoveredUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := inTurn(func() *reply { return page("5", "") }, func() *reply { return &reply{pieces: []any{errReset}} }, func() *reply { return streams(hour) })
		events := watch.Events(t.Context(), s.pods(t), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "SYNCED", "WATCHFAILED watch Pod failed, retrying in 1s: connection reset by peer")
		time.Sleep(time.Minute)
	})
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) { // the watch goes on without it
		s.Inject(fakeapi.Refuse(http.StatusInternalServerError).On("watch", "configmaps"))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		next(events)
		if ev := next(events); ev.Type != watch.WatchFailed {
			t.Errorf("got %s", line(ev))
		}
		time.Sleep(time.Minute)
		must(t)(s.Create(cm("a", "1")))
		if ev := <-events; ev.String() != "RECOVERED after 2s and 1 failed attempt" {
			t.Errorf("got %s", ev)
		}
		expect(t, events, "ADDED a=1")
	})
}

// Refusals that may mean that the version is gone are followed by a list, which finds what changed.
func TestListAfterRefusals(t *testing.T) {
	for name, refused := range map[string]*reply{
		"not found":                 refuse(http.StatusNotFound, "NotFound", "x"),
		"a page of a proxy":         {code: http.StatusNotFound, pieces: []any{"404 page not found"}},
		"bad request":               refuse(http.StatusBadRequest, "BadRequest", "invalid resource version"),
		"invalid":                   refuse(http.StatusUnprocessableEntity, "Invalid", "x"),
		"storage error":             refuse(http.StatusInternalServerError, rest.ReasonStorageReadError, "x"),
		"storage error, within":     streams(failure(http.StatusInternalServerError, rest.ReasonStorageReadError, "x")),
		"too large, wrapped":        refuse(http.StatusInternalServerError, "InternalError", "rpc error: Timeout: Too large resource version: 5, current: 3"),
		"too large, 504":            refuse(http.StatusGatewayTimeout, "Timeout", "Timeout: Too large resource version: 5, current: 3"),
		"too large, within":         streams(failure(http.StatusGatewayTimeout, "Timeout", "etcd: too large resource version: 5, current: 3")),
		"too large, plain text":     {code: http.StatusInternalServerError, pieces: []any{"Too large resource version: 5"}},
		"410 without a Status":      {code: http.StatusGone, pieces: []any{"<html>gone</html>"}},
		"Expired with another code": streams(failure(http.StatusInternalServerError, "Expired", "too old")),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := true
				s := inTurn(func() *reply {
					if first {
						first = false
						return page("5", "", "a@5", "b@4")
					}
					return page("3", "", "a@2")
				}, func() *reply { return refused }, func() *reply { return streams(hour) })
				events := watch.Events(t.Context(), s.pods(t), watch.Options{PageSize: 500, Backoff: exact, Keep: []watch.Filter{watch.Types(watch.Added, watch.Modified, watch.Deleted)}})
				expect(t, events, "ADDED a", "ADDED b", "SYNCED")
				if ev := next(events); ev.Type != watch.WatchFailed {
					t.Fatalf("got %s", line(ev))
				}
				expect(t, events, "MODIFIED a", "DELETED b inferred", "RECOVERED after 1s and 1", "SYNCED")
			})
		})
	}
}
