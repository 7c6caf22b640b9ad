package tables

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// usual asks a server without any flags for what it serves, and measures it.
func (c *client) usual(ctx context.Context) (*facts, error) {
	f, err := c.discovered(ctx)
	if err != nil {
		return nil, err
	}
	f.traits, err = c.measure(ctx, f.kinds, func(*rest.Served) bool { return true })
	return f, err
}

// others asks a server that serves everything, and measures the kinds that are off by default.
func (f *facts) others(c *client, ctx context.Context) (*facts, error) { //nolint:revive // called as a method of the client
	all, err := c.facts(ctx)
	if err != nil {
		return nil, err
	}
	all.traits, err = c.measure(ctx, all.kinds, func(s *rest.Served) bool {
		_, done := f.traits[s.Kind]
		return !done
	})
	maps.Copy(all.traits, f.traits)
	maps.Copy(all.subs, f.subs)
	return all, err
}

// writeTraits writes the table of the traits of all kinds, by resource. The versions of a kind have
// the same ones, or have rows of their own.
func writeTraits(f *facts, b *bytes.Buffer) error {
	b.WriteString("package fakeapi\n\n")
	b.WriteString("// measuredTraits are the traits of the built-in resources, by plural and group. A version that differs\n")
	b.WriteString("// from the preferred one has a row of its own, by kind.\n")
	b.WriteString("var measuredTraits = map[string]traits{\n")
	rows := map[string]*traits{}
	for _, k := range f.kinds { // the preferred version comes first
		t, ok := f.traits[k.Kind]
		if !ok {
			continue
		}
		switch first, ok := rows[k.Kind.Resource()]; {
		case !ok:
			rows[k.Kind.Resource()] = &t
		case first.literal() != t.literal():
			rows[k.Kind.String()] = &t
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(b, "\t%q: {%s},\n", name, rows[name].literal())
	}
	b.WriteString("}\n")
	return nil
}

// literal writes the traits as fields of a literal, without those that are empty.
func (t *traits) literal() string {
	var fields []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"generation", t.generation},
		{"returns", t.returns},
		{"orphans", t.orphans},
		{"independent", t.independent},
		{"conditional", t.conditional},
		{"creates", t.creates},
		{"status", t.status},
		{"placeless", t.placeless},
	} {
		if f.set {
			fields = append(fields, f.name+": true")
		}
	}
	if t.names != "" {
		fields = append(fields, "names: "+t.names)
	}
	if t.key != "" {
		fields = append(fields, fmt.Sprintf("key: %q", t.key))
	}
	for _, f := range []struct {
		name   string
		values []string
	}{{"raises", t.raises}, {"keeps", t.keeps}, {"finalizers", t.finalizers}, {"fields", t.fields}} {
		switch {
		case len(f.values) == 0:
		case slices.Equal(f.values, writtenMetadata):
			fields = append(fields, f.name+": metadataKept")
		default:
			fields = append(fields, f.name+": "+words(f.values))
		}
	}
	if t.deprecated != "" {
		fields = append(fields, fmt.Sprintf("deprecated: %q", t.deprecated))
	}
	switch t.unknown {
	case "":
	case strings.ReplaceAll(otherWords, noField, "%s"):
		fields = append(fields, "unknown: otherField")
	default:
		fields = append(fields, fmt.Sprintf("unknown: %q", t.unknown))
	}
	return strings.Join(fields, ", ")
}
