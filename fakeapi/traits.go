package fakeapi

import (
	"slices"

	"github.com/tideway-go/tideway/rest"
)

// nameRule is what a resource accepts as a name.
type nameRule int

const (
	subdomain nameRule = iota
	label
	pathSegment
)

// stored reports whether there are objects of a kind that clients create. A review is only ever
// asked, and a component status cannot be written.
func stored(s *rest.Served) bool {
	return slices.Contains(s.Verbs, "create") && slices.Contains(s.Verbs, "watch")
}

// builtIn returns what is known about a built-in kind, or nil.
func builtIn(k rest.Kind) *rest.Served {
	for s := range rest.Kinds() {
		if s.Kind.String() == k.String() && s.Kind.Plural == k.Plural {
			return &s
		}
	}
	return nil
}

// traits are how a resource behaves, as far as its rest.Kind does not say it. Those of built-in
// resources are measured: go generate asks a real server, with an example of each kind.
type traits struct {
	generation  bool     // a new object has the generation 1; otherwise it keeps what a client sets
	raises      []string // what raises the generation: content (neither metadata nor status), labels, annotations
	finalizers  []string // that a client's new object gets
	status      bool     // a new object keeps the status that it comes with
	keeps       []string // metadata that a write of the status does not change
	returns     bool     // a delete answers with the object, not with a Status
	orphans     bool     // a delete without a policy orphans the dependents
	independent bool     // a delete leaves the dependents to nobody, whatever policy it asks for
	conditional bool     // an update needs a resource version
	creates     bool     // an update makes an object that is not there
	names       nameRule // what it accepts as a name
	key         string   // where kube-apiserver stores objects; "" for the plural
	placeless   bool     // objects cannot be selected by metadata.namespace
	fields      []string // field selectors besides metadata.name and metadata.namespace
	deprecated  string   // the warning of every answer
	unknown     string   // what is said about other field selectors; "" for the usual words
}

// metadataKept is the metadata that clients write, for the kinds whose status writes keep all of
// it.
var metadataKept = []string{"annotations", "finalizers", "labels", "ownerReferences"}

// otherField is what most kinds with field selectors of their own say about others.
const otherField = "field label not supported: %s"

// customTraits are the traits of all custom resources.
var customTraits = traits{generation: true, raises: []string{"content"}, conditional: true, unknown: otherField}

// traitsOf returns the traits of a built-in kind.
func traitsOf(k rest.Kind) traits {
	if t, ok := measuredTraits[k.String()]; ok {
		return t
	}
	return measuredTraits[k.Resource()]
}
