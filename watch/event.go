package watch

import (
	"fmt"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// Type is the type of an event.
type Type string

const (
	// Added means that an object is new to the reader of the channel: it was listed, it was
	// created, or it began to match the selectors.
	Added Type = "ADDED"
	// Modified means that an object has a new version.
	Modified Type = "MODIFIED"
	// Deleted means that an object is gone, or no longer matches the selectors. Object is its last
	// state.
	Deleted Type = "DELETED"
	// Synced marks the end of a complete list: a reader that has applied all events up to here
	// holds what the cluster held at ResourceVersion.
	Synced Type = "SYNCED"
	// Bookmark carries a newer resource version without a change. It is sent only with
	// Options.Bookmarks.
	Bookmark Type = "BOOKMARK"
	// Error reports a Status that the server sent in the stream, an object that does not decode or
	// is of another kind, or, once for a client and a resource, that the server cannot stream lists
	// ([rest.ErrNoStreaming]). The watch goes on, unless Options.Once is set and the Status says
	// that the version has expired.
	Error Type = "ERROR"
	// WatchFailed reports a failed attempt to list or to watch, and when the next one follows. No
	// filter drops it.
	WatchFailed Type = "WATCHFAILED"
	// Recovered reports the first sign of life after failures: a list that succeeded, an event, or
	// a watch that the server has kept open for Options.MinDuration. No filter drops it.
	Recovered Type = "RECOVERED"
	// Ended is the last event of a member of a [Group] whose channel has closed by itself. Err is
	// that of the WatchFailed right before it: it matches ErrGaveUp if the watch gave up, and is
	// nil if there was none. No filter drops it.
	Ended Type = "ENDED"
	// AllSynced means that every member of a [Group] has sent Synced. A member that has ended does
	// not count, and without members there is no AllSynced. No filter drops it.
	AllSynced Type = "ALLSYNCED"
)

// passes reports whether events of the type pass every filter.
func (t Type) passes() bool {
	switch t {
	case Synced, WatchFailed, Recovered, Ended, AllSynced:
		return true
	default:
		return false
	}
}

// An Event is one change in the cluster, or something that happened to the watch itself.
//
// The receiver owns it: the watch never touches any part of it again.
type Event[T any] struct {
	// Type says what happened, and which of the fields below are set.
	Type Type
	// Object is the object after the change, or its last state for Deleted. It is nil for all other
	// types.
	Object *T
	// Key identifies the object of Added, Modified and Deleted, and of an Error with a
	// *DecodeError.
	Key rest.Key
	// UID is the object's uid, if it has one. It differs between objects that have the same Key one
	// after the other.
	UID string
	// ResourceVersion is the version of the object, of the list for Synced, or of the Bookmark. A
	// later watch can resume from it unless the event is Listed.
	ResourceVersion string
	// Source is Options.Source, or the source of the member of a [Group]; AllSynced has none. It
	// distinguishes the events of merged streams.
	Source string
	// Listed marks the results of a list, be it the first one or a relist, and what changed before
	// a streamed list was complete. They are not sorted by version, and Synced follows them.
	Listed bool
	// Inferred marks a Deleted that a relist found: the object vanished while the watch could not
	// see it. Object holds only apiVersion, kind, and metadata with name, namespace, uid and the
	// last version that was seen. Listed is set as well.
	Inferred bool
	// Replayed marks an Added whose object the reader may know already: in the list after a 410, if
	// the watch was started at a resource version, and in every relist with Options.Replay. Listed
	// is set as well.
	Replayed bool
	// Raw is the object's JSON. It is set with Options.Raw, and always for a *DecodeError.
	Raw []byte
	// Empty marks a Synced of a list without objects: none exists that the handle, the selectors
	// and the names in Options.Keep select.
	Empty bool
	// Recovery says how long the watch was away. It is set for Recovered only.
	Recovery *Recovery
	// Err is a *rest.StatusError, a *DecodeError or a rest.ErrNoStreaming for Error, and an
	// *AttemptError for WatchFailed. Ended repeats the error of the WatchFailed before it. Err is
	// nil otherwise.
	Err error
}

// String returns the event on one line: "ADDED Pod default/web at 1541", "WATCHFAILED watch Pod
// failed, retrying in 1s: ...".
func (ev Event[T]) String() string {
	s := string(ev.Type)
	if ev.Source != "" {
		s = ev.Source + ": " + s
	}
	if ev.Err != nil {
		return rest.OneLine(s + " " + ev.Err.Error())
	}
	if ev.Recovery != nil {
		s += fmt.Sprintf(" after %v and %s", ev.Recovery.Away.Round(time.Millisecond), count(ev.Recovery.Attempts, "failed attempt", "failed attempts"))
	}
	if ev.Key.Name != "" {
		s += " " + ev.Key.String()
	}
	if ev.ResourceVersion != "" {
		s += " at " + ev.ResourceVersion
	}
	return rest.OneLine(s)
}
