package rest

import (
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// ErrUnknownKind means that no resource has the name.
var ErrUnknownKind = errors.New("unknown kind")

// ErrNotResource means that the name belongs to a type that is not a resource: "PodList",
// "PodSpec", "DeleteOptions".
var ErrNotResource = errors.New("not a resource")

// Kinds returns the built-in resources of Kubernetes 1.37, sorted by group and kind; the version
// that a cluster prefers comes first. Alpha and beta ones are included: see [Served].OffByDefault.
func Kinds() iter.Seq[Served] {
	return func(yield func(Served) bool) {
		for i := range builtin {
			if !yield(builtin[i].clone()) {
				return
			}
		}
	}
}

// Lookup finds a built-in kind by its name. It sends nothing. A bare Kind ("Pod") means the version
// that a current cluster prefers; "v1/Pod" and "apps/v1/Deployment" pin the version. If several
// groups have a Kind, the core group wins: "Event" is "v1/Event". Kinds are case-sensitive.
//
// The error matches [ErrUnknownKind] if the table does not have the name, and [ErrNotResource] if
// the type is not a resource. For custom resources use [ForKind], or [Options].Kinds or Discovery.
func Lookup(name string) (Kind, error) {
	s, err := named(builtin, name, byKind(name))
	switch {
	case err != nil:
		return Kind{}, invalid(err)
	case s == nil:
		return Kind{}, invalid(noKind(builtin, name, waysOut))
	}
	return s.Kind, nil
}

// What an unknown name may need.
const (
	waysOut   = "it is not built in; for a custom resource use ForKind, Options.Kinds or Options.Discovery"
	notServed = "the server does not serve it"
)

// noKind explains why no resource has the name. The hint says what to do if nothing is similar.
func noKind(resources []Served, name, hint string) error {
	bare := name[strings.LastIndexByte(name, '/')+1:]
	if bare != name {
		var same []*Served
		for i := range resources {
			if s := &resources[i]; s.Kind.Kind == bare {
				same = append(same, s)
			}
		}
		if len(same) > 0 {
			return line.Errorf("rest: %w %q: known are %s", ErrUnknownKind, name, fullNames(same))
		}
	}
	for i := range resources {
		switch k := &resources[i].Kind; {
		case bare == k.Kind+"List", bare == k.Kind+"Spec", bare == k.Kind+"Status":
			return line.Errorf("rest: %q is %w; did you mean %s?", name, ErrNotResource, k.Kind)
		case strings.EqualFold(name, k.Kind), strings.EqualFold(name, k.Plural):
			return line.Errorf("rest: %w %q: did you mean %q?", ErrUnknownKind, name, k.Kind)
		}
	}
	if slices.Contains(strings.Fields(builtinParts), bare) {
		return line.Errorf("rest: %q is %w, but a type used in resources", name, ErrNotResource)
	}
	return line.Errorf("rest: %w %q: %s", ErrUnknownKind, name, hint)
}

// isCustom reports whether the group is not one of Kubernetes' own, so that its kinds are not known
// to have a strategic merge patch.
func (k *Kind) isCustom() bool {
	if !strings.Contains(k.Group, ".") {
		return false // custom groups have a dot
	}
	return !slices.ContainsFunc(builtin, func(s Served) bool { return s.Kind.Group == k.Group })
}
