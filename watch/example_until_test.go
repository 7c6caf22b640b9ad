package watch_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

const isReady = `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`

func ExampleUntil() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel() // ends the watch
	server, pods := cluster("web")
	defer server.Close()

	events := watch.Events(ctx, pods, watch.Options{Name: "web"})
	ready := watch.Until(ctx, events, watch.PodReady)
	_, _ = server.Merge("Pod", "default", "web", isReady)
	ev, err := stream.Await(ready)
	fmt.Println(ev.Key, "is", ev.Object.String("status", "phase"), err)
	// Output:
	// Pod default/web is Running <nil>
}

// The wait ends as soon as the pod can no longer become ready.
func ExampleUntil_never() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, pods := cluster("web")
	defer server.Close()
	_, _ = server.Merge("Pod", "default", "web", `{"status":{"phase":"Failed","reason":"Evicted","message":"the node was low on memory"}}`)

	events := watch.Events(ctx, pods, watch.Options{Name: "web"})
	_, err := stream.Await(watch.Until(ctx, events, watch.PodReady))
	fmt.Println(err)
	fmt.Println(errors.Is(err, watch.ErrNever))
	// Output:
	// wait: it can no longer come true: the pod has failed: Evicted: the node was low on memory
	// true
}

// A condition of your own is a function of an event: this one does not wait for a watch that is
// refused.
func ExampleCondition() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, pods := cluster("web")
	defer server.Close()

	running := watch.When(func(pod *rest.Object) bool { return pod.String("status", "phase") == "Running" })
	allowed := func(ev watch.Event[rest.Object]) watch.Answer {
		if errors.Is(ev.Err, rest.ErrForbidden) {
			return watch.Answer{Never: ev.Err}
		}
		return watch.Answer{Met: true}
	}
	events := watch.Events(ctx, pods, watch.Options{Name: "web"})
	answer := watch.Until(ctx, events, watch.All(running, allowed))
	_, _ = server.Merge("Pod", "default", "web", isReady)
	ev, err := stream.Await(answer)
	fmt.Println(ev.Key, "is", ev.Object.String("status", "phase"), err)
	// Output:
	// Pod default/web is Running <nil>
}

// A pod that is gone and created again under its name is another pod, for which Patient waits.
func ExamplePatient() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, pods := cluster("web")
	defer server.Close()

	events := watch.Events(ctx, pods, watch.Options{Name: "web"})
	ready := watch.Until(ctx, events, watch.Patient(watch.PodReady[rest.Object]))
	_, _ = server.Remove("Pod", "default", "web")
	_, _ = server.Create(pods.New("web"))
	_, _ = server.Merge("Pod", "default", "web", isReady)
	ev, err := stream.Await(ready)
	fmt.Println(ev.Key, "is", ev.Object.String("status", "phase"), err)
	// Output:
	// Pod default/web is Running <nil>
}

// Gone answers at once if the object does not exist.
func ExampleGone() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, pods := cluster()
	defer server.Close()

	events := watch.Events(ctx, pods, watch.Options{Name: "web"})
	ev, err := stream.Await(watch.Until(ctx, events, watch.Gone))
	fmt.Println(ev.Type, ev.Empty, err)
	// Output:
	// SYNCED true <nil>
}
