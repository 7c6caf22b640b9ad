package fakeapi

import (
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// resource is a resource that the server serves, with all that is stored of it. The mutex of the
// store guards its mutable fields.
type resource struct {
	kind     rest.Kind
	served   *rest.Served // what discovery says about it
	traits   traits
	status   bool // there is a status subresource
	custom   bool
	listed   bool               // discovery lists it, and nothing else is implemented
	reviewed bool               // nothing is stored: a create asks a question
	zero     rest.Object        // the members that every object of a built-in kind has
	objects  map[string]*object // by key
	history  []*change          // oldest first
	oldest   uint64             // what happened up to this version is forgotten
	watches  map[*watcher]struct{}

	twin   *resource                                   // shows the same objects in another form; nil for most
	asTwin func(content map[string]any) map[string]any // returns that form; it takes over the content
	shadow bool                                        // what goes over all objects finds them in the twin
	hub    *resource                                   // the twin that checks and changes the objects; nil if this one does
}

// newResource returns a resource without objects.
func newResource(served *rest.Served, custom bool) *resource {
	r := &resource{
		kind: served.Kind, served: served, custom: custom, status: slices.Contains(served.Subresources, "status"),
		objects: make(map[string]*object), watches: make(map[*watcher]struct{}), reviewed: !custom && reviewed(served),
	}
	if custom {
		r.traits = customTraits
		r.zero = rest.Object{}
		return r
	}
	r.listed = !r.reviewed && len(served.Verbs) > 0 && !stored(served)
	r.traits = traitsOf(r.kind)
	r.zero = emptyObject(zeroMembers[r.kind.String()])
	return r
}

// emptyObject reads the members that an object without content has.
func emptyObject(text string) rest.Object {
	if text == "" {
		return rest.Object{}
	}
	o, err := decodeObject([]byte(text))
	if err != nil { // the table is generated
		panic("fakeapi: " + err.Error())
	}
	return o
}

// partOf returns a resource for the objects of a subresource, which are stored nowhere.
func partOf(k rest.Kind) *resource { return newResource(&rest.Served{Kind: k}, false) }

// keyOf is the key of an object.
func keyOf(o rest.Object) string { return key(o.Namespace(), o.Name()) }

// key is where an object is stored. Keys sort as a list does.
func key(namespace, name string) string { return namespace + "/" + name }

// sortedKeys returns the keys of a namespace, or of all for "", in order.
func (r *resource) sortedKeys(objects map[string]*object, namespace string) []string {
	keys := make([]string, 0, len(objects))
	for k := range objects {
		if namespace == "" || strings.HasPrefix(k, namespace+"/") {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

func resourceKey(group, version, plural string) string { return group + "/" + version + "/" + plural }
