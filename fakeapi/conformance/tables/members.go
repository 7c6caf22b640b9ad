package tables

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// writeMembers writes the table of package fakeapi: in which order a server names its groups, and
// which members objects have.
func writeMembers(f *facts, b *bytes.Buffer) error {
	b.WriteString("package fakeapi\n\n")
	fmt.Fprintf(b, "// serverVersion is the version of kube-apiserver that the tables are from.\nconst serverVersion = %q\n\n", f.version)
	b.WriteString("// groupOrder is the order in which kube-apiserver names its groups.\nvar groupOrder = []string{\n")
	for _, name := range f.groups {
		fmt.Fprintf(b, "\t%q,\n", name)
	}
	b.WriteString("}\n\n")
	writeMap(b, "zeroMembers", "has the members that are always written, as they are in an empty object, by kind.", f.zero)
	writeMap(b, "topMembers", "has the members of objects besides apiVersion, kind and metadata, by kind.", f.topMembers())
	below, err := f.reviewMembers()
	writeMap(b, "specMembers", "has the members of the specs of reviews, by kind, and of what is below, by name.", below)
	return err
}

// writeMap writes a map with sorted keys.
func writeMap(b *bytes.Buffer, name, comment string, m map[string]string) {
	fmt.Fprintf(b, "// %s %s\nvar %s = map[string]string{\n", name, comment, name)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		value := fmt.Sprintf("%q", m[key])
		if strings.Contains(m[key], `"`) {
			value = "`" + m[key] + "`"
		}
		fmt.Fprintf(b, "\t%q: %s,\n", key, value)
	}
	b.WriteString("}\n\n")
}

// topMembers returns the members of the objects of each kind, and of subresources.
func (f *facts) topMembers() map[string]string {
	out := map[string]string{}
	add := func(k rest.Kind) {
		def := f.types.of(k)
		if def == nil {
			return
		}
		members := slices.DeleteFunc(slices.Sorted(maps.Keys(def.Properties)), func(name string) bool {
			return name == "apiVersion" || name == "kind" || name == "metadata"
		})
		out[k.String()] = strings.Join(members, " ")
	}
	for _, k := range f.kinds {
		add(k.Kind)
	}
	for _, k := range f.parts {
		add(k)
	}
	return out
}

// reviewMembers returns the members of the specs of reviews, and of what is below.
func (f *facts) reviewMembers() (map[string]string, error) {
	out := map[string]string{}
	var add func(key string, def *definition) error
	add = func(key string, def *definition) error {
		names := slices.Sorted(maps.Keys(def.Properties))
		text := strings.Join(names, " ")
		if have, ok := out[key]; ok && have != text {
			return fmt.Errorf("%s is %q and %q", key, have, text)
		}
		out[key] = text
		for _, name := range names {
			p := def.Properties[name]
			if below, ok := f.types.Definitions[p.target()]; ok && len(below.Properties) > 0 {
				if err := add(name, &below); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, k := range f.kinds {
		def := f.types.of(k.Kind)
		if def == nil || !strings.HasSuffix(k.Kind.Kind, "Review") {
			continue
		}
		spec := def.Properties["spec"]
		if below, ok := f.types.Definitions[spec.target()]; ok {
			if err := add(k.Kind.Kind, &below); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
