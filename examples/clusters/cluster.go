package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

// living starts two API servers in memory. In each, a deployment gets ready, replica by replica;
// one of them refuses everything for some seconds.
func living(ctx context.Context) (map[string]*rest.Client, error) {
	clients := make(map[string]*rest.Client)
	for _, name := range []string{"east", "west"} {
		server, err := fakeapi.Start(ctx, fakeapi.Options{Objects: []any{
			rest.Object{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": name + "-1"}, "status": map[string]any{
				"conditions": []any{map[string]any{"type": "Ready", "status": "True"}},
			}},
			rest.Object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "shop"}, "spec": map[string]any{
				"replicas": 3, "selector": map[string]any{"matchLabels": map[string]any{"app": "shop"}},
				"template": map[string]any{
					"metadata": map[string]any{"labels": map[string]any{"app": "shop"}},
					"spec":     map[string]any{"containers": []any{map[string]any{"name": "shop", "image": "shop:1"}}},
				},
			}},
		}})
		if err != nil {
			return nil, err
		}
		clients[name] = server.Client()
		go change(ctx, server, name == "west")
	}
	return clients, nil
}

// change makes the deployment ready, one replica every three seconds, after an outage if there is
// to be one.
func change(ctx context.Context, server *fakeapi.Server, outage bool) {
	tick := time.NewTicker(3 * time.Second)
	defer tick.Stop()
	for ready := 1; ready <= 3; ready++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if outage && ready == 1 {
			server.Inject(fakeapi.Refuse(503).On("watch", "*").Times(4))
			server.Disconnect()
		}
		if _, err := server.Merge("Deployment", "default", "shop", fmt.Sprintf(`{"status":{"readyReplicas":%d}}`, ready)); err != nil {
			return // the server has ended
		}
	}
}
