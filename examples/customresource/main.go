// Command customresource manages backups: a custom resource, described by a [rest.Kind] and a plain
// struct.
//
// Without flags it runs on an API server in memory. With -kubeconfig, -context or -namespace it
// runs on a real one, which must know the resource: kubectl apply -f customresource/backups.yaml
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// kind describes the resource, like its definition in backups.yaml.
var kind = rest.Kind{
	Group: "example.com", Version: "v1", Kind: "Backup", Plural: "backups", Namespaced: true,
}

// served is how the server in memory serves it.
var served = rest.Served{Kind: kind, Subresources: []string{"status"}}

// Backup is one object of the resource. A struct with JSON tags is all it takes.
type Backup struct {
	Metadata rest.ObjectMeta `json:"metadata"`
	Spec     struct {
		Volume string `json:"volume"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status,omitzero"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var where kubeconfig.Options
	flag.StringVar(&where.Path, "kubeconfig", "", "use the cluster of this kubeconfig")
	flag.StringVar(&where.Context, "context", "", "use the cluster of this context of the kubeconfig")
	namespace := flag.String("namespace", "default", "where the backups live for a moment")
	flag.Parse()
	client, err := connect(ctx, where)
	if err == nil {
		err = keep(ctx, os.Stdout, rest.ForKind[Backup](client, kind).In(*namespace))
		client.CloseIdle()
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// connect returns a client for the cluster that the flags select, or for one in memory.
func connect(ctx context.Context, where kubeconfig.Options) (*rest.Client, error) {
	if where == (kubeconfig.Options{}) {
		server, err := fakeapi.Start(ctx, fakeapi.Options{Kinds: []rest.Served{served}}) // it ends with ctx
		if err != nil {
			return nil, err
		}
		return server.Client(), nil
	}
	config, err := kubeconfig.Load(where)
	if err != nil {
		return nil, err
	}
	return rest.New(config, rest.Options{})
}
