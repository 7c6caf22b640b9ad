package trial

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// reader applies the events of one watch, and checks their order as it does.
type reader struct {
	name    string
	options watch.Options
	wants   func(*rest.Object) bool // which objects the watch covers; nil: all
	pause   time.Duration           // after each event

	mu       sync.Mutex
	holds    map[life]string
	told     map[string]bool // the versions that came, in the stream or in a list
	gaps     [][2]int        // between these versions a list took the place of events
	last     int             // the version of the newest event
	listing  bool            // a relist has begun to tell the difference
	failures int
	away     int // failures since the watch was last back
	faults   []string
}

// life is one object of a name: the next one of that name has another UID.
type life struct {
	rest.Key

	UID string
}

func (r *reader) read(ctx context.Context, maps rest.Resource[rest.Object]) {
	r.mu.Lock()
	r.holds, r.told = map[life]string{}, map[string]bool{}
	r.mu.Unlock()
	for ev := range watch.Events(ctx, maps, r.options) {
		r.apply(ev)
		if r.pause > 0 {
			select {
			case <-time.After(r.pause):
			case <-ctx.Done():
			}
		}
	}
}

func (r *reader) apply(ev watch.Event[rest.Object]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := life{ev.Key, ev.UID}
	held, holds := r.holds[key]
	version, _ := strconv.Atoi(ev.ResourceVersion)
	fault := func(why string) {
		r.faults = append(r.faults, fmt.Sprintf("%s %s at %s: %s (held: %q)", ev.Type, ev.Key, ev.ResourceVersion, why, held))
	}
	switch ev.Type {
	case watch.Added, watch.Modified:
		if why := r.contradicts(&ev, held, holds); why != "" {
			fault(why)
		}
		r.told[ev.ResourceVersion] = true
		r.holds[key] = ev.ResourceVersion
	case watch.Deleted:
		if !holds {
			fault("it is not held")
		}
		delete(r.holds, key)
	case watch.Synced:
		r.gaps = append(r.gaps, [2]int{r.last, version})
		r.listing = false
	case watch.WatchFailed:
		r.failures++
		r.away++
		return
	case watch.Recovered:
		if ev.Recovery.Attempts != r.away {
			fault(fmt.Sprintf("%d attempts failed", r.away))
		}
		r.away = 0
		return
	default:
		fault("unexpected")
	}
	if ev.Listed {
		r.listing = true
	} else {
		r.last = max(r.last, version)
	}
}

// contradicts says why an object cannot be Added or Modified now; "" if it can. A replay may bring
// what is held already.
func (r *reader) contradicts(ev *watch.Event[rest.Object], held string, holds bool) string {
	switch again := ev.Replayed && holds; {
	case again && ev.ResourceVersion == held:
		return ""
	case older(ev.ResourceVersion, held):
		return "it is not newer"
	case !again && holds != (ev.Type == watch.Modified):
		return "it contradicts what is held"
	case r.told[ev.ResourceVersion]:
		return "it came before"
	}
	return ""
}

func older(a, b string) bool {
	x, _ := strconv.Atoi(a)
	y, _ := strconv.Atoi(b)
	return x <= y
}

// check checks that every version that the writer made was reported, except those that a list
// replaced.
func (r *reader) check(t *testing.T, written map[string]rest.Object) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.faults {
		t.Errorf("%s: %s", r.name, f)
	}
	if r.listing { // the last difference was read, but not the event that ends it
		r.gaps = append(r.gaps, [2]int{r.last, math.MaxInt})
	}
	seen := 0
	for version, o := range written {
		if r.wants != nil && !r.wants(&o) {
			continue
		}
		if r.told[version] {
			seen++
		} else if v, _ := strconv.Atoi(version); !r.inGap(v) {
			t.Errorf("%s: version %s of %s was lost", r.name, version, o.Name())
		}
	}
	t.Logf("%s: %d of %d versions, %d lists, %d failures", r.name, seen, len(written), len(r.gaps), r.failures)
}

func (r *reader) inGap(v int) bool {
	for _, g := range r.gaps {
		if g[0] < v && v <= g[1] {
			return true
		}
	}
	return false
}
