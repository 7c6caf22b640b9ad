package main

import (
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/tideway-go/tideway/watch"
)

// show prints one event as one line.
func show(out io.Writer, ev watch.Event[corev1.Pod]) {
	switch ev.Type {
	case watch.Added, watch.Modified, watch.Deleted:
		note := string(ev.Object.Status.Phase)
		if ev.Inferred {
			note = "(found gone by a relist)"
		}
		fmt.Fprintf(out, "%s %s/%s %s\n", ev.Type, ev.Key.Namespace, ev.Key.Name, note)
	case watch.Error, watch.WatchFailed, watch.Recovered:
		fmt.Fprintln(out, ev)
	default:
		fmt.Fprintln(out, ev.Type)
	}
}

// summarise prints how many events of each type there were.
func summarise(out io.Writer, counts map[watch.Type]int) {
	types := []watch.Type{watch.Added, watch.Modified, watch.Deleted, watch.Synced, watch.Error, watch.WatchFailed, watch.Recovered}
	total := make([]string, 0, len(types))
	for _, t := range types {
		total = append(total, fmt.Sprintf("%s %d", t, counts[t]))
	}
	fmt.Fprintln(out, strings.Join(total, ", "))
}
