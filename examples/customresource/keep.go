package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// keep creates a backup, follows it until it is done, and deletes it: one loop, in which every
// answer is a value.
func keep(ctx context.Context, out io.Writer, backups rest.Resource[Backup]) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the watch
	nightly := &Backup{Metadata: rest.ObjectMeta{Name: "nightly"}}
	nightly.Spec.Volume = "data"
	created := backups.Create(ctx, nightly) // nothing blocks: the answer arrives in the loop below

	events := watch.Events(ctx, backups, watch.Options{Keep: []watch.Filter{watch.Names("nightly")}})
	var patched <-chan stream.Result[*Backup]
	var deleted <-chan stream.Result[rest.Deletion[Backup]]
	var last error // of the watch
	for {
		var err error
		select {
		case r := <-created:
			created = nil // there is only one answer
			if err = r.Err; errors.Is(err, rest.ErrAlreadyExists) {
				err = nil // left over from an interrupted run
			}
		case r := <-patched:
			patched, err = nil, r.Err
		case r := <-deleted:
			deleted, err = nil, r.Err
		case ev, ok := <-events:
			if !ok { // interrupted, or it gave up or could not begin
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				return last
			}
			switch ev.Type {
			case watch.Added, watch.Modified:
				b := ev.Object
				fmt.Fprintf(out, "%s %s of %s %q\n", ev.Type, b.Metadata.Name, b.Spec.Volume, b.Status.Phase)
				switch b.Status.Phase {
				case "": // the status is a subresource; a patch names only what changes
					patched = backups.PatchStatus(ctx, ev.Key.Name, rest.MergePatch(map[string]any{
						"status": map[string]any{"phase": "Done"},
					}))
				case "Done":
					deleted = backups.Delete(ctx, ev.Key.Name, rest.DeleteOptions{UID: ev.UID})
				}
			case watch.Deleted:
				fmt.Fprintln(out, ev.Type, ev.Key.Name)
				return nil
			case watch.Error, watch.WatchFailed:
				last = ev.Err
				fmt.Fprintln(out, ev.Err) // the watch is already retrying
			default: // Synced: the list is complete
			}
		}
		if err != nil {
			return err
		}
	}
}
