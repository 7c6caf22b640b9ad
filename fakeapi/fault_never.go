package fakeapi

import (
	"fmt"
	"slices"
	"strings"
)

// moment is when a fault happens to a request, other than at its own moment.
type moment string

const (
	beforeHeaders moment = "BeforeHeaders"
	afterEvents   moment = "AfterEvents"
	afterBytes    moment = "AfterBytes"
	afterTime     moment = "After"
)

// verbs are those that requests for resources can have.
var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

// target is what a request is for, as far as faults can choose. Without a resource it is for
// something else, such as discovery.
type target struct {
	verb, resource, sub string
	named, namespaced   bool
}

// targets calls yield for all that a request can be for.
func (s *Server) targets(yield func(target) bool) {
	if !yield(target{}) {
		return
	}
	for _, r := range s.store.order {
		t := target{resource: r.kind.Resource(), namespaced: r.kind.Namespaced}
		for _, verb := range r.verbs() {
			t.verb, t.named = verb, slices.Contains([]string{"get", "update", "patch", "delete"}, verb)
			if !yield(t) {
				return
			}
		}
		subs := r.subs()
		for _, name := range r.served.Subresources {
			if !slices.ContainsFunc(subs, func(sub subresource) bool { return sub.name == name }) {
				subs = append(subs, subresource{name: name, verbs: []string{"get", "create", "update", "patch", "delete"}})
			}
		}
		for _, sub := range subs {
			for _, verb := range sub.verbs {
				if !yield(target{verb: verb, resource: t.resource, sub: sub.name, named: true, namespaced: t.namespaced}) {
					return
				}
			}
		}
	}
}

// covers reports whether a target can be chosen: the names of the object and of its namespace are
// not looked at.
func (m *matcher) covers(t target) bool {
	resource, sub, ofSub := strings.Cut(m.resource, "/")
	below, _, _ := strings.Cut(t.sub, "/") // of a proxy, the rest is the path
	return isChosen(m.verb, t.verb) && isChosen(resource, t.resource) && (!ofSub || sub == below) &&
		(m.namespace == "" || t.namespaced) && (m.name == "" || t.named)
}

// isChosen reports whether a word is chosen.
func isChosen(want, have string) bool { return want == "" || want == "*" || want == have }

// never says why a fault can never happen to a request, and what would; "" if it can.
func (s *Server) never(f *Fault) string {
	switch {
	case f.name == "":
		return "a Fault is made by a function of this package"
	case f.wrong != "":
		return f.wrong
	}
	if why := f.never(); why != "" {
		return why
	}
	if slices.Contains(f.when, afterEvents) || slices.Contains(f.when, afterTime) {
		f.watches = true
	}
	m := &f.match
	if m.verb != "" && m.verb != "*" && !slices.Contains(verbs, m.verb) {
		return fmt.Sprintf("no request has the verb %q: want one of %s", m.verb, strings.Join(verbs, ", "))
	}
	all := slices.Collect(s.targets)
	if why := m.unknown(all); why != "" {
		return why
	}
	chosen := slices.DeleteFunc(all, func(t target) bool { return !m.covers(t) })
	if len(chosen) == 0 {
		return m.nothing()
	}
	if f.watches && !slices.ContainsFunc(chosen, func(t target) bool { return t.verb == "watch" }) {
		return f.needsWatch()
	}
	return ""
}

// never says why a fault cannot happen at its moments, whatever the request is.
func (f *Fault) never() string {
	for _, m := range f.when {
		if !slices.Contains(f.can, m) {
			return f.notAt(m)
		}
		if m == beforeHeaders && len(f.when) > 1 {
			return f.name + " is BeforeHeaders already: no other moment can come first"
		}
	}
	return ""
}

// unknown says what is wrong with the resource that was chosen, and its verb.
func (m *matcher) unknown(all []target) string {
	if m.resource == "" || m.resource == "*" {
		return ""
	}
	resource, sub, ofSub := strings.Cut(m.resource, "/")
	served := slices.DeleteFunc(slices.Clone(all), func(t target) bool { return t.resource != resource })
	subs := distinct(served, func(t target) string { return t.sub })
	have := distinct(served, func(t target) string {
		if ofSub && t.sub != sub {
			return ""
		}
		return t.verb
	})
	switch {
	case len(served) == 0:
		return fmt.Sprintf("no resource is called %q: want a plural and its group, such as pods or deployments.apps", m.resource)
	case len(have) == 0 && len(subs) == 0:
		return resource + " has no subresources"
	case len(have) == 0:
		return fmt.Sprintf("%s has no subresource %q: it has %s", resource, sub, strings.Join(subs, ", "))
	case m.verb != "" && m.verb != "*" && !slices.Contains(have, m.verb):
		return fmt.Sprintf("%s does not have the verb %q: it has %s", m.resource, m.verb, strings.Join(have, ", "))
	}
	return ""
}

// distinct returns what targets have, each word once.
func distinct(all []target, word func(target) string) []string {
	var out []string
	for _, t := range all {
		if w := word(t); w != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// nothing says why no request is chosen although verb and resource are known.
func (m *matcher) nothing() string {
	switch {
	case m.namespace == "":
		return fmt.Sprintf("a %s does not name an object: use When instead of Named", m.verb)
	case m.name == "":
		return m.resource + " has no namespaces: leave In out"
	}
	return "no such request names an object in a namespace: leave out Named or In"
}

// notAt says why the fault cannot happen at a moment.
func (f *Fault) notAt(m moment) string {
	switch {
	case f.refuse != nil && m == afterEvents:
		return f.name + " is an answer, and has no events before it: use ErrorEvent for a refusal in a watch"
	case f.refuse != nil:
		return fmt.Sprintf("%s is the whole answer: it has no moment %s; use Delay to send it later, or Cut to stop an answer", f.name, m)
	case len(f.can) == 0:
		return fmt.Sprintf("%s is about the whole answer: it has no moment %s", f.name, m)
	}
	can := make([]string, len(f.can))
	for i, c := range f.can {
		can[i] = string(c)
	}
	return fmt.Sprintf("%s cannot happen at %s, but at %s", f.name, m, strings.Join(can, ", "))
}

// needsWatch says that the fault only happens to watches, and which would do.
func (f *Fault) needsWatch() string {
	what, use := []string{f.name}, ""
	for _, m := range f.when {
		if m == afterEvents || m == afterTime {
			what = append(what, string(m))
			use = ", or AfterBytes for other answers"
		}
	}
	return fmt.Sprintf("only a watch has events over time, so that %s cannot happen to a %s: use On(\"watch\", ...)%s", strings.Join(what, "."), f.match.verb, use)
}
