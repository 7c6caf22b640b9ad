package watch_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/watch"
)

// Pages whose objects a filter drops are free while they bring new objects. Those that repeat count
// as requests, so that a list without an end is noticed though nothing of it is sent.
func TestPagesThatFiltersDrop(t *testing.T) {
	const pages = 200
	for name, c := range map[string]struct {
		objects func(n int) []string // of the nth page
		storm   bool
	}{
		"new objects":         {func(n int) []string { return []string{fmt.Sprintf("o%04d@5", n)} }, true},
		"one of them is new":  {func(n int) []string { return []string{"a@5", fmt.Sprintf("o%04d@5", n)} }, true},
		"the same object":     {func(int) []string { return []string{"a@5"} }, false},
		"two in turn":         {func(n int) []string { return []string{fmt.Sprintf("o%d@5", n%2)} }, false},
		"the same, new again": {func(n int) []string { return []string{fmt.Sprintf("a@%d", n+1)} }, false},
		"with one that stays": {func(int) []string { return []string{"a@5", "kept@6"} }, false},
	} {
		for kind, filter := range map[string]watch.Filter{
			"name":          watch.Names("kept"),
			"name and type": watch.Or(watch.Types(watch.Error), watch.Names("kept")),
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := 0
					s := &answers{answer: func(r *http.Request) *reply {
						if r.URL.Query().Get("watch") == "true" || n >= 2*pages {
							return streams(time.Hour)
						}
						n++
						token := fmt.Sprintf("t%d", n)
						if n == pages && c.storm {
							token, n = "", 2*pages
						}
						return page("10", token, c.objects(n-1)...)
					}}
					events := watch.Events(t.Context(), s.pods(t), watch.Options{PageSize: 500, Keep: []watch.Filter{filter}})
					ev := <-events
					if ev.Type == watch.Added && ev.Key.Name == "kept" {
						ev = <-events
					}
					switch {
					case c.storm && ev.Type != watch.Synced:
						t.Fatalf("%s, want SYNCED", line(ev))
					case c.storm:
					case ev.Type != watch.WatchFailed || !errors.Is(ev.Err, watch.ErrPace):
						t.Fatalf("%s, want a failure of the pace", line(ev))
					case len(s.requests()) > 12: // ten, and two of the pages before them were new
						t.Fatalf("%d requests at once, want 12 at most", len(s.requests()))
					}
				})
			})
		}
	}
}
