package tables

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// writeParts writes the table of subresources.
func writeParts(f *facts, b *bytes.Buffer) error {
	b.WriteString("package fakeapi\n\nimport \"github.com/tideway-go/tideway/rest\"\n\n")
	b.WriteString("// statusPart is the subresource that most kinds have.\n")
	b.WriteString("var statusPart = subresource{name: \"status\", verbs: []string{\"get\", \"patch\", \"update\"}}\n\n")
	b.WriteString("// builtinSubs are the subresources of the built-in kinds, by kind, as discovery has them.\n")
	b.WriteString("var builtinSubs = map[string][]subresource{\n")
	for _, kind := range slices.Sorted(maps.Keys(f.subs)) {
		fmt.Fprintf(b, "\t%q: {", kind)
		several := len(f.subs[kind]) > 1
		for _, p := range f.subs[kind] {
			if several {
				b.WriteString("\n\t\t")
			}
			b.WriteString(p.literal())
			if several {
				b.WriteString(",")
			}
		}
		if several {
			b.WriteString("\n\t")
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	return nil
}

// literal writes the subresource as a literal.
func (p *part) literal() string {
	if p.name == "status" && p.kind.Kind == "" && slices.Equal(p.verbs, []string{"get", "patch", "update"}) {
		return "statusPart"
	}
	fields := []string{fmt.Sprintf("name: %q", p.name)}
	if k := p.kind; k.Kind != "" {
		var kind []string
		for _, f := range []struct{ name, value string }{{"Group", k.Group}, {"Version", k.Version}, {"Kind", k.Kind}} {
			if f.value != "" {
				kind = append(kind, fmt.Sprintf("%s: %q", f.name, f.value))
			}
		}
		fields = append(fields, "kind: rest.Kind{"+strings.Join(kind, ", ")+"}")
	}
	return "{" + strings.Join(append(fields, "verbs: "+words(p.verbs)), ", ") + "}"
}
