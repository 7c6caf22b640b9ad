package watch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// secret is an object of another type than the ConfigMaps.
type secret struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
}

// replica is what a reader holds of a group whose members come and go.
type replica struct {
	mu      sync.Mutex
	held    map[string]map[string]string // the versions by source and name
	removed map[string]bool
	ended   map[string]bool
	problem string
}

// apply reads one event if one is ready. No source is marked as removed while it does so.
func (r *replica) apply(events <-chan watch.Event[any]) (read bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case ev := <-events:
		switch {
		case ev.Type == watch.AllSynced:
		case r.removed[ev.Source] || r.ended[ev.Source]:
			r.problem = fmt.Sprintf("%s, after its end", ev)
		case ev.Type == watch.Added || ev.Type == watch.Modified:
			if r.held[ev.Source] == nil {
				r.held[ev.Source] = map[string]string{}
			}
			r.held[ev.Source][ev.Key.Name] = versionOf(*ev.Object)
		case ev.Type == watch.Deleted:
			delete(r.held[ev.Source], ev.Key.Name)
		case ev.Type == watch.Ended:
			r.ended[ev.Source] = true
		}
		return true
	default:
		return false
	}
}

func versionOf(object any) string {
	switch o := object.(type) {
	case *rest.Object:
		return o.ResourceVersion()
	case *secret:
		return o.Metadata.ResourceVersion
	}
	return fmt.Sprintf("of %T", object)
}

// Members of two types and two clusters are added and removed by several goroutines while objects
// change and requests fail: what the reader holds in the end equals the servers, and no event comes
// of a source that was removed.
func TestGroupOfChangingMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		servers := []*fakeapi.Server{fakeapi.New(t, fakeapi.Options{Seed: 1}), fakeapi.New(t, fakeapi.Options{Seed: 2})}
		for i, s := range servers {
			s.Inject(fakeapi.Chaos(uint64(i), fakeapi.ChaosOptions{Refuse: 0.1, Cut: 0.2, End: 0.5, Expire: 0.2, WatchFor: 2 * time.Second}).On("*", "*"))
		}
		ctx, cancel := context.WithCancel(t.Context())
		group := watch.NewGroup[any](ctx)
		r := &replica{held: map[string]map[string]string{}, removed: map[string]bool{}, ended: map[string]bool{}}
		live := sync.Map{} // the kind and the server by source
		var work sync.WaitGroup
		for worker := range 4 {
			work.Go(func() { churn(group, servers, worker, r, &live) })
		}
		work.Go(func() { changeBoth(t, servers) })
		finished := make(chan struct{})
		go func() {
			work.Wait()
			time.Sleep(5 * time.Minute) // the watches catch up
			close(finished)
		}()
		read := 0
		for open := true; open; {
			if r.apply(group.Events()) {
				read++
				continue
			}
			select {
			case <-finished:
				open = false
			case <-time.After(10 * time.Millisecond):
			}
		}
		if r.problem != "" {
			t.Error(r.problem)
		}
		compared := r.compare(t, &live, servers)
		if read < 500 || compared < 4 || len(r.removed) < 20 || len(r.ended) == 0 {
			t.Errorf("%d events, %d members compared, %d removed, %d ended: too few", read, compared, len(r.removed), len(r.ended))
		}
		cancel()
		for range group.Events() {
		}
	})
}

// compare compares what the reader holds of each member that lives with its server.
func (r *replica) compare(t *testing.T, live *sync.Map, servers []*fakeapi.Server) (compared int) {
	t.Helper()
	live.Range(func(source, of any) bool {
		if r.ended[source.(string)] {
			return true
		}
		compared++
		m := of.(memberOf)
		objects, err := servers[m.server].List(m.kind, "default")
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, o := range objects {
			want[o.Name()] = o.ResourceVersion()
		}
		if d := cmp.Diff(want, r.held[source.(string)], cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-want +got)\n%s", source, d)
		}
		return true
	})
	return compared
}

// memberOf says what a member watches.
type memberOf struct {
	kind   string
	server int
}

// churn adds and removes members, some of which cannot begin or give up, and leaves a few.
func churn(group *watch.Group[any], servers []*fakeapi.Server, worker int, r *replica, live *sync.Map) {
	random := rand.New(rand.NewPCG(1, uint64(worker)))
	var mine []string
	for n := range 40 {
		if len(mine) > 3 || len(mine) > 0 && random.IntN(2) == 0 {
			i := random.IntN(len(mine))
			source := mine[i]
			mine = append(mine[:i], mine[i+1:]...)
			group.Remove(source)
			live.Delete(source)
			r.mu.Lock()
			r.removed[source] = true
			r.mu.Unlock()
		}
		m := memberOf{[]string{"ConfigMap", "Secret"}[random.IntN(2)], random.IntN(len(servers))}
		source := fmt.Sprintf("%d/%d", worker, n)
		o := watch.Options{Backoff: stream.Backoff{MaxRetries: random.IntN(2)}, PageSize: random.IntN(4) - 2}
		client := servers[m.server].Client()
		group.Add(source, func(ctx context.Context) <-chan watch.Event[any] {
			if m.kind == "Secret" {
				return watch.Erase(ctx, watch.Events(ctx, rest.For[secret](client, m.kind).In("default"), o))
			}
			return watch.Erase(ctx, watch.Events(ctx, rest.For[rest.Object](client, m.kind).In("default"), o))
		})
		live.Store(source, m)
		mine = append(mine, source)
		time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
	}
}

// changeBoth creates, changes and removes objects.
func changeBoth(t *testing.T, servers []*fakeapi.Server) {
	random := rand.New(rand.NewPCG(2, 2))
	for n := range 300 {
		s, kind, name := servers[random.IntN(2)], []string{"ConfigMap", "Secret"}[random.IntN(2)], fmt.Sprint("n", random.IntN(6))
		_, err := s.Get(kind, "default", name)
		switch {
		case err != nil:
			_, err = s.Create(rest.Object{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": "default"}})
		case random.IntN(3) == 0:
			_, err = s.Remove(kind, "default", name)
		default:
			_, err = s.Merge(kind, "default", name, fmt.Sprintf(`{"metadata":{"labels":{"n":"%d"}}}`, n))
		}
		if err != nil {
			t.Error(err)
			return
		}
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
	}
}
