package watch_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

var (
	days     = flag.Int("days", 5, "how many days TestDay tries")
	firstDay = flag.Uint64("day", 1, "the first seed of TestDay")
)

const (
	dayLength  = 24 * time.Hour
	dayChanges = 50_000
	dayObjects = 200
)

// A day in production: 50,000 changes in 24 hours in which all sorts of things go wrong, and in
// which the program is restarted with what it holds. At each Synced, and in the end, the events add
// up to what the cluster held; nothing is repeated, and no object goes back.
//
// The long run is: go test ./watch -run TestDay -v -days 200 -timeout 0.
func TestDay(t *testing.T) {
	for i := range uint64(*days) { //nolint:gosec // a small number
		seed := *firstDay + i
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			bubble(t, fakeapi.Options{Seed: seed, HTTP1: seed%2 == 0}, func(t *testing.T, s *fakeapi.Server) {
				d := &day{t: t, server: s, seed: seed, pageSize: []int{0, 0, 7}[seed%3], happened: map[string]int{}}
				d.live()
				for _, what := range slices.Sorted(maps.Keys(d.happened)) {
					t.Logf("%4d times: %s", d.happened[what], what)
					if d.happened[what] < 20 {
						t.Errorf("%s: only %d times", what, d.happened[what])
					}
				}
				if t.Failed() {
					t.Logf("again: go test ./watch -run TestDay -v -days 1 -day %d", seed)
				}
			})
		})
	}
}

// day is one run.
type day struct {
	t        *testing.T
	server   *fakeapi.Server
	seed     uint64
	pageSize int // of the lists; 0: they are streamed
	happened map[string]int

	mu      sync.Mutex
	history []dayChange // by the writer
	state   map[string]string
	at      int // the part of the history that state has

	f      fold
	newest string // the version that the reader has arrived at
}

// dayChange is one change of the cluster.
type dayChange struct {
	version int
	key     string
	holds   string // the version; "" for a deletion
}

// live runs the writer, the trouble and the reader.
func (d *day) live() {
	ctx, over := context.WithCancel(d.t.Context())
	written, troubled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(written)
		d.write()
	}()
	restart := make(chan struct{})
	go func() {
		defer close(troubled)
		d.trouble(restart, written)
		time.Sleep(time.Hour) // for the last events
		over()
	}()
	d.read(ctx, restart)
	<-troubled
	d.compare("at the end", len(d.history))
}

// write changes the cluster for a day.
func (d *day) write() {
	random := rand.New(rand.NewPCG(d.seed, 1))
	for i := range dayChanges {
		time.Sleep(time.Duration(random.Int64N(int64(2 * dayLength / dayChanges))))
		name := fmt.Sprintf("cm-%03d", random.IntN(dayObjects))
		_, err := d.server.Get("ConfigMap", "default", name)
		var o rest.Object
		c := dayChange{}
		if err == nil && random.IntN(4) == 0 {
			o = must(d.t)(d.server.Delete("ConfigMap", "default", name))
		} else {
			o = must(d.t)(d.server.Apply(cm(name, strconv.Itoa(i))))
			c.holds = o.ResourceVersion()
		}
		c.key = name + " " + o.UID()
		c.version, _ = strconv.Atoi(o.ResourceVersion())
		d.mu.Lock()
		d.history = append(d.history, c)
		d.mu.Unlock()
	}
}

// trouble makes things go wrong until everything is written.
func (d *day) trouble(restart chan<- struct{}, written <-chan struct{}) {
	random := rand.New(rand.NewPCG(d.seed, 2))
	s := d.server
	initial := func(r *http.Request) bool { return r.URL.Query().Has("sendInitialEvents") }
	fault := func(f fakeapi.Fault) func() { return func() { s.Inject(f.On("watch", "configmaps")) } }
	lose := func() { s.Expire() }
	troubles := map[string]func(){
		"a cut":            func() {},
		"a cut in a frame": fault(fakeapi.Cut().AfterBytes(700)),
		"a missing end":    fault(fakeapi.Truncate().After(5 * time.Second)),
		"an early end":     fault(fakeapi.End().After(3 * time.Second)),
		"an end at once":   fault(fakeapi.End()),
		"silence":          fault(fakeapi.Silence().After(time.Second)),
		"a refusal": func() {
			s.Inject(fakeapi.Refuse([]int{403, 429, 500, 503}[random.IntN(4)]).Times(1+random.IntN(4)).On("watch", "configmaps"))
		},
		"404":                   fault(fakeapi.Refuse(http.StatusNotFound)),
		"an ERROR event":        fault(fakeapi.ErrorEvent(rest.Status{Kind: "Status", Status: "Failure", Code: 500, Reason: "InternalError"}).After(time.Second)),
		"an expired version":    fault(fakeapi.Expired()),
		"history that is lost":  lose,
		"a restart":             func() { restart <- struct{}{} },
		"a restart, much later": func() { lose(); restart <- struct{}{} },
		"a list that is cut": func() {
			lose()
			s.Inject(fakeapi.Cut().AfterBytes(3000).When(func(r *http.Request) bool { return initial(r) || !r.URL.Query().Has("watch") }))
		},
	}
	if d.pageSize == 0 {
		troubles["a lost marker"] = func() { // the client remembers it, so a new one meets it
			lose()
			s.Inject(fakeapi.NoMarker().When(initial))
			restart <- struct{}{}
		}
	}
	if d.seed%2 == 1 {
		troubles["GOAWAY"] = fault(fakeapi.GoAway())
	}
	names := slices.Sorted(maps.Keys(troubles))
	for n := 0; ; n++ {
		select {
		case <-written:
			s.ClearFaults()
			return
		case <-time.After(time.Duration(random.IntN(int(5 * time.Minute)))):
		}
		if n %= len(names); n == 0 {
			random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		}
		name := names[n]
		troubles[name]()
		s.Disconnect()
		for range 200 {
			if s.PendingFaults() == 0 {
				d.count(name)
				break
			}
			time.Sleep(time.Second)
		}
		s.ClearFaults()
	}
}

// read watches, and begins anew with what it holds when it is told to.
func (d *day) read(ctx context.Context, restart <-chan struct{}) {
	moods := rand.New(rand.NewPCG(d.seed, 3))
	for ctx.Err() == nil {
		life, end := context.WithCancel(ctx)
		events := d.begin(life)
		for running := true; running; {
			select {
			case ev := <-events:
				d.event(ev)
				if moods.IntN(500) == 0 {
					time.Sleep(time.Duration(moods.IntN(int(2 * time.Minute))))
				}
			case <-restart:
				running = false
			case <-ctx.Done():
				running = false
			}
		}
		end()
		for range events { // what was on its way is not held
		}
	}
}

// begin starts a watch, from what is held, as a new program does.
func (d *day) begin(ctx context.Context) <-chan watch.Event[rest.Object] {
	client, err := rest.New(d.server.Config(), rest.Options{Dial: d.server.Dial, UnencryptedHTTP2: d.seed%2 == 1})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(client.CloseIdle)
	o := watch.Options{PageSize: d.pageSize, Timeout: 2 * time.Minute, Bookmarks: true, ResourceVersion: d.newest, Known: map[rest.Key]watch.Version{}}
	for key, version := range d.f.holds {
		o.Known[key.Key] = watch.Version{UID: key.UID, ResourceVersion: version}
	}
	return watch.Events(ctx, rest.For[rest.Object](client, "ConfigMap").In("default"), o)
}

// event applies an event. A list is compared with what the cluster held at its version.
func (d *day) event(ev watch.Event[rest.Object]) {
	switch ev.Type { //nolint:exhaustive // the others are the reader's
	case watch.Error:
		return // counted as what led to it
	case watch.Bookmark:
		d.newest = ev.ResourceVersion
		return
	}
	d.f.apply(d.t, ev)
	if ev.Type == watch.Synced || ev.Object != nil && !ev.Listed {
		d.newest = ev.ResourceVersion
	}
	if ev.Type != watch.Synced {
		return
	}
	version, _ := strconv.Atoi(ev.ResourceVersion)
	d.mu.Lock()
	n, _ := slices.BinarySearchFunc(d.history, version+1, func(c dayChange, v int) int { return c.version - v })
	d.mu.Unlock()
	d.compare("at version "+ev.ResourceVersion, n)
	d.count("a list")
}

func (d *day) count(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.happened[what]++
}

// compare compares what the reader holds with the first n changes.
func (d *day) compare(when string, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state == nil || n < d.at {
		d.state, d.at = map[string]string{}, 0
	}
	for ; d.at < n; d.at++ {
		if c := d.history[d.at]; c.holds != "" {
			d.state[c.key] = c.holds
		} else {
			delete(d.state, c.key)
		}
	}
	held := make(map[string]string, len(d.f.holds))
	for key, version := range d.f.holds {
		held[key.Name+" "+key.UID] = version
	}
	if diff := cmp.Diff(d.state, held); diff != "" {
		d.t.Fatalf("seed %d, %s: the events do not add up to the cluster (-cluster +events)\n%s", d.seed, when, diff)
	}
}
