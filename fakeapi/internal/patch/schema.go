package patch

import "strings"

// Schema is what a strategic merge patch has to know of one type, in the notation of the generated
// table. An empty Schema knows nothing: objects are merged and lists replaced.
type Schema string

// SchemaOf returns the schema of a built-in kind, such as "apps/v1/Deployment".
func SchemaOf(kind string) Schema { return Schema(types[kind]) }

// memberRule is what a strategic merge patch has to know of one member.
type memberRule struct {
	below    Schema // of the value, or of the items
	list     bool   // merged, by the key or value by value
	key      string
	required bool // written even if it is empty
	values   bool // a map of values
	closed   bool // a map of objects or lists, which cannot be merged
	replace  bool
	opaque   string // the name of a type without members
}

// rule returns the rule of a member.
func (s Schema) rule(name string) memberRule {
	for word := range strings.FieldsSeq(string(s)) {
		n := strings.IndexAny(word, "[{=?>")
		if n < 0 || word[:n] != name {
			continue
		}
		word, below, _ := strings.Cut(word[n:], ">")
		rule := memberRule{below: SchemaOf(below), required: strings.HasSuffix(word, "!")}
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
	return memberRule{}
}
