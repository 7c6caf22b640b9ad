package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

// lastNamespace is the last one that appears in the cluster in memory.
const lastNamespace = "team-5"

// living starts an API server in memory, in which a namespace appears every three seconds. It
// forgets its history once.
func living(ctx context.Context) (*rest.Client, error) {
	server, err := fakeapi.Start(ctx, fakeapi.Options{})
	if err != nil {
		return nil, err
	}
	server.Inject(fakeapi.Expired().On("watch", "namespaces").Nth(2))
	go func() {
		tick := time.NewTicker(3 * time.Second)
		defer tick.Stop()
		for i := 1; i <= 5; i++ {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			_, err := server.Create(rest.Object{
				"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": fmt.Sprintf("team-%d", i)},
			})
			if err != nil {
				return // the server has ended
			}
		}
	}()
	return server.Client(), nil
}
