// Package trial lets a writer change objects at random while the server is restarted and its
// history compacted. It checks that applying the events of a watch gives the state of the server.
package trial

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }

const namespace = "trial"

// lengths are how long the writer writes. The real server needs more time, because its restarts
// take some of it.
var lengths = map[string]time.Duration{conformance.FakeName: 10 * time.Second, conformance.RealName: time.Minute}

func TestTrial(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		client := s.Client(t)
		spaces := rest.For[rest.Object](client, "Namespace")
		if _, err := stream.Await(spaces.Create(t.Context(), &rest.Object{"metadata": map[string]any{"name": namespace}})); err != nil {
			t.Fatal(err)
		}
		maps := rest.For[rest.Object](client, "ConfigMap").In(namespace)
		length := lengths[s.Name()]
		reading, stop := context.WithCancel(t.Context())
		defer stop()
		readers := []*reader{
			{name: "all", options: watch.Options{Timeout: 5 * time.Second}},
			{name: "pages", options: watch.Options{Timeout: 5 * time.Second, PageSize: 7}},
			{name: "replay", options: watch.Options{Replay: true}},
			{name: "replay of pages", options: watch.Options{Replay: true, PageSize: 7}},
			{name: "selected", options: watch.Options{LabelSelector: "odd=true"}, wants: func(o *rest.Object) bool { return o.Labels()["odd"] == "true" }},
			{name: "named", options: watch.Options{Keep: []watch.Filter{watch.Names("cm-1", "cm-?5")}}, wants: func(o *rest.Object) bool {
				n := o.Name()
				return n == "cm-1" || len(n) == 5 && n[4] == '5'
			}},
			{name: "slow", pause: 50 * time.Millisecond},
		}
		var watching sync.WaitGroup
		for _, r := range readers {
			watching.Go(func() { r.read(reading, maps) })
		}
		var disturbing sync.WaitGroup
		disturbing.Go(func() { disturb(t, s, length) })
		written := write(t, maps, length)
		disturbing.Wait()

		list := final(t, maps)
		for _, r := range readers {
			r.settle(t, list)
		}
		stop()
		watching.Wait()
		relists, failures := 0, 0
		for _, r := range readers {
			r.check(t, written)
			relists, failures = relists+len(r.gaps)-1, failures+r.failures
		}
		if relists == 0 || failures == 0 {
			t.Errorf("%d relists and %d failures: that was not much of a trial", relists, failures)
		}
	})
}

// disturb restarts and compacts, one after the other, within the length.
func disturb(t *testing.T, s conformance.Server, length time.Duration) {
	for _, what := range []func(testing.TB){s.Restart, s.Compact} { // Compact restarts as well
		select {
		case <-time.After(length / 3):
			what(t)
		case <-t.Context().Done():
		}
	}
}

// write creates, changes and deletes objects at random, and returns the versions that it knows it
// made.
func write(t *testing.T, maps rest.Resource[rest.Object], length time.Duration) map[string]rest.Object {
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	random := rand.New(rand.NewPCG(1, 2))
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	written, refused := map[string]rest.Object{}, 0
	for i := 0; ; i++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			if len(written) < 100 || refused == 0 {
				t.Errorf("%d versions written, %d refused: that was not much of a trial", len(written), refused)
			}
			t.Logf("%d versions written, %d attempts failed", len(written), refused)
			return written
		}
		o, err := change(ctx, maps, fmt.Sprintf("cm-%d", random.IntN(30)), random.IntN(5), i)
		if err != nil {
			refused++
			continue
		}
		if o != nil {
			written[o.ResourceVersion()] = *o
		}
	}
}

func change(ctx context.Context, maps rest.Resource[rest.Object], name string, what, i int) (*rest.Object, error) {
	if what == 0 {
		_, err := stream.Await(maps.Delete(ctx, name, rest.DeleteOptions{}))
		return nil, err
	}
	content := map[string]any{
		"metadata": map[string]any{"name": name, "labels": map[string]any{"odd": strconv.FormatBool(i%2 == 1)}},
		"data":     map[string]any{"i": strconv.Itoa(i)},
	}
	o, err := stream.Await(maps.Patch(ctx, name, rest.MergePatch(content)))
	if err != nil {
		object := rest.Object(content)
		return stream.Await(maps.Create(ctx, &object))
	}
	return o, nil
}

// final lists the objects that exist at the end.
func final(t *testing.T, maps rest.Resource[rest.Object]) *rest.List[rest.Object] {
	t.Helper()
	list, err := stream.Await(maps.List(t.Context(), rest.ListOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) == 0 {
		t.Error("nothing is left in the end")
	}
	return list
}

func (r *reader) settle(t *testing.T, list *rest.List[rest.Object]) {
	t.Helper()
	want := map[life]string{}
	for _, o := range list.Items {
		if r.wants == nil || r.wants(&o) {
			want[life{rest.Key{Kind: "ConfigMap", Namespace: namespace, Name: o.Name()}, o.UID()}] = o.ResourceVersion()
		}
	}
	var d string
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); <-time.After(100 * time.Millisecond) {
		r.mu.Lock()
		d = cmp.Diff(want, r.holds)
		r.mu.Unlock()
		if d == "" {
			return
		}
	}
	t.Errorf("%s: the events do not add up to the server (-server +events)\n%s", r.name, d)
}
