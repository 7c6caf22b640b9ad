// Command once prints what happens to the namespaces of a cluster, from a version on, one reading
// after the other. A reading ends after -timeout; if its version is too old, the program lists
// again and reads on from there.
//
// Without -kubeconfig or -context it starts a cluster in memory, whose history is lost on the way.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	corev1 "k8s.io/api/core/v1"

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
	var where kubeconfig.Options
	flag.StringVar(&where.Path, "kubeconfig", "", "watch the cluster of this kubeconfig")
	flag.StringVar(&where.Context, "context", "", "watch the cluster of this context of the kubeconfig")
	p := program{out: os.Stdout}
	flag.StringVar(&p.version, "resource-version", "", "read from this version on (default: list first)")
	flag.StringVar(&p.until, "until", "", "stop when this namespace appears (default: stop in the cluster in memory, at its end)")
	flag.DurationVar(&p.timeout, "timeout", 10*time.Second, "how long one reading lasts")
	flag.Parse()
	client, err := connect(ctx, where, &p)
	if err != nil {
		return err
	}
	defer client.CloseIdle()
	return p.follow(ctx, rest.For[corev1.Namespace](client, "Namespace"))
}

// connect returns a client for the cluster that the flags select, or for one in memory.
func connect(ctx context.Context, where kubeconfig.Options, p *program) (*rest.Client, error) {
	if where == (kubeconfig.Options{}) {
		fmt.Fprintln(os.Stderr, "# a cluster in memory; Ctrl-C ends it")
		if p.until == "" {
			p.until = lastNamespace
		}
		return living(ctx)
	}
	config, err := kubeconfig.Load(where)
	if err != nil {
		return nil, err
	}
	return rest.New(config, rest.Options{})
}
