package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

// seed makes all runs alike; with this one, everything that can happen happens within 20 seconds.
const seed = 1

// living starts an API server in memory with a cluster in which things happen, and makes the server
// misbehave.
func living(ctx context.Context) (*rest.Client, error) {
	server, err := fakeapi.Start(ctx, fakeapi.Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	server.Inject(fakeapi.Chaos(seed, fakeapi.ChaosOptions{
		Refuse: 0.1, Cut: 0.2, End: 0.7, Expire: 0.2, WatchFor: 5 * time.Second,
	}).On("*", "pods"))
	for i := range 3 {
		if err := step(server, "web", i); err != nil {
			return nil, err
		}
	}
	go func() {
		random := rand.New(rand.NewPCG(seed, seed))
		tick := time.NewTicker(700 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				app := []string{"web", "db"}[random.IntN(2)]
				if err := step(server, app, random.IntN(4)); err != nil {
					return // the server has ended
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return server.Client(), nil
}

// step moves a pod one step through its life: it is created, runs, succeeds, and is removed.
func step(server *fakeapi.Server, app string, n int) error {
	name := fmt.Sprintf("%s-%d", app, n)
	pod, err := server.Get("Pod", "default", name)
	if err != nil {
		_, err = server.Create(rest.Object{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{"name": name, "namespace": "default", "labels": map[string]any{"app": app}},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "app", "image": "registry.example/" + app}}},
			"status":   map[string]any{"phase": "Pending"},
		})
		return err
	}
	next := map[string]string{"Pending": "Running", "Running": "Succeeded"}[pod.String("status", "phase")]
	if next == "" {
		_, err = server.Remove("Pod", "default", name)
		return err
	}
	_, err = server.Merge("Pod", "default", name, `{"status":{"phase":"`+next+`"}}`)
	return err
}
