package watch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// A Condition says of an event whether what [Until] waits for has come true. It is called for every
// event, failures of the watch included, one after the other, and must not keep or change the
// event. [When] makes one from a function of the object; [PodReady], [RolledOut], [JobComplete],
// [Established], [Gone], [HasCondition] and [FieldIs] are ready-made; [All], [Any], [Not] and
// [Patient] compose them. One of your own is a function:
//
//	func(ev watch.Event[Node]) watch.Answer { return watch.Answer{Met: ev.Type == watch.Synced} }
type Condition[T any] func(ev Event[T]) Answer

// An Answer is what a [Condition] says of an event: it is met, it can no longer come true, or,
// which is the zero value, not yet.
type Answer struct {
	// Met says that the condition is fulfilled. The other fields are then ignored.
	Met bool
	// Never says why the condition can no longer come true; nil means that it still can.
	Never error
	// Missing says what is missing, in words. The error of Until repeats the last of these texts.
	Missing string
}

// When is a condition of the object: it is met by the first Added or Modified whose object fits,
// and can no longer come true once the object is deleted.
func When[T any](fits func(object *T) bool) Condition[T] {
	if fits == nil {
		panic("watch: When of a nil function")
	}
	return func(ev Event[T]) Answer {
		if answer, over := absent(ev); over {
			return answer
		}
		return Answer{Met: fits(ev.Object)}
	}
}

// absent answers for the events that carry no present object: a deletion ends the wait, and others
// say nothing.
func absent[T any](ev Event[T]) (Answer, bool) {
	switch {
	case deletes(ev):
		return Answer{Never: errors.New(subject(ev) + " was deleted, or no longer matches the selectors")}, true
	case ev.Object == nil || ev.Type != Added && ev.Type != Modified:
		return Answer{}, true
	}
	return Answer{}, false
}

// deletes reports whether an event says that an object is gone, be it that its last state does not
// decode.
func deletes[T any](ev Event[T]) bool {
	if ev.Type == Deleted {
		return true
	}
	broken, ok := errors.AsType[*DecodeError](ev.Err)
	if !ok || broken.Type != Deleted {
		return false
	}
	_, err := rest.Decode[T](ev.Raw) // an object of another kind is not what the watch is about
	return err != nil
}

// subject names the object of an event.
func subject[T any](ev Event[T]) string {
	if ev.Key.Name == "" {
		return "the object"
	}
	return ev.Key.String()
}

// All is met by an event that meets all of the conditions. It can no longer come true as soon as
// one of them cannot.
func All[T any](conditions ...Condition[T]) Condition[T] {
	conditions = parts("All", conditions)
	return func(ev Event[T]) Answer {
		answers := ask(conditions, ev)
		if wrong := misused(answers); wrong != nil {
			return Answer{Never: wrong}
		}
		all := Answer{Met: true}
		var missing []string
		for _, a := range answers {
			switch {
			case a.Met:
				continue
			case a.Never != nil && all.Never == nil:
				all.Never = a.Never
			case a.Missing != "":
				missing = append(missing, a.Missing)
			}
			all.Met = false
		}
		all.Missing = strings.Join(missing, "; ")
		return all
	}
}

// Any is met by an event that meets one of the conditions. It can no longer come true as soon as
// none of them can.
func Any[T any](conditions ...Condition[T]) Condition[T] {
	conditions = parts("Any", conditions)
	return func(ev Event[T]) Answer {
		answers := ask(conditions, ev)
		if wrong := misused(answers); wrong != nil {
			return Answer{Never: wrong}
		}
		var missing []string
		var never []error
		for _, a := range answers {
			switch {
			case a.Met:
				return Answer{Met: true}
			case a.Never != nil:
				never = append(never, a.Never)
			case a.Missing != "":
				missing = append(missing, a.Missing)
			}
		}
		if len(never) == len(answers) {
			return Answer{Never: &reasons{never}}
		}
		return Answer{Missing: strings.Join(missing, "; or ")}
	}
}

// Not is met by an Added or a Modified that does not meet the condition, and by any event that says
// that it can no longer come true. Not of [Gone] waits until an object exists.
func Not[T any](condition Condition[T]) Condition[T] {
	conditions := parts("Not", []Condition[T]{condition})
	return func(ev Event[T]) Answer {
		a := ask(conditions, ev)[0]
		if wrong := misused([]Answer{a}); wrong != nil {
			return Answer{Never: wrong}
		}
		object := ev.Object != nil && (ev.Type == Added || ev.Type == Modified)
		return Answer{Met: !a.Met && (a.Never != nil || object)}
	}
}

// Patient waits on where the condition can no longer come true: until a pod that was deleted has
// been created again under its name, or a rollout past its deadline succeeds after all.
func Patient[T any](condition Condition[T]) Condition[T] {
	conditions := parts("Patient", []Condition[T]{condition})
	return func(ev Event[T]) Answer {
		a := ask(conditions, ev)[0]
		if wrong := misused([]Answer{a}); wrong != nil || a.Never == nil {
			return Answer{Met: a.Met, Never: wrong, Missing: a.Missing}
		}
		return Answer{Met: a.Met, Missing: a.Never.Error()}
	}
}

// parts returns the parts of a composition.
func parts[T any](name string, conditions []Condition[T]) []Condition[T] {
	for _, c := range conditions {
		if c == nil {
			panic("watch: " + name + " of a nil condition")
		}
	}
	if len(conditions) == 0 {
		wrong := invalid("%s needs at least one condition", name)
		return []Condition[T]{func(Event[T]) Answer { return wrong }}
	}
	return slices.Clone(conditions)
}

// ask returns the answers of all conditions, since each of them is called for every event.
func ask[T any](conditions []Condition[T], ev Event[T]) []Answer {
	answers := make([]Answer, 0, len(conditions))
	for _, c := range conditions {
		answers = append(answers, c(ev))
	}
	return answers
}

// misused returns the error of a condition that is used wrongly, which no composition hides.
func misused(answers []Answer) error {
	for _, a := range answers {
		if !a.Met && errors.Is(a.Never, rest.ErrInvalidArgument) {
			return a.Never
		}
	}
	return nil
}

// invalid is the answer of a condition that is used wrongly.
func invalid(format string, args ...any) Answer {
	return Answer{Never: &optionError{fmt.Errorf(format, args...)}}
}

// reasons are several errors on one line.
type reasons struct{ errs []error }

func (r *reasons) Error() string {
	texts := make([]string, 0, len(r.errs))
	for _, err := range r.errs {
		if text := err.Error(); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return rest.OneLine(strings.Join(texts, "; and "))
}

func (r *reasons) Unwrap() []error { return r.errs }
