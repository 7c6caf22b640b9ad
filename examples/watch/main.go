// Command watch prints what happens to the pods of a cluster, one event per line, from one select
// loop.
//
// Without -kubeconfig, -context or -namespace it starts a cluster in memory, in which pods come,
// change and go, and whose API server times out, refuses requests, cuts connections and expires its
// history.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/watch"
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
	var where kubeconfig.Options
	flag.StringVar(&where.Path, "kubeconfig", "", "watch the cluster of this kubeconfig")
	flag.StringVar(&where.Context, "context", "", "watch the cluster of this context of the kubeconfig")
	namespace := flag.String("namespace", "", "watch this namespace of a real cluster (default: all of them)")
	selector := flag.String("selector", "", "only pods with these labels, as in app=web")
	names := flag.String("names", "", "only pods with these names: web-*,db-0")
	duration := flag.Duration("for", 0, "end after this long (default: with Ctrl-C)")
	flag.Parse()
	if flag.NArg() > 0 || *duration < 0 {
		return errors.New("it takes only flags, and a positive duration; see -help")
	}
	client, err := connect(ctx, where, *namespace)
	if err != nil {
		return err
	}
	defer client.CloseIdle()
	options := watch.Options{LabelSelector: *selector}
	if *names != "" {
		options.Keep = append(options.Keep, watch.Names(strings.Split(*names, ",")...))
	}
	return follow(ctx, os.Stdout, rest.For[corev1.Pod](client, "Pod").In(*namespace), options, *duration)
}

// connect returns a client for the cluster that the flags select, or for one in memory.
func connect(ctx context.Context, where kubeconfig.Options, namespace string) (*rest.Client, error) {
	if where == (kubeconfig.Options{}) && namespace == "" {
		fmt.Fprintln(os.Stderr, "# a cluster in memory, whose API server fails on purpose; Ctrl-C ends it")
		return living(ctx)
	}
	config, err := kubeconfig.Load(where)
	if err != nil {
		return nil, err
	}
	return rest.New(config, rest.Options{})
}

// follow prints events until ctx ends, the time is up, or the watch gives up.
func follow(ctx context.Context, out io.Writer, pods rest.Resource[corev1.Pod], options watch.Options, duration time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events := watch.Events(ctx, pods, options)
	var up <-chan time.Time
	if duration > 0 {
		up = time.After(duration)
	}
	counts := map[watch.Type]int{}
	for {
		select {
		case ev, ok := <-events:
			if !ok {
				summarise(out, counts)
				if ctx.Err() != nil {
					return nil
				}
				return errors.New("the watch has given up")
			}
			counts[ev.Type]++
			show(out, ev)
		case <-up:
			cancel() // the channel closes
			up = nil
		}
	}
}
