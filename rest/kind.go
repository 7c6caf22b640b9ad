package rest

import (
	"cmp"
	"fmt"
)

// Kind names one resource of an API: its group, version and kind, the plural in its paths, and
// whether its objects live in namespaces. Two equal Kinds are the same place, so a Kind can be
// compared and be the key of a map. What a server says besides is in [Served].
type Kind struct {
	// Group is the API group, "" for the core group.
	Group string
	// Version is the version of the group: "v1".
	Version string
	// Kind is the name of the type: "Pod".
	Kind string
	// Plural is the name of the resource in paths: "pods".
	Plural string
	// Namespaced is set if the objects live in namespaces.
	Namespaced bool
}

// APIVersion returns group and version as objects write them: "v1", "apps/v1".
func (k Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// Resource returns plural and group as errors write them: "pods", "deployments.apps".
func (k Kind) Resource() string {
	if k.Group == "" {
		return k.Plural
	}
	return k.Plural + "." + k.Group
}

// String returns the name that pins the version: "v1/Pod", "apps/v1/Deployment".
func (k Kind) String() string { return k.APIVersion() + "/" + k.Kind }

// check reports what is missing in a descriptor, or cannot be put into a path.
func (k Kind) check() error {
	fields := []struct{ name, value string }{{"Version", k.Version}, {"Kind", k.Kind}, {"Plural", k.Plural}}
	for _, f := range fields {
		if f.value == "" {
			return fmt.Errorf("kind %q: %s is empty", k.String(), f.name)
		}
	}
	fields = append(fields, struct{ name, value string }{"Group", cmp.Or(k.Group, "core")})
	for _, f := range fields {
		if err := checkSegment(f.value); err != nil {
			return fmt.Errorf("kind %q: %s %w", k.String(), f.name, err)
		}
	}
	return nil
}
