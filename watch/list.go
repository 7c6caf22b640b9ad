package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// list sends the difference between what is known and what the server lists, and then Synced.
// Objects are sent as they arrive: if the list breaks off, the next one need not repeat what has
// been sent.
func (w *watcher) list(ctx context.Context, a *stream.Attempt[item]) error {
	o := rest.ListOptions{
		Name: w.options.Name, LabelSelector: w.options.LabelSelector, FieldSelector: w.options.FieldSelector,
		Limit: w.page.limit(),
	}
	o.ResourceVersion = w.oldest()
	meta, err := w.endpoint.List(ctx, o, w.nextPage, func(found rest.Item) error { return w.found(ctx, a, found) })
	w.page.done(err)
	if err != nil {
		return err
	}
	return w.complete(ctx, a, meta.ResourceVersion)
}

// oldest returns the oldest version that will do for a list; "" is the present one.
func (w *watcher) oldest() string {
	if w.listed.IsZero() && w.options.ResourceVersion == listFromCache {
		return listFromCache
	}
	return ""
}

// complete ends a list at its version.
func (w *watcher) complete(ctx context.Context, a *stream.Attempt[item], version string) error {
	if !isVersion(version) {
		return fmt.Errorf("list: %w", ErrNoVersion)
	}
	for _, l := range w.known.vanished() {
		if err := w.infer(ctx, a, l); err != nil {
			return err
		}
	}
	w.version, w.listed, w.hollow, w.paged = version, time.Now(), 0, false
	w.see(w.version)
	w.replay, w.known.partial = w.options.Replay, false
	if !w.back(a) || !a.Send(item{typ: Synced, version: w.version, empty: len(w.known.objects) == 0}) {
		return ctx.Err()
	}
	return nil
}

// nextPage is called before each request of a page.
func (w *watcher) nextPage(first bool) error {
	if first {
		w.known.begin()
		w.page.dropped = ""
	}
	if first || w.page.idle {
		if err := w.pace.take(); err != nil {
			return err
		}
	}
	w.page.begin()
	return nil
}

// found sends the difference that one object of the list makes.
func (w *watcher) found(ctx context.Context, a *stream.Attempt[item], found rest.Item) error {
	if !isVersion(found.ResourceVersion) {
		return fmt.Errorf("list: %s: %w", found.Key, ErrNoVersion)
	}
	it := item{typ: Added, key: found.Key, uid: found.UID, version: found.ResourceVersion, listed: true, replayed: w.replay}
	if !w.filters.matter(it.key) {
		w.page.item(w.page.isNew(it.key))
		return nil
	}
	again := w.known.listed(it.key)
	if w.page.item(!again); again {
		return nil // a page that repeats
	}
	return w.differs(ctx, a, it, found.JSON)
}

// differs sends the difference that an object of the list makes.
func (w *watcher) differs(ctx context.Context, a *stream.Attempt[item], it item, object []byte) error {
	before, was := w.known.put(&it)
	switch {
	case !was:
	case before.UID != it.uid && before.UID != "": // another object with the same name
		if err := w.infer(ctx, a, lost{name{it.key.Namespace, it.key.Name}, before.Version}); err != nil {
			return err
		}
	case w.replay:
	case before.ResourceVersion == it.version:
		return nil
	default:
		it.typ = Modified
	}
	return w.pass(ctx, a, it, object)
}

// pass sends an item with its object, unless a filter drops it.
func (w *watcher) pass(ctx context.Context, a *stream.Attempt[item], it item, object []byte) error {
	if !w.filters.keep(it.typ, it.key) {
		return nil
	}
	if it.raw = copied(object); !a.Send(it) {
		return ctx.Err()
	}
	return nil
}

// infer sends a Deleted for an object whose deletion was not seen.
func (w *watcher) infer(ctx context.Context, a *stream.Attempt[item], l lost) error {
	k := w.endpoint.Kind()
	it := item{typ: Deleted, uid: l.UID, version: l.ResourceVersion, listed: true, inferred: true}
	it.key = rest.Key{Group: k.Group, Kind: k.Kind, Namespace: l.namespace, Name: l.name.name}
	metadata := map[string]string{"name": l.name.name, "resourceVersion": l.ResourceVersion}
	if l.namespace != "" {
		metadata["namespace"] = l.namespace
	}
	if l.UID != "" {
		metadata["uid"] = l.UID
	}
	raw, err := rest.Encode(map[string]any{"apiVersion": k.APIVersion(), "kind": k.Kind, "metadata": metadata})
	if err != nil {
		return err
	}
	it.raw = &raw
	if w.filters.keep(it.typ, it.key) && !a.Send(it) {
		return ctx.Err()
	}
	return nil
}
