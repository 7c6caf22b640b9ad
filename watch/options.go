package watch

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// Options say what to watch, and how patiently. The zero value watches everything that the handle
// selects, from the present state on, forever.
type Options struct {
	// Name selects the one object with this name, which need not exist yet. A role that is
	// restricted to this name by resourceNames is sufficient. Default: all objects.
	Name string
	// LabelSelector and FieldSelector select objects on the server, as in "app=web,tier in (a,b)"
	// and "spec.nodeName=n1". An object that begins to match is Added, and one that no longer
	// matches is Deleted. Default: all objects.
	LabelSelector, FieldSelector string
	// Keep are filters. Only events that all of them keep are decoded and sent. Default: all
	// events.
	Keep []Filter
	// Source is copied into every event. It distinguishes the events of merged streams.
	Source string

	// ResourceVersion starts the watch after that version, without a list and a first Synced; Known
	// says what the reader holds at that version. "0" lets the server take the first list from its
	// cache, which may be behind. Default: a list (Added for each object, then Synced), and then
	// the changes.
	ResourceVersion string
	// Known are the objects that the reader holds already, with their versions; nil says nothing
	// about them. A list sends the difference from them, and a deletion of another object is not
	// sent.
	Known map[rest.Key]Version
	// Replay sends every object of a relist as Added, with Event.Replayed, and not just the
	// difference.
	Replay bool
	// Bookmarks sends the server's bookmarks. The watch uses them whether they are sent or not.
	Bookmarks bool
	// Raw sets Event.Raw for every event that carries an object.
	Raw bool

	// Once reads one cycle of the watch: the channel closes as soon as the server has ended a cycle
	// well, after Timeout or before. Without a ResourceVersion a list comes first, as ever.
	//
	//   - Timeout is the length of the reading: the server is asked for exactly that, and not for a
	//     random part of it. The list counts only where the server streams it.
	//   - Failures are reported and retried as ever, within the limit of Backoff: a list that
	//     fails, a refusal, a stream that breaks, and one that ends within MinDuration without a
	//     new event. The next cycle has the whole Timeout again, so a context is what bounds the
	//     total.
	//   - If the version of the watch has expired (410), the last event is an Error whose Err
	//     matches rest.ErrExpired, and which no filter in Keep drops. There is no list after it:
	//     list again, and read on from the version of that list.
	//
	// If the last event is neither such an Error nor a WatchFailed, the reading is complete, unless
	// the context has ended. The next one can begin at the newest version that was not Listed; with
	// Bookmarks most servers give one even if nothing changed. Default: the watch goes on.
	Once bool

	// PageSize is how many objects a page of a list has; -1 asks for the list in one piece. A page
	// that cannot be read within 65 s is asked for again with half as many. Default: the watch
	// begins with the list in the same request (Kubernetes 1.34); where the server cannot do that,
	// 500.
	PageSize int
	// Timeout is how long the server keeps one cycle of the watch open at most, from 1 s to 24 h; a
	// fraction of a second is rounded up. Each cycle asks for a random time between four fifths of
	// it and the whole; with Once it asks for the whole. The server then ends the cycle, and the
	// watch resumes. If the server has not ended it 5 s later, it is considered dead. Default: 300
	// s.
	Timeout time.Duration
	// Backoff sets the delays between failed attempts, and their limit. Default: 1 s, doubling up
	// to 30 s, each shortened by a random part of up to a fifth, without a limit.
	Backoff stream.Backoff
	// MinDuration is how long a stream without a new event must last to count as a good end,
	// measured from the sending of the request. The second such stream in a row must last for a
	// tenth of its timeout. Default: 1 s; -1 means no minimum for the first one.
	MinDuration time.Duration
}

// Version identifies the state of an object that the reader of a watch holds. Without a UID, an
// object that has been replaced by another one with the same name is Modified, not Deleted and
// Added.
type Version struct{ UID, ResourceVersion string }

const (
	defaultTimeout     = 300 * time.Second
	maxTimeout         = 24 * time.Hour
	defaultMinDuration = time.Second
)

// checked returns a copy with the defaults filled in, or an error that says which option is
// invalid.
func (o Options) checked() (Options, error) {
	switch {
	case o.Timeout == 0:
		o.Timeout = defaultTimeout
	case o.Timeout < time.Second || o.Timeout > maxTimeout:
		return o, fmt.Errorf("option Timeout is %v; it must be from 1s to %v, or 0 for %v", o.Timeout, maxTimeout, defaultTimeout)
	}
	o.Timeout = (o.Timeout + time.Second - 1).Truncate(time.Second)
	switch {
	case o.MinDuration == 0:
		o.MinDuration = defaultMinDuration
	case o.MinDuration == -1:
		o.MinDuration = 0
	case o.MinDuration < 0:
		return o, fmt.Errorf("option MinDuration is %v; it must be positive, 0 for %v, or -1 for no minimum", o.MinDuration, defaultMinDuration)
	}
	switch {
	case o.PageSize == 0:
		o.PageSize = defaultPage
	case o.PageSize < -1:
		return o, fmt.Errorf("option PageSize is %d; it must be positive, 0 for %d, or -1 for no pages", o.PageSize, defaultPage)
	}
	if err := cmp.Or(o.Backoff.Check(), o.checkOnce()); err != nil {
		return o, err
	}
	if o.Name != "" && !isName(o.Name) {
		return o, fmt.Errorf("option Name is %q, which is not a valid name; use one name without a namespace", o.Name)
	}
	if _, err := rest.ParseLabels(o.LabelSelector); err != nil {
		return o, fmt.Errorf("option LabelSelector: %w", err)
	}
	if _, err := rest.ParseFields(o.FieldSelector); err != nil {
		return o, fmt.Errorf("option FieldSelector: %w", err)
	}
	o.Keep = slices.Clone(o.Keep)
	if err := filters(o.Keep).check(); err != nil {
		return o, fmt.Errorf("option Keep: %w", err)
	}
	return o, nil
}
