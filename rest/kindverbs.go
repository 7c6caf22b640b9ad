package rest

import "strings"

// Verbs is the set of what can be done with a resource, as discovery tells it:
// "create", "delete", "deletecollection", "get", "list", "patch", "update",
// "watch". The zero value means that nobody told.
type Verbs uint8

const (
	verbCreate Verbs = 1 << iota
	verbDelete
	verbDeleteCollection
	verbGet
	verbList
	verbPatch
	verbUpdate
	verbWatch

	verbsAll Verbs = 1<<iota - 1
)

// verbNames are in the order of the bits.
var verbNames = [...]string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

// VerbsOf returns the set of these verbs. Others than those of [Verbs] are left
// out.
func VerbsOf(names ...string) Verbs {
	var v Verbs
	for _, name := range names {
		v |= verb(name)
	}
	return v
}

// Has tells whether the resource is known to support a verb.
func (v Verbs) Has(name string) bool { return v&verb(name) != 0 }

// String returns the verbs with spaces between them.
func (v Verbs) String() string {
	var names []string
	for i, name := range verbNames {
		if v&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// verb returns the bit of a verb, 0 for one that has none.
func verb(name string) Verbs {
	for i, n := range verbNames {
		if n == name {
			return 1 << i
		}
	}
	return 0
}
