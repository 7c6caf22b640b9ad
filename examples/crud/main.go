// Command crud takes one Deployment through its life: create, get, update, patch, scale, modify,
// list, delete.
//
// Without flags it runs on an API server in memory; with -kubeconfig, -context or -namespace it
// runs on a real one. The Deployment is called tideway-crud, has no replicas, and is gone at the
// end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var where kubeconfig.Options
	flag.StringVar(&where.Path, "kubeconfig", "", "use the cluster of this kubeconfig")
	flag.StringVar(&where.Context, "context", "", "use the cluster of this context of the kubeconfig")
	namespace := flag.String("namespace", "default", "where the Deployment lives for a moment")
	flag.Parse()
	client, err := connect(ctx, where)
	if err == nil {
		err = life(ctx, os.Stdout, rest.For[appsv1.Deployment](client, "Deployment").In(*namespace))
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
		server, err := fakeapi.Start(ctx, fakeapi.Options{}) // it ends with ctx
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

// life creates a Deployment, changes it in every possible way, and deletes it.
func life(ctx context.Context, out io.Writer, deployments rest.Resource[appsv1.Deployment]) error {
	created, err := stream.Await(deployments.Create(ctx, deployment()))
	if errors.Is(err, rest.ErrAlreadyExists) { // left over from an interrupted run
		created, err = stream.Await(deployments.Get(ctx, name))
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "created", created.Name)

	stale := created.DeepCopy()
	if err := change(ctx, out, deployments, created); err != nil {
		return err
	}
	for d, err := range stream.Range(ctx, deployments.Each, rest.ListOptions{LabelSelector: "app=" + name}) {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, "listed", d.Name, d.Labels["by"])
	}

	// Preconditions: delete the version that was read, and no later one.
	old := rest.DeleteOptions{UID: string(stale.UID), ResourceVersion: stale.ResourceVersion}
	if _, err = stream.Await(deployments.Delete(ctx, name, old)); !errors.Is(err, rest.ErrConflict) {
		return fmt.Errorf("it was deleted at an old version: %w", err)
	}
	fmt.Fprintln(out, "kept: it has changed since it was read")
	if _, err = stream.Await(deployments.Delete(ctx, name, rest.DeleteOptions{UID: string(stale.UID)})); err != nil {
		return err
	}
	if _, err = stream.Await(deployments.Get(ctx, name)); !errors.Is(err, rest.ErrNotFound) {
		return fmt.Errorf("it is still there: %w", err)
	}
	fmt.Fprintln(out, "deleted", name)
	return nil
}
