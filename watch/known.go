package watch

import (
	"cmp"
	"slices"

	"github.com/tideway-go/tideway/rest"
)

// known are the objects that the reader of the channel holds, by what it was told: their uid and resource version. It is
// what a relist is compared with. Only the goroutine of the watch touches it.
type known struct {
	objects map[name]seen
	pass    uint32 // counts the lists, so that what one did not name is found
}

type name struct{ namespace, name string }

type seen struct {
	uid, version string
	pass         uint32
}

func newKnown(objects map[rest.Key]string) *known {
	k := &known{objects: make(map[name]seen, len(objects))}
	for key, version := range objects {
		k.objects[name{key.Namespace, key.Name}] = seen{uid: key.UID, version: version}
	}
	return k
}

// put records the object as it is told now, and returns what was told of that name before.
func (k *known) put(key rest.Key, version string) (before seen, was bool) {
	n := name{key.Namespace, key.Name}
	before, was = k.objects[n]
	k.objects[n] = seen{uid: key.UID, version: version, pass: k.pass}
	return before, was
}

func (k *known) remove(key rest.Key) { delete(k.objects, name{key.Namespace, key.Name}) }

// begin starts a list: whatever is not put until vanished is called is gone.
func (k *known) begin() { k.pass++ }

// vanished removes and returns, in order of name, the objects that the list did not name.
func (k *known) vanished(kind string) []lost {
	var gone []lost
	for n, s := range k.objects {
		if s.pass != k.pass {
			gone = append(gone, s.lost(kind, n))
			delete(k.objects, n)
		}
	}
	slices.SortFunc(gone, func(a, b lost) int {
		return cmp.Or(cmp.Compare(a.key.Namespace, b.key.Namespace), cmp.Compare(a.key.Name, b.key.Name))
	})
	return gone
}

// lost is an object that vanished unseen, with the last version that was told of it.
type lost struct {
	key     rest.Key
	version string
}

func (s seen) lost(kind string, n name) lost {
	return lost{rest.Key{Kind: kind, Namespace: n.namespace, Name: n.name, UID: s.uid}, s.version}
}
