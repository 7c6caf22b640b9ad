package rest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// groupVersion is a version of a group as a server describes it.
type groupVersion struct {
	group, version string
	resources      []Served
	stale          bool
	err            error // it could not be described
}

// errNoDiscovery means that a body is something else.
var errNoDiscovery = notAsked("the answer is not a discovery document")

// check refuses names that would reach another path.
func (v *groupVersion) check() error {
	for _, s := range []string{cmp.Or(v.group, "core"), v.version} {
		if err := checkSegment(s); err != nil {
			return fmt.Errorf("%w: a group or version %w", errNoDiscovery, err)
		}
	}
	return nil
}

// add adds a resource, unless its names cannot be put into a path.
func (v *groupVersion) add(s Served, subresources []string) {
	s.Kind.Group, s.Kind.Version, s.Stale = v.group, v.version, v.stale
	slices.Sort(subresources)
	s.Subresources = subresources
	slices.Sort(s.Verbs)
	if err := s.Kind.check(); err != nil {
		v.err = errors.Join(v.err, err)
		return
	}
	v.resources = append(v.resources, s)
}
