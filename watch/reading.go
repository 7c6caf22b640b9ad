package watch

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// about asks a function about what it reads, a V, of the present object of an event. sample is JSON
// with every field that it needs.
func about[V, T any](ev Event[T], sample string, judge func(v *V) Answer) Answer {
	if answer, over := absent(ev); over {
		return answer
	}
	v, wrong := read(ev, sample, func(v *V) any { return v })
	if v == nil {
		return wrong
	}
	return judge(v)
}

// read reads a V from the JSON of the object, or from what T holds of it, if what matters of the
// sample survives there.
func read[V, T any](ev Event[T], sample string, matters func(v *V) any) (*V, Answer) {
	raw := ev.Raw
	if raw == nil {
		if !holds[V, T](sample, matters) {
			return nil, invalid("%v cannot hold the fields that the condition reads, as in %s; use a type that can, or Options.Raw",
				reflect.TypeFor[T](), sample)
		}
		var err error
		if raw, err = rest.Encode(ev.Object); err != nil {
			return nil, invalid("%v cannot be encoded: %w", reflect.TypeFor[T](), err)
		}
	}
	v, err := rest.Decode[V](raw)
	if err != nil {
		return nil, Answer{Never: &unreadable{subject(ev), err}}
	}
	return v, Answer{}
}

// holds reports whether what matters of a V in JSON survives in a T.
func holds[V, T any](sample string, matters func(v *V) any) bool {
	want, err := rest.Decode[V]([]byte(sample))
	if err != nil {
		return false
	}
	held, err := rest.Decode[T]([]byte(sample))
	if err != nil {
		return false
	}
	raw, err := rest.Encode(held)
	if err != nil {
		return false
	}
	got, err := rest.Decode[V](raw)
	return err == nil && same(matters(want), matters(got))
}

// same reports whether the JSON of two values is the same.
func same(a, b any) bool {
	left, err := rest.Encode(a)
	if err != nil {
		return false
	}
	right, err := rest.Encode(b)
	return err == nil && bytes.Equal(left, right)
}

// unreadable is the reason of a condition that cannot read the object.
type unreadable struct {
	subject string
	err     error
}

func (e *unreadable) Error() string { return e.subject + " cannot be read: " + e.err.Error() }
func (e *unreadable) Unwrap() error { return e.err }

// ofKind answers for the objects of other kinds than the condition is made for.
func ofKind[T any](ev Event[T], condition string, kinds ...string) (Answer, bool) {
	if ev.Key.Kind == "" || slices.Contains(kinds, ev.Key.Kind) {
		return Answer{}, true
	}
	return invalid("%s is for %s, not for %s", condition, strings.Join(kinds, ", "), ev.Key.Kind), false
}

// condition is an element of status.conditions.
type condition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	Reason             string `json:"reason"`
	Message            string `json:"message"`
	ObservedGeneration int64  `json:"observedGeneration"`
}

// text returns what a condition says, as "Ready is False: Reason: message".
func (c *condition) text() string { return joined(c.Type+" is "+c.Status, c.Reason, c.Message) }

// joined joins the texts that are not empty with colons.
func joined(texts ...string) string {
	var some []string
	for _, t := range texts {
		if t != "" {
			some = append(some, t)
		}
	}
	return strings.Join(some, ": ")
}

// conditioned is what conditions by type and status read of an object.
type conditioned struct {
	Metadata struct {
		Generation int64 `json:"generation"`
	} `json:"metadata"`
	Status struct {
		ObservedGeneration int64       `json:"observedGeneration"`
		Conditions         []condition `json:"conditions"`
	} `json:"status"`
}

const conditionedSample = `{"status":{"conditions":[{"type":"t","status":"s"}]}}`

// find returns the condition of a type, nil if there is none.
func (o *conditioned) find(typ string) *condition {
	for i := range o.Status.Conditions {
		if strings.EqualFold(o.Status.Conditions[i].Type, typ) {
			return &o.Status.Conditions[i]
		}
	}
	return nil
}

// has answers whether the condition of a type has a status, and whether that is about the present
// spec.
func (o *conditioned) has(typ, status string) Answer {
	c := o.find(typ)
	if c == nil {
		return Answer{Missing: "it has no condition " + typ}
	}
	observed := c.ObservedGeneration
	if observed == 0 {
		observed = o.Status.ObservedGeneration
	}
	switch {
	case observed != 0 && observed < o.Metadata.Generation:
		return Answer{Missing: "the newest spec has not been observed, and " + c.text()}
	case !strings.EqualFold(c.Status, status):
		return Answer{Missing: c.text()}
	}
	return Answer{Met: true}
}
