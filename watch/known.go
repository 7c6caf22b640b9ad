package watch

import (
	"cmp"
	"slices"

	"github.com/tideway-go/tideway/rest"
)

// known holds the uid and the resource version of each object that the reader of the channel knows
// from earlier events. A relist is compared with it. Only the goroutine of the watch touches it.
type known struct {
	objects map[name]seen
	partial bool   // the reader may hold objects that are not here: the watch began at a version
	pass    uint32 // counts the lists, to find objects that the current one lacks
}

// name identifies an object among those of its kind.
type name struct{ namespace, name string }

type seen struct {
	Version

	pass uint32
}

func newKnown(objects map[rest.Key]Version) *known {
	k := &known{objects: make(map[name]seen, len(objects))}
	for key, version := range objects {
		k.objects[name{key.Namespace, key.Name}] = seen{Version: version}
	}
	return k
}

// put records the object, and returns what was known for its name before.
func (k *known) put(it *item) (before seen, was bool) {
	n := name{it.key.Namespace, it.key.Name}
	before, was = k.objects[n]
	k.objects[n] = seen{Version{UID: it.uid, ResourceVersion: it.version}, k.pass}
	return before, was
}

// news reports whether an event says something that the reader does not know yet: a server may
// repeat events, or go back to older ones. position is the version that the watch had arrived at,
// newest the newest that it had seen.
func (k *known) news(it *item, position, newest string) bool {
	before, was := k.objects[name{it.key.Namespace, it.key.Name}]
	switch {
	case it.typ == Deleted && was: // its version may be that of the object before
		return it.version == before.ResourceVersion || newer(it.version, before.ResourceVersion)
	case it.typ == Deleted:
		return k.partial && newer(it.version, newest) // else the reader does not hold it
	case was:
		return newer(it.version, before.ResourceVersion)
	default: // an older one has been deleted since
		return it.version == position || newer(it.version, position)
	}
}

func (k *known) remove(key rest.Key) { delete(k.objects, name{key.Namespace, key.Name}) }

// begin starts a list: objects that are not put before vanished is called are gone.
func (k *known) begin() { k.pass++ }

// listed reports whether the current list has brought the object already.
func (k *known) listed(key rest.Key) bool {
	s, was := k.objects[name{key.Namespace, key.Name}]
	return was && s.pass == k.pass
}

// lost is an object that vanished unseen, with the last version that was known of it.
type lost struct {
	name
	Version
}

// vanished removes and returns the objects that the list lacked, sorted by name.
func (k *known) vanished() []lost {
	var gone []lost
	for n, s := range k.objects {
		if s.pass != k.pass {
			gone = append(gone, lost{n, s.Version})
			delete(k.objects, n)
		}
	}
	slices.SortFunc(gone, func(a, b lost) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name.name, b.name.name))
	})
	return gone
}
