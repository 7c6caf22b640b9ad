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

// ErrNotResource is matched by the error of a name that the API has, but not
// for a resource: "PodList", "PodSpec", "DeleteOptions".
var ErrNotResource = errors.New("not a resource")

// Kinds returns the built-in kinds of Kubernetes 1.37, sorted by group, kind,
// and version as a cluster prefers them. Alpha and beta ones are among them;
// [Kind].OffByDefault tells them.
func Kinds() iter.Seq[Kind] { return slices.Values(builtin) }

// Lookup finds a built-in kind by its name, without any request.
//
// A bare Kind ("Pod") means the version that a current cluster prefers;
// "v1/Pod" and "apps/v1/Deployment" pin the version. Where several groups have
// a Kind, the core group is meant ("Event" is "v1/Event"). Kinds are
// case-sensitive.
//
// The error of a name that is not in the table matches [ErrUnknownKind], that of
// a type which is no resource [ErrNotResource]. A resource of a custom kind is
// described by a [Kind], in [Options].Kinds or in [ForKind], or is found by
// [Client.Discover].
func Lookup(name string) (Kind, error) { return lookup(nil, name) }

// lookup asks the caller's kinds, then the built-in table.
func lookup(own []Kind, name string) (Kind, error) {
	for _, kinds := range [][]Kind{own, builtin} {
		if k, found, err := find(slices.Values(kinds), name); found || err != nil {
			return k, err
		}
	}
	return Kind{}, noKind(slices.Concat(own, builtin), name)
}

// find finds a kind by a bare name or by one that pins its version. Of the
// kinds of a group the first one counts.
func find(kinds iter.Seq[Kind], name string) (k Kind, found bool, err error) {
	pinned := strings.Contains(name, "/")
	var candidates []Kind
	for k := range kinds {
		switch {
		case pinned && k.String() == name:
			return k, true, nil
		case !pinned && k.Kind == name:
			candidates = addGroup(candidates, k)
		}
	}
	return choose(candidates, name)
}

// addGroup adds a kind of a group that is not there yet.
func addGroup(kinds []Kind, k Kind) []Kind {
	if slices.ContainsFunc(kinds, func(other Kind) bool { return other.Group == k.Group }) {
		return kinds
	}
	return append(kinds, k)
}

// olderGroup is a group whose kinds have moved to others, and which old servers
// serve beside them.
const olderGroup = "extensions"

// choose chooses among kinds of several groups: core first, then the one that is
// no older duplicate.
func choose(candidates []Kind, name string) (k Kind, found bool, err error) {
	for _, k := range candidates {
		if k.Group == "" {
			return k, true, nil
		}
	}
	if len(candidates) > 1 {
		candidates = slices.DeleteFunc(candidates, func(k Kind) bool { return k.Group == olderGroup })
	}
	switch len(candidates) {
	case 0:
		return Kind{}, false, nil
	case 1:
		return candidates[0], true, nil
	}
	return Kind{}, false, fmt.Errorf("rest: kind %q is of several groups: name one of %s", name, strings.Join(fullNames(candidates), ", "))
}

// noKind explains why no kind has the name.
func noKind(kinds []Kind, name string) error {
	bare := name[strings.LastIndexByte(name, '/')+1:]
	var same []Kind
	for _, k := range kinds {
		if k.Kind == bare && bare != name {
			same = append(same, k)
		}
	}
	if len(same) > 0 {
		return fmt.Errorf("rest: %w %q: known are %s", ErrUnknownKind, name, strings.Join(fullNames(same), ", "))
	}
	for _, k := range kinds {
		switch {
		case bare == k.Kind+"List", bare == k.Kind+"Spec", bare == k.Kind+"Status":
			return fmt.Errorf("rest: %q is %w, but a part of %s", name, ErrNotResource, k.Kind)
		case strings.EqualFold(name, k.Kind), strings.EqualFold(name, k.Plural):
			return fmt.Errorf("rest: %w %q: did you mean %q?", ErrUnknownKind, name, k.Kind)
		}
	}
	if isPart(bare) {
		return fmt.Errorf("rest: %q is %w, but a type that resources are made of", name, ErrNotResource)
	}
	return fmt.Errorf("rest: %w %q", ErrUnknownKind, name)
}

// isPart tells whether the API has a type of that name which is no resource.
func isPart(name string) bool {
	for part := range strings.SplitSeq(builtinParts, " ") {
		if part == name {
			return true
		}
	}
	return false
}

// fullNames returns the names that pin the versions.
func fullNames(kinds []Kind) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	return names
}
