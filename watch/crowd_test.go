package watch_test

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/watch"
)

// crowd begins n watches at once, reads them for so long, and returns what they asked for.
func crowd(t *testing.T, n int, lasts time.Duration, answer func(r *http.Request) *reply) []asked {
	t.Helper()
	s := &answers{answer: answer}
	synctest.Test(t, func(t *testing.T) {
		pods := s.pods(t)
		var wg sync.WaitGroup
		for range n {
			events := watch.Events(t.Context(), pods, watch.Options{PageSize: 500})
			wg.Go(func() {
				for over := time.After(lasts); ; {
					select {
					case <-events:
					case <-over:
						return
					}
				}
			})
		}
		wg.Wait()
	})
	return s.requests()
}

// span returns how long it took from the first to the last of the requests of a verb after so long.
func span(t *testing.T, all []asked, verb string, n int, after time.Duration) time.Duration {
	t.Helper()
	var at []time.Duration
	for _, a := range all {
		if d := a.at.Sub(all[0].at); a.verb == verb && d > after {
			at = append(at, d)
		}
	}
	if len(at) < n {
		t.Fatalf("%d requests, want %d", len(at), n)
	}
	slices.Sort(at)
	return at[n-1] - at[0]
}

// lasting is a watch that the server ends as it was asked to.
func lasting(r *http.Request) *reply {
	seconds, err := strconv.Atoi(r.URL.Query().Get("timeoutSeconds"))
	if err != nil {
		panic(err)
	}
	return streams(time.Duration(seconds)*time.Second, "")
}

// Watches that begin together drift apart: their cycles end over a tenth of the timeout at least.
func TestWatchesDriftApart(t *testing.T) {
	const n = 500
	all := crowd(t, n, 305*time.Second, func(r *http.Request) *reply {
		if r.URL.Query().Get("watch") == "true" {
			return lasting(r)
		}
		return page("10", "")
	})
	if d := span(t, all, "watch", n, time.Second); d < 30*time.Second || d > 60*time.Second {
		t.Errorf("the second cycles begin within %v, want 30 s to 60 s", d)
	}
}

// When all watches lose their version at the same moment, their lists do not come at the same
// moment.
func TestListsAfterOneExpiryAreSpread(t *testing.T) {
	const n = 500
	all := crowd(t, n, 30*time.Second, func(r *http.Request) *reply {
		if r.URL.Query().Get("watch") == "true" {
			return streams(20*time.Second, failure(http.StatusGone, "Expired", "too old"))
		}
		return page("10", "")
	})
	if d := span(t, all, "list", n, time.Second); d < time.Second/2 || d > time.Second {
		t.Errorf("the lists came within %v, want half a second to a second", d)
	}
}

// A thousand watches of a server that dies and returns list no more often than versions have
// expired.
func TestAServerThatReturnsIsNotListed(t *testing.T) {
	const n, expire = 1000, 70
	var begin time.Time
	expired := 0
	all := crowd(t, n, 3*time.Minute, func(r *http.Request) *reply {
		if begin.IsZero() {
			begin = time.Now()
		}
		up := time.Since(begin)
		switch watches := r.URL.Query().Get("watch") == "true"; {
		case up > 20*time.Second && up < time.Minute:
			return &reply{pieces: []any{errReset}} // it is not there
		case watches && up < time.Minute:
			return streams(20*time.Second-up, errReset) // it dies
		case watches && expired < expire:
			expired++
			return refuse(http.StatusGone, "Expired", "too old")
		case watches:
			return lasting(r)
		}
		return page("10", "")
	})
	lists := 0
	for _, a := range all {
		if a.verb == "list" && a.at.Sub(all[0].at) > 20*time.Second {
			lists++
		}
	}
	if lists != expire {
		t.Errorf("%d lists after the server was back, want %d, as many as versions expired", lists, expire)
	}
}
