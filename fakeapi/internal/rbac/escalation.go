package rbac

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// everything is the rules of those who may do everything.
var everything = []Rule{
	{Verbs: []string{"*"}, Groups: []string{"*"}, Resources: []string{"*"}},
	{Verbs: []string{"*"}, URLs: []string{"*"}},
}

// The errors of an [Escalation].
type (
	// DeniedError says which rights somebody would grant without having them.
	DeniedError struct{ Message string }
	// UnfilledError names an aggregated role without rules that the answer depends on.
	UnfilledError struct{ Role string }
	// RoleNotFoundError names a role that is to be bound but does not exist.
	RoleNotFoundError struct{ Role string }
	// RoleKindError is the kind that a binding refers to if it is not the kind of a role.
	RoleKindError struct{ Kind string }
)

// Error returns the message.
func (e *DeniedError) Error() string { return e.Message }

// Error names the role.
func (e *UnfilledError) Error() string {
	return fmt.Sprintf("the rules of the aggregated cluster role %q, which a controller would fill in", e.Role)
}

// Error names the role.
func (e *RoleNotFoundError) Error() string { return fmt.Sprintf("role %q not found", e.Role) }

// Error names the kind.
func (e *RoleKindError) Error() string {
	return fmt.Sprintf("unsupported role reference kind: %q", e.Kind)
}

// Escalation judges whether somebody may store a role or a binding. Nobody grants rights that they
// do not have, except those with the verbs escalate and bind.
type Escalation struct {
	Source Source
	// Access is that of the request: who asks, and for which role or binding.
	Access Access
}

// Check refuses new content of a role or a binding, whose defaults are filled in; old is nil if it
// is created. The error is one of this package.
func (e *Escalation) Check(old, content rest.Object) error {
	switch {
	case slices.Contains(e.Access.Groups, Masters), onlyCollects(old, content):
		return nil
	case e.Access.Resource == "roles", e.Access.Resource == "clusterroles":
		return e.checkRole(old, content)
	}
	SetBindingDefaults(content)
	return e.checkBinding(content)
}

// checkBinding refuses to bind a role whose rules the user does not have.
func (e *Escalation) checkBinding(content rest.Object) error {
	ref := rest.Object(content.Map("roleRef"))
	role, ok := referred(e.Source, ref, e.Access.Namespace)
	if !ok {
		return &RoleKindError{ref.String("kind")}
	}
	bind := Access{
		User: e.Access.User, Groups: e.Access.Groups, Verb: "bind", Group: ref.String("apiGroup"),
		Resource: strings.ToLower(ref.String("kind")) + "s", Namespace: e.Access.Namespace, Name: ref.String("name"),
	}
	switch {
	case Decide(e.Source, bind).Allowed:
		return nil
	case role == nil:
		return &RoleNotFoundError{bind.Name}
	case isUnfilled(role):
		return &UnfilledError{bind.Name}
	}
	return e.covered(RulesOf(role))
}

// checkRole refuses a role with rules that the user does not have.
func (e *Escalation) checkRole(old, content rest.Object) error {
	escalate := e.Access
	escalate.Verb, escalate.Subresource = "escalate", ""
	if Decide(e.Source, escalate).Allowed {
		return nil
	}
	err := e.covered(RulesOf(content))
	if err != nil || !gathers(content) && !gathers(old) {
		return err
	}
	err = e.covered(everything)
	if _, denied := err.(*DeniedError); denied { //nolint:errorlint // an error of this package, never wrapped
		return &DeniedError{"must have cluster-admin privileges to use the aggregationRule"}
	}
	return err
}

// gathers reports whether a role takes over the rules of others.
func gathers(role rest.Object) bool {
	return len(role.Slice("aggregationRule", "clusterRoleSelectors")) > 0
}

// covered refuses rules that the user does not have.
func (e *Escalation) covered(rules []Rule) error {
	user, groups := e.Access.User, e.Access.Groups
	has := GrantsOf(e.Source, user, groups, e.Access.Namespace)
	var lacking []Rule
	for _, r := range rules {
		for _, a := range r.atoms() {
			if !slices.ContainsFunc(has.Rules, func(g Grant) bool { return g.covers(&a) }) {
				lacking = append(lacking, a)
			}
		}
	}
	switch {
	case len(lacking) == 0:
		return nil
	case has.Unfilled != "":
		return &UnfilledError{has.Unfilled}
	}
	lines := make([]string, 0, len(lacking))
	for _, r := range compact(lacking) {
		lines = append(lines, r.String())
	}
	slices.Sort(lines)
	text := fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s",
		user, groups, strings.Join(slices.Compact(lines), "\n"))
	if problems := has.Problems(e.Access.Resource); problems != "" {
		text += "; resolution errors: [" + problems + "]"
	}
	return &DeniedError{text}
}

// onlyCollects reports whether a change is one that garbage collectors make.
func onlyCollects(old, content rest.Object) bool {
	return old != nil && value.SameMap(old, content, "metadata", "kind", "apiVersion") &&
		value.SameMap(old.Map("metadata"), content.Map("metadata"), "ownerReferences", "finalizers", "selfLink", "managedFields")
}
