package watch_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// cluster starts a server with a pod of each name.
func cluster(names ...string) (server *fakeapi.Server, pods rest.Resource[rest.Object]) {
	server, err := fakeapi.Start(context.Background(), fakeapi.Options{})
	if err != nil {
		panic(err)
	}
	pods = rest.For[rest.Object](server.Client(), "Pod").In("default")
	for _, name := range names {
		if _, err := server.Create(pods.New(name)); err != nil {
			panic(err)
		}
	}
	return server, pods
}

// The pod is listed, changes while the server refuses the watch, and is deleted: no event is lost,
// and only the end of the context closes the channel.
func ExampleEvents() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, pods := cluster("nginx")
	defer server.Close()
	server.Inject(fakeapi.Refuse(503).On("watch", "pods"))

	events := watch.Events(ctx, pods, watch.Options{Backoff: stream.Backoff{Initial: time.Millisecond, Jitter: -1}})
	for ev := range events {
		switch ev.Type {
		case watch.Added:
			fmt.Println(ev.Key, "is", ev.Object.String("status", "phase"))
		case watch.Synced:
			fmt.Println("caught up")
			_, _ = server.Merge("Pod", "default", "nginx", `{"status":{"phase":"Running"}}`)
		case watch.Modified:
			fmt.Println(ev.Key, "is now", ev.Object.String("status", "phase"))
			_, _ = server.Remove("Pod", "default", "nginx")
		case watch.Deleted:
			fmt.Println(ev.Key, "is gone")
			cancel()
		case watch.Error, watch.WatchFailed:
			fmt.Println(ev.Err) // it is retrying already
		case watch.Recovered:
			fmt.Println("the watch is back")
		case watch.Bookmark: // sent only with Options.Bookmarks
		case watch.Ended, watch.AllSynced: // sent only by a Group
		}
	}
	fmt.Println(context.Cause(ctx))
	// Output:
	// watch Pod failed, retrying in 1ms: HTTP 503 ServiceUnavailable: the server is currently unable to handle the request
	// the watch is back
	// Pod default/nginx is Pending
	// caught up
	// Pod default/nginx is now Running
	// Pod default/nginx is gone
	// context canceled
}

func ExampleNames() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, pods := cluster("db", "db-backup", "nginx-0", "nginx-1")
	defer server.Close()

	keep := []watch.Filter{watch.Names("db", "nginx-*")} // other pods are never decoded
	events := watch.Events(ctx, pods, watch.Options{Keep: keep})
	for range 4 {
		fmt.Println(<-events)
	}
	// Output:
	// ADDED Pod default/db at 1005
	// ADDED Pod default/nginx-0 at 1007
	// ADDED Pod default/nginx-1 at 1008
	// SYNCED at 1008
}

func ExampleNamesMatching() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, pods := cluster("db", "db-backup", "nginx-0", "nginx-1")
	defer server.Close()

	numbered := watch.NamesMatching(regexp.MustCompile(`-\d+$`))
	events := watch.Events(ctx, pods, watch.Options{Keep: []watch.Filter{numbered}})
	for range 3 {
		fmt.Println(<-events)
	}
	// Output:
	// ADDED Pod default/nginx-0 at 1007
	// ADDED Pod default/nginx-1 at 1008
	// SYNCED at 1008
}

func ExampleTypes() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, pods := cluster("nginx", "redis")
	defer server.Close()

	events := watch.Events(ctx, pods, watch.Options{Keep: []watch.Filter{watch.Types(watch.Deleted)}})
	fmt.Println(<-events) // Synced passes every filter
	_, _ = server.Merge("Pod", "default", "nginx", `{"status":{"phase":"Running"}}`)
	_, _ = server.Remove("Pod", "default", "nginx")
	fmt.Println(<-events)
	// Output:
	// SYNCED at 1006
	// DELETED Pod default/nginx at 1008
}

// All events of nginx, and the deletions of all other pods.
func ExampleOr() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, pods := cluster("nginx", "redis")
	defer server.Close()

	keep := []watch.Filter{watch.Or(watch.Names("nginx"), watch.Types(watch.Deleted))}
	events := watch.Events(ctx, pods, watch.Options{Keep: keep})
	fmt.Println(<-events)
	fmt.Println(<-events)
	_, _ = server.Remove("Pod", "default", "redis")
	fmt.Println(<-events)
	// Output:
	// ADDED Pod default/nginx at 1005
	// SYNCED at 1006
	// DELETED Pod default/redis at 1007
}

// Keep filters an existing channel. All of its filters must agree.
func ExampleKeep() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, pods := cluster("nginx-0", "nginx-1", "redis")
	defer server.Close()

	events := watch.Events(ctx, pods, watch.Options{})
	gone := watch.Keep(ctx, events, watch.Names("nginx-*"), watch.Types(watch.Deleted))
	fmt.Println(<-gone)
	for _, name := range []string{"redis", "nginx-1"} {
		_, _ = server.Remove("Pod", "default", name)
	}
	fmt.Println(<-gone)
	// Output:
	// SYNCED at 1007
	// DELETED Pod default/nginx-1 at 1009
}

// The reader is busy while the pod is listed and changes twice: it gets the newest state once,
// before Synced.
func ExampleLatest() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	events := make(chan watch.Event[rest.Object])
	newest := watch.Latest(ctx, events)

	web := rest.Key{Kind: "Pod", Namespace: "default", Name: "web"}
	events <- watch.Event[rest.Object]{Type: watch.Added, Key: web, ResourceVersion: "1"}
	events <- watch.Event[rest.Object]{Type: watch.Synced, ResourceVersion: "1"}
	events <- watch.Event[rest.Object]{Type: watch.Modified, Key: web, ResourceVersion: "2"}
	events <- watch.Event[rest.Object]{Type: watch.Modified, Key: web, ResourceVersion: "3"}
	close(events)
	for ev := range newest {
		fmt.Println(ev)
	}
	// Output:
	// ADDED Pod default/web at 3
	// SYNCED at 1
}

// One channel brings the ConfigMaps of each namespace that is there.
func ExampleGroup() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, _ := cluster()
	defer server.Close()
	maps := rest.For[rest.Object](server.Client(), "ConfigMap")

	namespaces := watch.Events(ctx, rest.For[rest.Object](server.Client(), "Namespace"), watch.Options{LabelSelector: "team=web"})
	group := watch.NewGroup[rest.Object](ctx)
	follow := func(namespace string) {
		group.Add(namespace, func(ctx context.Context) <-chan watch.Event[rest.Object] {
			return watch.Events(ctx, maps.In(namespace), watch.Options{})
		})
	}
	create := func(kind, namespace, name string) {
		_, _ = server.Create(rest.Object{
			"apiVersion": "v1", "kind": kind,
			"metadata": map[string]any{"name": name, "namespace": namespace, "labels": map[string]any{"team": "web"}},
		})
	}
	for {
		select {
		case ev := <-namespaces:
			switch ev.Type {
			case watch.Synced:
				create("Namespace", "", "shop")
			case watch.Added:
				follow(ev.Key.Name)
			case watch.Deleted:
				group.Remove(ev.Key.Name) // nothing more comes of it
			default:
			}
		case ev := <-group.Events():
			fmt.Println(ev)
			switch ev.Type {
			case watch.AllSynced:
				create("ConfigMap", "shop", "prices")
			case watch.Added:
				return
			default:
			}
		}
	}
	// Output:
	// shop: SYNCED at 1005
	// ALLSYNCED
	// shop: ADDED ConfigMap shop/prices at 1006
}

// Pods and ConfigMaps arrive on one channel, each in its own type.
func ExampleErase() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, pods := cluster("nginx")
	defer server.Close()
	type config struct {
		Data map[string]string `json:"data"`
	}
	_, _ = server.Create(rest.Object{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "settings", "namespace": "default"},
		"data": map[string]any{"color": "blue"},
	})
	settings := rest.For[config](server.Client(), "ConfigMap").In("default")

	events := stream.Merge(ctx,
		watch.Erase(ctx, watch.Events(ctx, pods, watch.Options{})),
		watch.Erase(ctx, watch.Events(ctx, settings, watch.Options{Name: "settings"})),
	)
	for range 4 {
		ev := <-events
		if ev.Type != watch.Added {
			continue
		}
		switch object := (*ev.Object).(type) {
		case *rest.Object:
			fmt.Println("the pod is", object.String("status", "phase"))
		case *config:
			fmt.Println("the color is", object.Data["color"])
		}
	}
	// Unordered output:
	// the pod is Pending
	// the color is blue
}

// A program is ready once it has the whole list, and not while the server refuses the watch.
func ExampleErrRefused() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, err := fakeapi.Start(ctx, fakeapi.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	server.Inject(fakeapi.Refuse(403).On("watch", "pods"))
	pods := rest.For[rest.Object](server.Client(), "Pod").In("shop")
	events := watch.Events(ctx, pods, watch.Options{Backoff: stream.Backoff{Initial: time.Millisecond}})
	readyz := make(chan chan error) // requests of the handler

	notReady := errors.New("the pods are not listed yet")
	for notReady != nil {
		select {
		case answer := <-readyz:
			answer <- notReady
		case ev := <-events:
			var failed *watch.AttemptError
			switch {
			case ev.Type == watch.Synced:
				notReady = nil
			case errors.Is(ev.Err, watch.ErrRefused) && errors.As(ev.Err, &failed): // another failure passes by itself
				notReady = fmt.Errorf("this service account may not %s %s in %s", failed.Refusal.Verb, failed.Refusal.Resource, failed.Refusal.Namespace)
				fmt.Println(notReady)
			}
		}
	}
	fmt.Println("ready")
	// Output:
	// this service account may not watch pods in shop
	// ready
}
