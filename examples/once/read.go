package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// program reads the namespaces.
type program struct {
	out     io.Writer
	version string        // where the next reading begins; "" means with a list
	until   string        // the namespace that ends the program
	timeout time.Duration // of one reading
}

// follow reads again and again, each time from where the last reading ended.
func (p *program) follow(ctx context.Context, namespaces rest.Resource[corev1.Namespace]) error {
	for {
		found, err := p.read(ctx, namespaces)
		switch {
		case found || ctx.Err() != nil:
			return nil //nolint:nilerr // it was interrupted
		case errors.Is(err, rest.ErrExpired): // what happened in the meantime is lost: list, and read on from there
			list, err := stream.Await(namespaces.List(ctx, rest.ListOptions{}))
			if err != nil {
				return err
			}
			p.version = list.Meta.ResourceVersion
			fmt.Fprintf(p.out, "too old; listed %d namespaces\n", len(list.Items))
		case err != nil:
			return err
		default:
			fmt.Fprintln(p.out, "the reading is over")
		}
	}
}

// read prints one reading. It reports whether the namespace that ends the program was found.
func (p *program) read(ctx context.Context, namespaces rest.Resource[corev1.Namespace]) (found bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // it ends the watch if the loop is left
	o := watch.Options{ResourceVersion: p.version, Once: true, Timeout: p.timeout, Raw: true, Bookmarks: true}
	for ev := range watch.Events(ctx, namespaces, o) {
		err = ev.Err // only that of the last event counts: the watch retries
		switch ev.Type {
		case watch.Added, watch.Modified, watch.Deleted:
			fmt.Fprintf(p.out, "%s %s is %s (%d bytes of JSON)\n", ev.Type, ev.Object.Name, ev.Object.Status.Phase, len(ev.Raw))
			if ev.Type == watch.Added && ev.Object.Name == p.until {
				return true, nil
			}
		case watch.Error, watch.WatchFailed, watch.Recovered:
			fmt.Fprintln(p.out, ev)
		case watch.Synced, watch.Bookmark, watch.Ended, watch.AllSynced: // the last two are those of groups
		}
		if ev.ResourceVersion != "" && !ev.Listed {
			p.version = ev.ResourceVersion
		}
	}
	return false, err
}
