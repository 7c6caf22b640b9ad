package clientgo_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clientgorest "k8s.io/client-go/rest"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/clientgo"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// quick makes a watch that wastes no time in tests.
var quick = watch.Options{
	MinDuration: -1,
	Backoff:     stream.Backoff{Initial: time.Millisecond, Max: 10 * time.Millisecond},
}

// A watch on a real port survives ends, cuts and lost history without losing anything.
func TestWatchReconnects(t *testing.T) {
	server, cfg := listen(t, fakeapi.Options{Objects: []any{configMap("m-0")}})
	cfg.Timeout = 1 // nanosecond: it does not apply to streams
	server.Inject(
		fakeapi.End().AfterEvents(2).On("watch", "configmaps"),
		fakeapi.Refuse(503).On("watch", "configmaps"),
		fakeapi.Cut().AfterEvents(2).On("watch", "configmaps"),
		fakeapi.Expired().AfterEvents(2).On("watch", "configmaps"),
	)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	client := connect(t, cfg)
	events := watch.Events(ctx, rest.For[rest.Object](client, "ConfigMap").In("default"), quick)
	want, got, failed, synced := []string{"m-0"}, []string{}, 0, 0
	for ev := range events {
		switch ev.Type {
		case watch.Added:
			got = append(got, ev.Key.Name)
		case watch.Synced:
			synced++
		case watch.WatchFailed:
			failed++
		case watch.Recovered:
		default:
			t.Errorf("unexpected: %v", ev)
		}
		if len(got) < len(want) || synced == 0 {
			continue
		}
		if len(want) == 8 {
			if synced == 2 {
				cancel() // the channel closes
			}
			continue
		}
		name := fmt.Sprintf("m-%d", len(want))
		want = append(want, name)
		if _, err := server.Create(configMap(name)); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if n := server.PendingFaults(); n != 0 || synced != 2 || failed < 2 {
		t.Errorf("%d faults are left, %d lists, %d failures", n, synced, failed)
	}
}

// A program stops its watch after half a second: the watch ends and leaves nothing behind.
func TestWatchHalfASecond(t *testing.T) {
	server, cfg := listen(t, fakeapi.Options{Objects: []any{configMap("a")}})
	stop := errors.New("stopped")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 500*time.Millisecond, stop)
	defer cancel()
	client := connect(t, cfg)
	seen := map[watch.Type]int{}
	for ev := range watch.Events(ctx, rest.For[rest.Object](client, "ConfigMap"), watch.Options{}) {
		seen[ev.Type]++
	}
	if d := cmp.Diff(map[watch.Type]int{watch.Added: 1, watch.Synced: 1}, seen); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if !errors.Is(context.Cause(ctx), stop) {
		t.Errorf("it ended by %v", context.Cause(ctx))
	}
	client.CloseIdle()
	tick, late := time.NewTicker(time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for server.Connections() > 0 { // the server sees the end a moment later
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("a connection is left")
		}
	}
}

// A client that is never used leaves nothing behind either, nor does one whose CloseIdle comes
// first.
func TestUnused(t *testing.T) {
	client, err := clientgo.New(&clientgorest.Config{Host: "https://127.0.0.1:1", TLSClientConfig: clientgorest.TLSClientConfig{Insecure: true}}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client.CloseIdle()
}
