package rest

import "fmt"

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
	// OffByDefault tells that a cluster serves it only when it is asked to, by
	// a flag or a feature gate of the server. [Kinds] knows it of the built-in
	// kinds; it is false for all others.
	OffByDefault bool
	// Verbs are what can be done with it, zero where nobody told: a caller's
	// descriptor need not say.
	Verbs Verbs
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
		{"Kind", k.Kind},
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
