package watch_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// All sorts of things go wrong in a cluster for an hour. A reader that applies the events still
// holds what the cluster holds, and no event comes twice or out of order.
func TestChaos(t *testing.T) {
	t.Parallel()
	failures, relists := 0, 0
	for seed := range uint64(10) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			overBoth(t, fakeapi.Options{Seed: seed + 1, Queue: 5, History: 50}, func(t *testing.T, s *fakeapi.Server) {
				s.Inject(fakeapi.Chaos(seed, fakeapi.ChaosOptions{}).On("*", "configmaps"))
				random := rand.New(rand.NewPCG(seed, 7))
				done := make(chan struct{})
				go func() {
					defer close(done)
					for i := range 2000 {
						change(t, s, random, i)
						time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
					}
					s.ClearFaults()
				}()
				var f fold
				moods := rand.New(rand.NewPCG(seed, 8))                                                                              // the reader's
				events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: int(seed%2) * 500, Timeout: time.Minute}) // streamed, and in pages
				quiet := time.NewTimer(time.Hour)
				for running := true; running; {
					select {
					case ev := <-events:
						f.apply(t, ev)
						quiet.Reset(10 * time.Minute)
						if moods.IntN(20) == 0 {
							time.Sleep(time.Duration(moods.IntN(5000)) * time.Millisecond)
						}
					case <-quiet.C:
						running = false
					}
				}
				<-done
				want := map[life]string{}
				objects, err := s.List("ConfigMap", "default")
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range objects {
					want[life{rest.Key{Kind: "ConfigMap", Namespace: "default", Name: o.Name()}, o.UID()}] = o.ResourceVersion()
				}
				if d := cmp.Diff(want, f.holds); d != "" {
					t.Errorf("the events do not add up to the cluster (-cluster +events)\n%s", d)
				}
				failures, relists = failures+f.failures, relists+f.synced-1
			})
		})
	}
	if failures < 100 || relists < 20 {
		t.Errorf("%d failures and %d relists in all: too little went wrong", failures, relists)
	}
}

// change creates, updates or deletes one of ten objects.
func change(t *testing.T, s *fakeapi.Server, random *rand.Rand, i int) {
	t.Helper()
	name := fmt.Sprintf("cm-%d", random.IntN(10))
	if random.IntN(4) == 0 {
		if _, err := s.Get("ConfigMap", "default", name); err == nil {
			must(t)(s.Delete("ConfigMap", "default", name))
			return
		}
	}
	must(t)(s.Apply(cm(name, strconv.Itoa(i))))
}

// life identifies one object of a name: the next object with that name has another UID.
type life struct {
	rest.Key

	UID string
}

// fold holds what a reader of the events knows.
type fold struct {
	holds            map[life]string
	synced, failures int
	recovered        int
}

func (f *fold) apply(t *testing.T, ev watch.Event[rest.Object]) {
	t.Helper()
	if f.holds == nil {
		f.holds = map[life]string{}
	}
	key := life{ev.Key, ev.UID}
	held, holds := f.holds[key]
	switch ev.Type {
	case watch.Added:
		if holds {
			t.Errorf("%s: it is held already", line(ev))
		}
		f.holds[key] = ev.ResourceVersion
	case watch.Modified:
		if !holds || !older(held, ev.ResourceVersion) {
			t.Errorf("%s at %s: %s is held", line(ev), ev.ResourceVersion, held)
		}
		f.holds[key] = ev.ResourceVersion
	case watch.Deleted:
		if !holds {
			t.Errorf("%s: it is not held", line(ev))
		}
		delete(f.holds, key)
	case watch.Synced:
		f.synced++
	case watch.WatchFailed:
		f.failures++
	case watch.Recovered:
		f.recovered++
	default:
		t.Errorf("got %s", line(ev))
	}
}
