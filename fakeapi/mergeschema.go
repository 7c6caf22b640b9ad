package fakeapi

import "strings"

//go:generate go -C conformance run ./cmd/mergekeys ../mergekeys.go

// mergeSchema is what a strategic merge patch knows of one type; "" knows
// nothing, and merges objects and replaces lists.
type mergeSchema string

// mergeRule is what a strategic merge patch knows of one member.
type mergeRule struct {
	below    mergeSchema // of the value, or of the items
	list     bool        // merged, by the key or value by value
	key      string
	required bool // written when it is empty
	values   bool // a map of values
	closed   bool // a map whose members are no values, which cannot be merged
	replace  bool
	opaque   string // the name of a type without members
}

// mergeSchemaOf returns what is known of a kind.
func mergeSchemaOf(r *resource) mergeSchema { return mergeSchema(mergeTypes[r.kind.String()]) }

// rule finds a member.
func (s mergeSchema) rule(name string) mergeRule {
	for word := range strings.FieldsSeq(string(s)) {
		n := strings.IndexAny(word, "[{=?>")
		if n < 0 || word[:n] != name {
			continue
		}
		word, below, _ := strings.Cut(word[n:], ">")
		rule := mergeRule{below: mergeSchema(mergeTypes[below]), required: strings.HasSuffix(word, "!")}
		switch {
		case strings.HasPrefix(word, "["):
			rule.list = true
			rule.key = strings.TrimRight(word[1:], "]!")
		case strings.HasPrefix(word, "?"):
			rule.opaque = word[1:]
		}
		rule.values, rule.closed, rule.replace = word == "{}", word == "{:}", word == "="
		return rule
	}
	return mergeRule{}
}
