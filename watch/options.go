package watch

import (
	"fmt"
	"slices"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// Options say what is watched, and how patiently. The zero value watches everything that the handle names, from its
// present state on, for ever.
type Options struct {
	// Name watches the one object of this name. A role that is restricted to resource names suffices. The object need not
	// exist. Default: all objects.
	Name string
	// LabelSelector and FieldSelector are sent to the server, as in "app=web,tier in (a,b)" and "spec.nodeName=n1".
	// An object that begins to match is Added, one that ceases to match is Deleted.
	LabelSelector, FieldSelector string
	// Keep are filters that must all keep an event. What they drop is never decoded.
	Keep []Filter
	// Source is copied into every event, to tell merged streams apart.
	Source string

	// ResourceVersion starts after that version, with no list and no first Synced; its known objects are those of Known.
	// Default: from the beginning, which is a list (Added...), Synced, and then the changes. "0" lets the server take the
	// first list from its cache, which may be behind.
	ResourceVersion string
	// Known are the objects that the reader holds already, at these versions: a list delivers the difference to them.
	Known map[rest.Key]Version
	// Replay delivers every object of a relist as Added, with Event.Replayed, not just what changed.
	Replay bool
	// Bookmarks delivers the server's bookmarks. The watch uses them whether they are delivered or not.
	Bookmarks bool
	// Raw gives each event the object's JSON.
	Raw bool

	// Timeout is how long the server keeps one cycle of the watch open before it ends it and the watch resumes, in whole
	// seconds (a fraction is rounded up), from 1 s to 24 h. Default: 300 s. A server that has not ended it 5 s later is taken
	// for dead.
	Timeout time.Duration
	// Backoff is the delay between failed attempts and their limit. Default: 1 s, doubled to 30 s at most, shortened at
	// random by up to a fifth, with no limit.
	Backoff stream.Backoff
	// MinDuration is how long a stream must last to end well without an event; the clock starts when the request is sent.
	// Default: 1 s; -1 is none.
	MinDuration time.Duration
}

// Version is the state of an object that the reader of a watch holds. Without a UID, an object that was
// replaced by another one of its name counts as changed.
type Version struct{ UID, ResourceVersion string }

const (
	defaultTimeout     = 300 * time.Second
	maxTimeout         = 24 * time.Hour
	defaultMinDuration = time.Second
)

// checked returns a copy with the defaults filled in, or what is wrong with it.
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
		return o, fmt.Errorf("option MinDuration is %v; it must be positive, 0 for %v, or -1 for none", o.MinDuration, defaultMinDuration)
	}
	if err := o.Backoff.Check(); err != nil {
		return o, err
	}
	if o.Name != "" && !isName(o.Name) {
		return o, fmt.Errorf("option Name is %q, which is not a valid name; it takes one name without a namespace", o.Name)
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
