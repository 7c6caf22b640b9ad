package watch_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

var (
	sequences = flag.Int("sequences", 1000, "how many random sequences of answers TestAnyAnswers tries")
	seed      = flag.Uint64("seed", 1, "the first seed of TestAnyAnswers")
)

// Whatever a server answers, a watch does not ask in a hot loop, says when it waits, does not go
// back, and repeats nothing. The answers are random: lists, pages, events that are new, old or
// repeated, bookmarks, ends, refusals and 410 in all forms, each of which may come forever. What
// must hold is in search_rules_test.go.
//
// The long run is: go test ./watch -run TestAnyAnswers -sequences 1000000 -timeout 0.
func TestAnyAnswers(t *testing.T) {
	const shards = 4
	var wg sync.WaitGroup
	for shard := range shards {
		wg.Go(func() {
			for i := shard; i < *sequences && !t.Failed(); i += shards {
				synctest.Test(t, func(t *testing.T) { try(t, *seed+uint64(i)) })
			}
		})
	}
	wg.Wait()
}

// try runs one sequence.
func try(t *testing.T, seed uint64) {
	g := &generator{random: rand.New(rand.NewPCG(seed, 1)), version: 100}
	g.pick()
	o := watch.Options{Bookmarks: g.chance(2)}
	if g.chance(4) {
		o.MinDuration = -1
	}
	if g.chance(4) {
		o.Backoff.Initial, o.Backoff.Max = 1, 1 // as good as no delay, but events come before the next request
	}
	if g.chance(8) {
		o.ResourceVersion = "100"
	}
	if g.chance(8) {
		o.Timeout = 20 * time.Second
	}
	if g.chance(2) {
		o.PageSize = 500 // no streams
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(70+g.random.IntN(60))*time.Second)
	defer cancel()
	s := &answers{answer: func(r *http.Request) *reply {
		if g.n > 2000 {
			cancel() // a hot loop, in which no time passes
		}
		return g.answer(r)
	}}
	v := &verdict{server: s, options: o, stop: cancel}
	for ev := range watch.Events(ctx, s.pods(t), o) {
		v.event(ev)
	}
	v.end()
	if v.fault != "" {
		t.Errorf("seed %d, MinDuration %v, Initial %v, from %q: %s\n%s", seed, o.MinDuration, o.Backoff.Initial, o.ResourceVersion, v.fault, v.log())
	}
}

// generator makes answers up. It has a few of them for each sequence, so that they repeat.
type generator struct {
	random  *rand.Rand
	version int // the newest that the server has given
	lists   []func(r *http.Request) *reply
	watches []func() *reply
	streams []func() *reply
	turn    bool // answers come in turn, not at random
	n       int
	tokens  int
	listed  map[string]bool // what the current list has brought
	last    string          // the last event
}

func (g *generator) chance(n int) bool { return g.random.IntN(n) == 0 }

// pick chooses the answers of the sequence.
func (g *generator) pick() {
	g.turn = g.chance(2)
	for range 1 + g.random.IntN(3) {
		g.lists = append(g.lists, g.list())
	}
	for range 1 + g.random.IntN(4) {
		g.watches = append(g.watches, g.watch())
	}
	for range 1 + g.random.IntN(2) {
		g.streams = append(g.streams, g.stream())
	}
}

func (g *generator) answer(r *http.Request) *reply {
	q := r.URL.Query()
	g.n++
	pick := func(n int) int {
		if g.turn {
			return g.n % n
		}
		return g.random.IntN(n)
	}
	if q.Has("sendInitialEvents") {
		return g.streams[pick(len(g.streams))]()
	}
	if q.Get("watch") == "true" {
		return g.watches[pick(len(g.watches))]()
	}
	if !q.Has("continue") {
		g.listed = map[string]bool{}
	}
	return g.lists[pick(len(g.lists))](r)
}

// some returns one of the functions.
func some[F any](g *generator, of ...F) F { return of[g.random.IntN(len(of))] }

// fresh, same, older and odd return versions.
func (g *generator) fresh() string { g.version++; return strconv.Itoa(g.version) }
func (g *generator) same() string  { return strconv.Itoa(g.version) }
func (g *generator) older() string { return strconv.Itoa(g.version - 1 - g.random.IntN(5)) }

// list returns a way to answer a list.
func (g *generator) list() func(r *http.Request) *reply {
	if g.chance(4) {
		return g.refusal(true)
	}
	version := some(g, g.fresh, g.fresh, g.fresh, g.same, g.same, g.older, func() string { return some(g, "0", "") })
	size, pages := g.random.IntN(4), g.random.IntN(4)
	token := some(g,
		func(int) string { return "" },
		func(n int) string { // an end after some pages
			if n > pages {
				return ""
			}
			g.tokens++
			return fmt.Sprint("t", g.tokens)
		},
		func(n int) string { return string(rune('a' + n%2)) },
		func(int) string { g.tokens++; return fmt.Sprint("t", g.tokens) },
	)
	slow := some(g, 0, 0, time.Second/2, 2*time.Second)
	known := g.chance(2) // objects that are there already, or new ones
	return func(r *http.Request) *reply {
		n := len(g.listed)
		if r.URL.Query().Has("continue") {
			n++
		}
		v := version()
		objects := make([]string, 0, size)
		brings := false
		for range size {
			name := fmt.Sprint("o", g.random.IntN(4))
			if !known {
				name = fmt.Sprint("n", g.random.IntN(1000))
			}
			brings = brings || !g.listed[name]
			g.listed[name] = true
			objects = append(objects, name+"@"+strconv.Itoa(g.version-g.random.IntN(3)))
		}
		re := page(v, token(n), objects...)
		re.before, re.fresh = slow, brings
		return re
	}
}

// refusal returns a way to refuse a request.
func (g *generator) refusal(list bool) func(r *http.Request) *reply {
	make := some(g,
		func() *reply { return refuse(http.StatusGone, "Expired", "too old resource version") },
		func() *reply { return &reply{code: http.StatusGone, pieces: []any{"<html>gone</html>"}} },
		func() *reply { return refuse(http.StatusInternalServerError, "Expired", "too old") },
		func() *reply { return refuse(http.StatusNotFound, "NotFound", "no") },
		func() *reply { return refuse(http.StatusForbidden, "Forbidden", "no") },
		func() *reply { return refuse(http.StatusInternalServerError, "InternalError", "no") },
		func() *reply { return refuse(http.StatusInternalServerError, rest.ReasonStorageReadError, "no") },
		func() *reply {
			return refuse(http.StatusGatewayTimeout, "Timeout", "Timeout: Too large resource version: 5, current: 3")
		},
		func() *reply {
			re := refuse(http.StatusTooManyRequests, "TooManyRequests", "busy")
			re.header = http.Header{"Retry-After": {"2"}, "Content-Type": {"application/json"}}
			return re
		},
		func() *reply { return &reply{pieces: []any{errReset}} },
		func() *reply { return &reply{before: 2 * time.Second, pieces: []any{errReset}} },
	)
	if list && g.chance(4) {
		make = func() *reply { return &reply{pieces: []any{"<html>"}} }
	}
	return func(*http.Request) *reply { return make() }
}

// watch returns a way to answer a watch.
func (g *generator) watch() func() *reply {
	if g.chance(4) {
		refusal := g.refusal(false)
		return func() *reply { return refusal(nil) }
	}
	pieces := make([]func() any, 0, 8)
	for range g.random.IntN(4) {
		pieces = append(pieces, g.piece())
	}
	pieces = append(pieces, some(g,
		func() any { return "" }, func() any { return "" }, func() any { return "" }, // the end of the body
		func() any { return failure(http.StatusGone, "Expired", "too old resource version") },
		func() any { return failure(http.StatusGone, "", "gone") },
		func() any { return failure(http.StatusInternalServerError, "InternalError", "no") },
		func() any { return failure(http.StatusInternalServerError, rest.ReasonStorageReadError, "no") },
		func() any { return errReset },
		func() any { return time.Hour },
		func() any { return "{}" },
		func() any { return status(http.StatusGone, "Gone", "gone") },
	))
	slow := some(g, 0, 0, 0, time.Second/2, 1200*time.Millisecond)
	return func() *reply {
		re := &reply{before: slow}
		for _, p := range pieces {
			re.pieces = append(re.pieces, p())
		}
		return re
	}
}

// stream returns a way to answer a watch that begins with a list.
func (g *generator) stream() func() *reply {
	if g.chance(6) {
		return func() *reply {
			return refuse(http.StatusUnprocessableEntity, "Invalid", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
		}
	}
	after := g.watch()
	if g.chance(6) {
		return after // no list before it, and no end
	}
	size, known := g.random.IntN(4), g.chance(2)
	odd := some(g, nil, nil, g.piece())
	version := some(g, g.fresh, g.fresh, g.fresh, g.same, g.same, g.older, func() string { return some(g, "0", "") })
	return func() *reply {
		re := after()
		if re.code != 0 {
			return re
		}
		var pieces []any
		for range size {
			name := fmt.Sprint("o", g.random.IntN(4))
			if !known {
				name = fmt.Sprint("n", g.random.IntN(1000))
			}
			pieces = append(pieces, frame("ADDED "+name+"@"+strconv.Itoa(g.version-g.random.IntN(3))))
		}
		if odd != nil {
			pieces = append(pieces, odd())
		}
		re.pieces = append(append(pieces, frame("END @"+version())), re.pieces...)
		return re
	}
}

// piece returns a way to make a piece of a watch.
func (g *generator) piece() func() any {
	name := fmt.Sprint("o", g.random.IntN(4))
	typ := some(g, "ADDED", "MODIFIED", "MODIFIED", "DELETED")
	event := func(version func() string) func() any {
		return func() any {
			g.last = typ + " " + name + "@" + version()
			return frame(g.last)
		}
	}
	return some(g,
		event(g.fresh), event(g.fresh), event(g.same), event(g.older),
		func() any { // the last event once more
			if g.last == "" {
				g.last = "ADDED o1@" + g.same()
			}
			return frame(g.last)
		},
		func() any { return frame("BOOKMARK @" + g.fresh()) },
		func() any { return frame("BOOKMARK @" + g.same()) },
		func() any { return frame("BOOKMARK @" + g.older()) },
		func() any { return failure(http.StatusInternalServerError, "InternalError", "no") },
		func() any { return time.Second / 2 },
		func() any { return 2 * time.Second },
		func() any { return 11 * time.Second },
		func() any { return 40 * time.Second },
	)
}
