package watch

import (
	"github.com/tideway-go/tideway/rest"
)

// Type says what an event tells.
type Type string

const (
	// Added tells of an object that the reader of the channel does not know yet: it was listed, it was created, or it
	// began to match the selectors.
	Added Type = "ADDED"
	// Modified tells of a new version of an object.
	Modified Type = "MODIFIED"
	// Deleted tells of an object that is gone, or that no longer matches the selectors; Object is its last state.
	Deleted Type = "DELETED"
	// Synced tells that a list was delivered whole: whoever applied every event since the channel was made, or since the
	// last Synced, holds what the cluster held at ResourceVersion.
	Synced Type = "SYNCED"
	// Bookmark tells a newer resource version without a change; it comes only with Options.Bookmarks.
	Bookmark Type = "BOOKMARK"
	// Error tells a Status that the server sent in the stream, or an object that does not decode. The watch goes on.
	Error Type = "ERROR"
	// WatchFailed tells that an attempt to list or to watch failed, and when the next one is made. It is never filtered.
	WatchFailed Type = "WATCHFAILED"
)

// An Event is one change of the cluster, or one thing that happened to the watch.
//
// The receiver owns it: nothing of it is touched again by the watch.
type Event[T any] struct {
	// Type says which of the fields below are set.
	Type Type
	// Object is the object after the change, for Deleted its last state. It is nil for Synced, Bookmark, Error and
	// WatchFailed.
	Object *T
	// Key names the object of Added, Modified, Deleted, and of an Error with a *DecodeError.
	Key rest.Key
	// UID tells apart the objects that had the name of Key one after the other.
	UID string
	// ResourceVersion is the version of the object, or that of the list for Synced, or that of the Bookmark.
	// A later watch can resume from it unless the event is Listed.
	ResourceVersion string
	// Source is Options.Source, to tell merged streams apart.
	Source string
	// Listed marks what a list found, the first one or a relist. A list comes in no order of versions, and Synced ends it.
	Listed bool
	// Inferred marks a Deleted that a relist found, so that it is Listed as well: the object vanished while the watch could not see it. Object has
	// nothing but apiVersion, kind, and metadata with name, namespace, uid and the last version that was seen.
	Inferred bool
	// Replayed marks a Listed Added of an object that the reader may know already: after a 410 of a watch that
	// was started at a resource version, and at every relist with Options.Replay.
	Replayed bool
	// Raw is the object's JSON, with Options.Raw; always for a *DecodeError.
	Raw []byte
	// Err is a *rest.StatusError or a *DecodeError for Error, an *AttemptError for WatchFailed, else nil.
	Err error
}

// String returns the event in one line: "ADDED Pod default/web at 1541", "WATCHFAILED watch Pod failed, retrying in 1s: ...".
func (ev Event[T]) String() string {
	s := string(ev.Type)
	if ev.Source != "" {
		s = ev.Source + ": " + s
	}
	if ev.Err != nil {
		return s + " " + ev.Err.Error()
	}
	if ev.Key.Name != "" {
		s += " " + ev.Key.String()
	}
	if ev.ResourceVersion != "" {
		s += " at " + ev.ResourceVersion
	}
	return s
}
