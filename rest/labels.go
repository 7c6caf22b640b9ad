package rest

import (
	"slices"
	"strconv"
	"strings"
)

// LabelSelector selects objects by labels. The zero value selects everything.
type LabelSelector struct{ terms []labelTerm }

// labelTerm is one condition on one label.
type labelTerm struct {
	key    string
	op     string // one of the label operators
	values []string
	number int64 // of opGreater and opLess
}

// The operators of a label selector.
const (
	opExists  = ""
	opAbsent  = "!"
	opEquals  = "="
	opEquals2 = "=="
	opDiffers = "!="
	opIn      = "in"
	opNotIn   = "notin"
	opGreater = ">"
	opLess    = "<"
)

// Matches reports whether labels fulfil every condition. A missing label fulfils only !=, notin
// and "!".
func (s LabelSelector) Matches(labels map[string]string) bool {
	for i := range s.terms {
		if !s.terms[i].matches(labels) {
			return false
		}
	}
	return true
}

// Empty reports whether the selector selects everything.
func (s LabelSelector) Empty() bool { return len(s.terms) == 0 }

// String returns the selector in the syntax of [ParseLabels].
func (s LabelSelector) String() string {
	parts := make([]string, len(s.terms))
	for i := range s.terms {
		parts[i] = s.terms[i].String()
	}
	return strings.Join(parts, ",")
}

// String returns the condition in the syntax that is parsed.
func (t *labelTerm) String() string {
	switch t.op {
	case opExists:
		return t.key
	case opAbsent:
		return "!" + t.key
	case opIn, opNotIn:
		return t.key + " " + t.op + " (" + strings.Join(t.values, ",") + ")"
	}
	return t.key + t.op + t.values[0]
}

// matches reports whether labels fulfil the condition.
func (t *labelTerm) matches(labels map[string]string) bool {
	value, ok := labels[t.key]
	switch t.op {
	case opExists:
		return ok
	case opAbsent:
		return !ok
	case opDiffers, opNotIn:
		return !ok || !slices.Contains(t.values, value)
	case opGreater, opLess:
		n, err := strconv.ParseInt(value, 10, 64)
		return ok && err == nil && (t.op == opGreater && n > t.number || t.op == opLess && n < t.number)
	}
	return ok && slices.Contains(t.values, value)
}
