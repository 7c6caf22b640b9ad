package rest

import (
	"errors"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// ErrStale means that the server of an aggregated group does not answer: what is known of the group
// may be out of date.
var ErrStale = errors.New("stale: the aggregated server does not answer")

// Discovery is what a server says that it serves.
type Discovery struct {
	// Resources are in the order of the server: the preferred version of a group comes first.
	Resources []Served
	// Failures are the group versions that the server could not describe. What was known of them
	// before is still in Resources.
	Failures []*DiscoveryError
}

// DiscoveryError means that a version of a group could not be described.
type DiscoveryError struct {
	Group, Version string
	Err            error // a [*StatusError], [ErrStale], or an error of the connection or the body
}

// Error returns one line: group, version and cause.
func (e *DiscoveryError) Error() string {
	return line.Of(Kind{Group: e.Group, Version: e.Version}.APIVersion() + ": " + e.Err.Error())
}

// Unwrap returns the cause.
func (e *DiscoveryError) Unwrap() error { return e.Err }

// Lookup finds a resource by its Kind ("Deployment"), by a name that pins the version
// ("apps/v1/Deployment"), by its plural ("deployments", "deployments.apps") or by a short name
// ("deploy"). If several groups have the name, the rules of the function [Lookup] apply. A pinned
// version is never replaced by another: the error lists those that exist, or is the
// [*DiscoveryError] of the version.
func (d Discovery) Lookup(name string) (Kind, error) {
	s, err := named(d.Resources, name,
		byKind(name),
		func(s *Served) bool { return s.Kind.Plural == name },
		func(s *Served) bool { return s.Kind.Group != "" && s.Kind.Resource() == name },
		func(s *Served) bool { return slices.Contains(s.ShortNames, name) },
	)
	switch {
	case err != nil:
		return Kind{}, err
	case s != nil:
		return s.Kind, nil
	}
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		for _, f := range d.Failures {
			if (Kind{Group: f.Group, Version: f.Version}).APIVersion() == name[:i] {
				return Kind{}, f
			}
		}
	} else if unknown := d.unknown(); len(unknown) > 0 {
		return Kind{}, &unsureError{name, errors.Join(unknown...)}
	}
	return Kind{}, noKind(d.Resources, name, notServed)
}

// unknown returns the failures of versions of which nothing is known.
func (d Discovery) unknown() []error {
	var errs []error
	for _, f := range d.Failures {
		if !slices.ContainsFunc(d.Resources, func(s Served) bool { return s.Kind.Group == f.Group && s.Kind.Version == f.Version }) {
			errs = append(errs, f)
		}
	}
	return errs
}

// unsureError means that a name was not found, but that some groups could not be read.
type unsureError struct {
	name   string
	causes error
}

func (e *unsureError) Error() string {
	causes := strings.ReplaceAll(e.causes.Error(), "\n", "; ")
	return line.Of("rest: kind \"" + e.name + "\" was not found, but not every group could be read: " + causes)
}

// Unwrap returns the failures of those groups.
func (e *unsureError) Unwrap() error { return e.causes }
