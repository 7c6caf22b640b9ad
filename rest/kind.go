package rest

import (
	"cmp"
	"fmt"
)

// Kind names one resource of an API. Equal Kinds are the same place, so a Kind can be the key of a
// map. [Served] says more about a resource.
type Kind struct {
	Group      string // "" for the core group
	Version    string // of the group: "v1"
	Kind       string // the name of the type: "Pod"
	Plural     string // the name of the resource in paths: "pods"
	Namespaced bool   // the objects live in namespaces
}

// APIVersion returns group and version as objects write them: "v1", "apps/v1".
func (k Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// Resource returns plural and group: "pods", "deployments.apps".
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
	fields := []struct{ name, value string }{
		{"Version", k.Version}, {"Kind", k.Kind}, {"Plural", k.Plural}, {"Group", cmp.Or(k.Group, "core")},
	}
	for _, f := range fields {
		if f.value == "" {
			return fmt.Errorf("kind %q: %s is empty", k.String(), f.name)
		}
	}
	for _, f := range fields {
		if err := checkSegment(f.value); err != nil {
			return fmt.Errorf("kind %q: %s %w", k.String(), f.name, err)
		}
	}
	return nil
}
