package rest

import (
	"errors"
	"slices"
	"strings"
)

// ErrStale is the cause of a [DiscoveryError] of a group whose own server, an
// aggregated one, does not answer: what is known of it may be out of date.
var ErrStale = errors.New("stale: the aggregated server does not answer")

// Discovery is what a server says that it serves.
type Discovery struct {
	// Resources are in the order of the server: of the versions of a group the
	// preferred one comes first.
	Resources []Served
	// Failures are the versions of groups that the server has and could not
	// describe. What was known of them before is still among the resources.
	Failures []*DiscoveryError
}

// DiscoveryError tells that a version of a group is served, and that it could
// not be described. Other groups are not concerned.
type DiscoveryError struct {
	// Group and Version say what could not be described.
	Group, Version string
	// Err is the cause: a [*StatusError], [ErrStale], an error of the
	// connection, or of a body that could not be read.
	Err error
}

// Error returns one line: group, version and cause.
func (e *DiscoveryError) Error() string {
	return Kind{Group: e.Group, Version: e.Version}.APIVersion() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *DiscoveryError) Unwrap() error { return e.Err }

// Lookup finds a resource among those that the server serves, by its Kind ("Deployment"), by a name
// that pins the version ("apps/v1/Deployment"), by its plural ("deployments", "deployments.apps") or
// by a short name ("deploy").
//
// If several groups have the name, the rules of [Lookup] apply. A name that pins group and version
// is never looked for elsewhere: the error lists the versions that exist. If the version could not
// be described, the error is its [*DiscoveryError].
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
	return Kind{}, noKind(d.Resources, name)
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

// unsureError tells that a name was not found, and that not everything could be
// looked at.
type unsureError struct {
	name   string
	causes error
}

func (e *unsureError) Error() string {
	causes := strings.ReplaceAll(e.causes.Error(), "\n", "; ")
	return "rest: kind \"" + e.name + "\" was not found, but not every group could be read: " + causes
}

// Unwrap returns what could not be asked, and why.
func (e *unsureError) Unwrap() error { return e.causes }
