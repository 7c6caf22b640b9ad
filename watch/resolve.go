package watch

import (
	"context"

	"github.com/tideway-go/tideway/stream"
)

// resolve has discovery say what the name of the kind means, where the handle leaves that to it. It is a part of the
// attempt. When the server does not know the resource any more, it may be served by another version now: what was read
// before is read again.
func (w *watcher) resolve(ctx context.Context) error {
	if w.resolved {
		return nil
	}
	if w.endpoint.Kind() != w.handle.Kind() { // it was resolved before
		if _, err := stream.Await(w.handle.Client().Discover(ctx)); err != nil {
			return err
		}
	}
	e, err := stream.Await(w.handle.Resolve(ctx))
	if err != nil {
		return err
	}
	w.endpoint, w.resolved = e, true
	if k := e.Kind(); e.MetadataOnly() {
		w.partial = &k
	}
	return nil
}
