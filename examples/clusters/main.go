// Command clusters prints what happens to the deployments and the nodes of several clusters, from
// one select loop.
//
// Without -contexts it starts two clusters in memory, of which one becomes unreachable for a while.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	path := flag.String("kubeconfig", "", "the kubeconfig of the contexts (default: as for kubectl)")
	contexts := flag.String("contexts", "", "watch the clusters of these contexts: east,west")
	duration := flag.Duration("for", 0, "end after this long (default: with Ctrl-C)")
	flag.Parse()
	if *duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *duration)
		defer cancel()
	}
	clients, err := connect(ctx, *path, *contexts)
	if err != nil {
		return err
	}
	for _, client := range clients {
		defer client.CloseIdle()
	}
	follow(ctx, os.Stdout, clients)
	return nil
}

// connect returns a client for each context, or for each of two clusters in memory.
func connect(ctx context.Context, path, contexts string) (map[string]*rest.Client, error) {
	if contexts == "" {
		fmt.Fprintln(os.Stderr, "# two clusters in memory; Ctrl-C ends them")
		return living(ctx)
	}
	clients := make(map[string]*rest.Client)
	for name := range strings.SplitSeq(contexts, ",") {
		config, err := kubeconfig.Load(kubeconfig.Options{Path: path, Context: name})
		if err != nil {
			return nil, err
		}
		if clients[name], err = rest.New(config, rest.Options{}); err != nil {
			return nil, err
		}
	}
	return clients, nil
}
