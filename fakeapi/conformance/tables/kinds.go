package tables

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// writeKinds writes the table of package rest: the built-in kinds, and the names of other types.
func writeKinds(f *facts, b *bytes.Buffer) error {
	kinds := slices.Clone(f.kinds)
	slices.SortStableFunc(kinds, func(a, b rest.Served) int {
		return strings.Compare(a.Kind.Group+" "+a.Kind.Kind, b.Kind.Group+" "+b.Kind.Kind)
	})
	b.WriteString("package rest\n\n")
	b.WriteString("// allVerbs are the verbs of most kinds.\n")
	fmt.Fprintf(b, "var allVerbs = %s\n\n", words(allVerbs))
	b.WriteString("// builtin is the table of built-in kinds, sorted by group and kind; of the versions of a kind, the one\n")
	b.WriteString("// that a current cluster prefers comes first.\n")
	b.WriteString("var builtin = []Served{\n")
	for _, k := range kinds {
		b.WriteString("\t" + entry(k) + ",\n")
	}
	b.WriteString("}\n\n")
	b.WriteString("// builtinParts names the types of the API that are not resources but parts of one, sorted.\n")
	b.WriteString("const builtinParts = \"\" +\n")
	lines := wrapped(parts(f))
	for i, line := range lines {
		if i < len(lines)-1 {
			fmt.Fprintf(b, "\t%q +\n", line+" ")
			continue
		}
		fmt.Fprintf(b, "\t%q\n", line)
	}
	return nil
}

// entry writes one resource, without its empty fields.
func entry(s rest.Served) string {
	var kind []string
	for _, f := range []struct{ name, value string }{
		{"Group", s.Kind.Group}, {"Version", s.Kind.Version}, {"Kind", s.Kind.Kind}, {"Plural", s.Kind.Plural},
	} {
		if f.value != "" {
			kind = append(kind, fmt.Sprintf("%s: %q", f.name, f.value))
		}
	}
	if s.Kind.Namespaced {
		kind = append(kind, "Namespaced: true")
	}
	fields := []string{"Kind: Kind{" + strings.Join(kind, ", ") + "}"}
	if s.Singular != "" {
		fields = append(fields, fmt.Sprintf("Singular: %q", s.Singular))
	}
	for _, f := range []struct {
		name   string
		values []string
	}{{"ShortNames", s.ShortNames}, {"Categories", s.Categories}, {"Subresources", s.Subresources}} {
		if len(f.values) > 0 {
			fields = append(fields, f.name+": "+words(f.values))
		}
	}
	if slices.Equal(s.Verbs, allVerbs) {
		fields = append(fields, "Verbs: allVerbs")
	} else {
		fields = append(fields, "Verbs: "+words(s.Verbs))
	}
	if s.OffByDefault {
		fields = append(fields, "OffByDefault: true")
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// allVerbs are the verbs of most kinds, sorted.
var allVerbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

// words writes a slice of strings.
func words(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(v)
	}
	return "[]string{" + strings.Join(quoted, ", ") + "}"
}

// parts returns the names of types that are not kinds, except those that rules of package rest
// recognise.
func parts(f *facts) []string {
	names := map[string]bool{}
	for name := range f.types.Definitions {
		names[last(name)] = true
	}
	for _, k := range f.kinds {
		for _, ending := range []string{"", "List", "Spec", "Status"} {
			delete(names, k.Kind.Kind+ending)
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// wrapped joins words to lines.
func wrapped(words []string) []string {
	const width = 110
	var lines []string
	for _, w := range words {
		if n := len(lines) - 1; n >= 0 && len(lines[n])+1+len(w) <= width {
			lines[n] += " " + w
		} else {
			lines = append(lines, w)
		}
	}
	return lines
}
