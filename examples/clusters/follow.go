package main

import (
	"context"
	"fmt"
	"io"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// follow prints the events of all clusters until ctx ends. A cluster that fails does not disturb
// the others.
func follow(ctx context.Context, out io.Writer, clients map[string]*rest.Client) {
	group := watch.NewGroup[any](ctx)
	for name, client := range clients {
		group.Add(name+" deployments", func(ctx context.Context) <-chan watch.Event[any] {
			return watch.Erase(ctx, watch.Events(ctx, rest.For[appsv1.Deployment](client, "Deployment"), watch.Options{}))
		})
		group.Add(name+" nodes", func(ctx context.Context) <-chan watch.Event[any] {
			return watch.Erase(ctx, watch.Events(ctx, rest.For[corev1.Node](client, "Node"), watch.Options{}))
		})
	}
	for ev := range group.Events() {
		switch ev.Type {
		case watch.Added, watch.Modified:
			fmt.Fprintf(out, "%s: %s %s: %s\n", ev.Source, ev.Type, ev.Key.Name, state(*ev.Object))
		case watch.AllSynced:
			fmt.Fprintln(out, "all clusters are listed")
		case watch.Synced, watch.Bookmark:
		case watch.Deleted, watch.Error, watch.WatchFailed, watch.Recovered, watch.Ended:
			fmt.Fprintln(out, ev)
		}
	}
}

// state describes an object.
func state(object any) string {
	switch o := object.(type) {
	case *appsv1.Deployment:
		return fmt.Sprintf("%d of %d ready", o.Status.ReadyReplicas, *o.Spec.Replicas)
	case *corev1.Node:
		for _, c := range o.Status.Conditions {
			if c.Type == corev1.NodeReady {
				return "ready: " + string(c.Status)
			}
		}
	}
	return "not ready"
}
