package rest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/stream"
)

// ErrStale is the cause of a [DiscoveryError] of a group whose own server, an
// aggregated one, does not answer: what is known of it may be out of date.
var ErrStale = errors.New("stale: the server behind it does not answer")

// Discovery is what a server says that it serves.
type Discovery struct {
	// Resources are in the order of the server: of the versions of a group the
	// preferred one comes first.
	Resources []Served
	// Failures are the versions of groups that the server has and could not
	// describe. What was known of them before is still among the resources.
	Failures []*DiscoveryError
}

// Served is a resource that a server serves.
type Served struct {
	// Kind describes it, as [ForKind] takes it.
	Kind Kind
	// Singular is another name of the resource: "pod".
	Singular string
	// ShortNames are further names: "po".
	ShortNames []string
	// Categories are groups of resources that it is in: "all".
	Categories []string
	// Subresources are sorted: "log", "status".
	Subresources []string
	// Stale tells that the server could not ask for it this time.
	Stale bool
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

// Discover asks the server what it serves, and answers with all of it. What was
// read before is replaced: names resolve by the new answer from then on.
//
// Calls at the same time share one reading. It takes two requests, or, of a
// server before Kubernetes 1.27, one more for each version of each group; a
// server that has nothing new to say sends nothing.
//
// Groups that the server cannot describe are no error, but
// [Discovery].Failures. An error are 401, 403, 5xx, no answer, and an answer
// that is no discovery; what was read before stays then.
//
// Of a client without [Options].Discovery the answer is empty, comes at once,
// and nothing is sent.
func (c *Client) Discover(ctx context.Context) <-chan stream.Result[Discovery] {
	if c.discoverer == nil {
		return stream.Answer(Discovery{}, nil)
	}
	return stream.Go(ctx, func(ctx context.Context) (Discovery, error) {
		s, err := c.discoverer.read(ctx)
		if err != nil {
			return Discovery{}, err
		}
		return s.discovery(), nil
	})
}

// Lookup finds a resource among those that the server serves, by its Kind
// ("Deployment"), a name that pins the version ("apps/v1/Deployment"), its
// plural ("deployments", "deployments.apps") or a short name ("deploy").
//
// Where several groups have the name the rules are those of [Lookup]. A name
// that pins group and version is never looked for elsewhere: the error says
// which ones there are; of a version that could not be described it is the
// [*DiscoveryError].
func (d Discovery) Lookup(name string) (Kind, error) {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return d.pinned(name, name[:i])
	}
	for _, match := range []func(*Served) bool{
		func(s *Served) bool { return s.Kind.Kind == name },
		func(s *Served) bool { return s.Kind.Plural == name },
		func(s *Served) bool { return s.Kind.Group != "" && s.Kind.Resource() == name },
		func(s *Served) bool { return slices.Contains(s.ShortNames, name) },
	} {
		if k, found, err := choose(d.candidates(match), name); found || err != nil {
			return k, err
		}
	}
	err := noKind(d.kinds(), name)
	if unknown := d.unknown(); len(unknown) > 0 {
		return Kind{}, &unsureError{name, errors.Join(unknown...)}
	}
	return Kind{}, err
}

// pinned finds a kind by its full name.
func (d Discovery) pinned(name, version string) (Kind, error) {
	for i := range d.Resources {
		if k := d.Resources[i].Kind; k.String() == name {
			return k, nil
		}
	}
	for _, f := range d.Failures {
		if (Kind{Group: f.Group, Version: f.Version}).APIVersion() == version {
			return Kind{}, f
		}
	}
	return Kind{}, noKind(d.kinds(), name)
}

// candidates returns the first resource of each group that matches: one that is
// not stale, if there is any.
func (d Discovery) candidates(match func(*Served) bool) []Kind {
	var found []Kind
	for _, stale := range []bool{false, true} {
		for i := range d.Resources {
			if s := &d.Resources[i]; s.Stale == stale && match(s) {
				found = addGroup(found, s.Kind)
			}
		}
	}
	return found
}

func (d Discovery) kinds() []Kind {
	kinds := make([]Kind, len(d.Resources))
	for i := range d.Resources {
		kinds[i] = d.Resources[i].Kind
	}
	return kinds
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
	return "rest: kind \"" + e.name + "\" is not found, and not everything could be asked: " + causes
}

// Unwrap returns what could not be asked, and why.
func (e *unsureError) Unwrap() error { return e.causes }
