package rest

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// ErrUnknownKind is matched by the error of a name that no resource has.
var ErrUnknownKind = errors.New("unknown kind")

// Kind describes one resource that a server serves.
type Kind struct {
	// Group is the API group, "" for the core group.
	Group string
	// Version is the version of the group: "v1".
	Version string
	// Kind is the name of the type: "Pod".
	Kind string
	// Plural is the name of the resource in paths: "pods".
	Plural string
	// Namespaced tells that the objects live in namespaces.
	Namespaced bool
	// Status tells that there is a status subresource.
	Status bool
}

// APIVersion returns group and version as objects name them: "v1", "apps/v1".
func (k Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// Resource returns plural and group as errors name them: "pods",
// "deployments.apps".
func (k Kind) Resource() string {
	if k.Group == "" {
		return k.Plural
	}
	return k.Plural + "." + k.Group
}

// String returns the name that pins the version: "v1/Pod",
// "apps/v1/Deployment".
func (k Kind) String() string { return k.APIVersion() + "/" + k.Kind }

// check tells what is missing in a descriptor, or cannot be put into a path.
func (k Kind) check() error {
	for _, f := range []struct{ name, value string }{
		{"Version", k.Version},
		{"Kind", k.Kind},
		{"Plural", k.Plural},
	} {
		if f.value == "" {
			return fmt.Errorf("kind %q: %s is empty", k.String(), f.name)
		}
	}
	for _, f := range []struct{ name, value string }{
		{"Group", k.Group},
		{"Version", k.Version},
		{"Plural", k.Plural},
	} {
		if f.value == "" {
			continue
		}
		if err := checkSegment(f.value); err != nil {
			return fmt.Errorf("kind %q: %s %w", k.String(), f.name, err)
		}
	}
	return nil
}

// Kinds returns the built-in kinds, sorted by group, kind, and version as a
// cluster prefers them.
func Kinds() iter.Seq[Kind] { return slices.Values(builtin) }

// Lookup finds a built-in kind by its name, without any request.
//
// A bare Kind ("Pod") means the version that a current cluster prefers;
// "v1/Pod" and "apps/v1/Deployment" pin the version. Kinds are case-sensitive.
// The error of a name that is not in the table matches [ErrUnknownKind]; a
// resource of a custom kind is described by a [Kind] instead.
func Lookup(name string) (Kind, error) {
	var found []Kind
	for _, k := range builtin {
		if k.Kind == name && !slices.ContainsFunc(found, func(f Kind) bool { return f.Group == k.Group }) {
			found = append(found, k)
		}
		if k.String() == name {
			return k, nil
		}
	}
	switch len(found) {
	case 0:
		return Kind{}, unknownKind(name)
	case 1:
		return found[0], nil
	}
	// Core first, then the group that is no older duplicate: the one case
	// among the built-in kinds is Event, which is of the core.
	if found[0].Group == "" {
		return found[0], nil
	}
	names := make([]string, len(found))
	for i, k := range found {
		names[i] = k.String()
	}
	return Kind{}, fmt.Errorf("rest: kind %q is served by several groups: %s", name, strings.Join(names, ", "))
}

// unknownKind explains why no resource has the name.
func unknownKind(name string) error {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		if served := versionsOf(name[i+1:]); len(served) > 0 {
			return fmt.Errorf("rest: %w %q: known are %s", ErrUnknownKind, name, strings.Join(served, ", "))
		}
	}
	for _, k := range builtin {
		switch {
		case name == k.Kind+"List", name == k.Kind+"Spec", name == k.Kind+"Status":
			return fmt.Errorf("rest: %w %q: not a resource, but a part of %s", ErrUnknownKind, name, k.Kind)
		case strings.EqualFold(name, k.Kind), strings.EqualFold(name, k.Plural):
			return fmt.Errorf("rest: %w %q: did you mean %q?", ErrUnknownKind, name, k.Kind)
		}
	}
	if strings.HasSuffix(name, "Options") || name == "Status" || name == "List" {
		return fmt.Errorf("rest: %w %q: not a resource", ErrUnknownKind, name)
	}
	return fmt.Errorf("rest: %w %q", ErrUnknownKind, name)
}

// versionsOf returns the full names of the built-in kinds called kind.
func versionsOf(kind string) []string {
	var names []string
	for _, k := range builtin {
		if k.Kind == kind {
			names = append(names, k.String())
		}
	}
	return names
}
