package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// ending describes how a cycle ended.
type ending struct {
	progress bool  // a version arrived that the watch had not seen
	early    bool  // it ended before a tenth of its timeout, without progress
	short    bool  // and within Options.MinDuration
	timely   bool  // it lasted as long as it was asked to
	listing  bool  // it began with a list, which is not complete
	err      error // nil if the body ended in an orderly way
}

// cycle sends one watch request, starting after the current version, and reads it until it ends.
// Without a version, it begins with a list.
func (w *watcher) cycle(ctx context.Context, a *stream.Attempt[item]) (end ending) {
	if err := w.pace.take(); err != nil {
		return ending{err: err}
	}
	started, timeout := time.Now(), w.timeout()
	o := rest.WatchOptions{
		Name: w.options.Name, LabelSelector: w.options.LabelSelector, FieldSelector: w.options.FieldSelector,
		ResourceVersion: w.version, Timeout: timeout,
	}
	if w.version == "" {
		o.Initial, o.ResourceVersion = true, w.oldest()
	}
	frames, err := w.endpoint.Watch(ctx, o)
	if err != nil {
		return ending{err: err, listing: o.Initial}
	}
	defer frames.Close()
	open := w.backAfter(a, w.options.MinDuration)
	defer open.stop()
	if o.Initial {
		if err := w.initial(ctx, a, frames, open); err != nil {
			return ending{err: err, listing: true}
		}
	}

	var refusal *rest.StatusError // of the last frame, if that was an ERROR event
	for {
		f, err := frames.Next()
		if err != nil {
			end.err = ended(err, refusal)
			end.close(time.Since(started), timeout, w.options.MinDuration)
			return end
		}
		var it item
		if Type(f.Type) == Error {
			it, refusal, err = w.refusing(&f)
		} else {
			refusal = nil
			var progress bool
			if it, progress, err = w.take(&f); progress {
				end.progress = true
				a.OK()
			}
			open.stop()
		}
		if err != nil {
			end.err = err
			return end
		}
		if refusal == nil && !w.back(a) || it.typ != "" && !a.Send(it) {
			end.err = ctx.Err()
			return end
		}
	}
}

// drawn returns the timeout of a cycle, in whole seconds: a random one from the upper fifth, so
// that watches that began together drift apart.
func drawn(timeout time.Duration) time.Duration {
	least := (timeout*4/5 + time.Second - 1) / time.Second
	return (least + rand.N(timeout/time.Second-least+1)) * time.Second
}

// ended returns nil if a stream that ended with err ended well, or else the reason why it did not.
func ended(err error, refusal *rest.StatusError) error {
	switch {
	case refusal != nil:
		return &endedOnError{refusal}
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// close says what the duration of the cycle means.
func (end *ending) close(lasted, timeout, least time.Duration) {
	end.early = !end.progress && (lasted < timeout/10 || lasted < least)
	end.short = end.early && lasted < least
	end.timely = lasted >= timeout
}

// refusing returns the item of an ERROR event, whose type is empty if it is not sent, and its
// Status. If the version has expired, that is the error.
func (w *watcher) refusing(f *rest.Frame) (it item, refusal *rest.StatusError, err error) {
	refusal, err = f.Refusal()
	switch {
	case err != nil:
		return it, nil, err
	case errors.Is(refusal, rest.ErrExpired):
		return it, refusal, refusal
	case !w.filters.keep(Error, rest.Key{}):
		return it, refusal, nil
	}
	it.typ = Error
	it.err, err = f.Refusal() // a second error, which the reader may change
	return it, refusal, err
}

// take advances the version, updates what is known, and returns the item to send, whose type is
// empty if there is none. It reports whether the version is progress.
func (w *watcher) take(f *rest.Frame) (it item, progress bool, err error) {
	typ := Type(f.Type)
	switch typ {
	case Added, Modified, Deleted, Bookmark:
	default:
		return it, false, fmt.Errorf("%w: type %q", rest.ErrFrame, f.Type)
	}
	if w.isMisfit(f) {
		return w.misfit(typ, f), false, nil
	}
	if !isVersion(f.ResourceVersion) {
		return it, false, fmt.Errorf("%s %s: %w", typ, strings.TrimSuffix(f.Key.String(), " "), ErrNoVersion)
	}
	before, newest := w.version, w.seen
	moved := newer(f.ResourceVersion, before)
	if moved {
		w.version = f.ResourceVersion
		progress = w.see(w.version)
	}
	if typ == Bookmark {
		if moved && w.options.Bookmarks && w.filters.keep(Bookmark, f.Key) {
			it = item{typ: typ, version: f.ResourceVersion}
		}
		return it, progress, nil
	}
	o := item{typ: typ, key: f.Key, uid: f.UID, version: f.ResourceVersion}
	if !w.filters.matter(o.key) || !w.known.news(&o, before, newest) {
		return it, progress, nil
	}
	if typ == Deleted {
		w.known.remove(o.key)
	} else {
		w.known.put(&o)
	}
	if w.filters.keep(typ, o.key) {
		it = o
		it.raw = copied(f.JSON)
	}
	return it, progress, nil
}

// see records a version, and reports whether it is newer than all before.
func (w *watcher) see(version string) bool {
	progress := newer(version, w.seen)
	if progress {
		w.seen = version
	}
	return progress
}

// isMisfit reports whether a frame holds an object that the watch can do without. One of its own
// kind with neither name nor version may be any of its objects.
func (w *watcher) isMisfit(f *rest.Frame) bool {
	return f.Err != nil && (f.Key.Name != "" || f.ResourceVersion != "" || f.Key.Kind != w.endpoint.Kind().Kind)
}

// misfit returns the item of an object that the watch did not ask for.
func (w *watcher) misfit(typ Type, f *rest.Frame) (it item) {
	if !w.filters.keep(typ, f.Key) {
		return it
	}
	return item{
		typ: Error, key: f.Key, uid: f.UID, version: f.ResourceVersion, raw: copied(f.JSON),
		err: &DecodeError{Type: typ, Key: f.Key, ResourceVersion: f.ResourceVersion, Err: f.Err},
	}
}
