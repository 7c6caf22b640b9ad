package wire

import (
	"hash/maphash"
	"sync"
)

// interner remembers short strings that come again and again, the names of members above all, so
// that they are allocated once. It forgets what another string of the same slot displaces: it never
// grows.
type interner struct{ slots [1 << 9]string }

// maxInterned is the length of the longest string that is remembered.
const maxInterned = 48

var (
	interners  = sync.Pool{New: func() any { return new(interner) }}
	internSeed = maphash.MakeSeed()
)

// of returns b as a string.
func (n *interner) of(b []byte) string {
	if len(b) == 0 || len(b) > maxInterned {
		return string(b)
	}
	slot := &n.slots[maphash.Bytes(internSeed, b)%uint64(len(n.slots))]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}
