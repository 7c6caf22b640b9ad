package tables

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// document is the part of an OpenAPI document, version 2, that is read.
type document struct {
	Definitions map[string]definition `json:"definitions"`
}

// definition is one type.
type definition struct {
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
	Kinds      []struct {
		Group   string `json:"group"`
		Version string `json:"version"`
		Kind    string `json:"kind"`
	} `json:"x-kubernetes-group-version-kind"`
}

// property is one member of a type.
type property struct {
	Type       string    `json:"type"`
	Ref        string    `json:"$ref"`
	Items      *property `json:"items"`
	Additional *property `json:"additionalProperties"`
	MergeKey   string    `json:"x-kubernetes-patch-merge-key"`
	Strategy   string    `json:"x-kubernetes-patch-strategy"`
}

// target is the definition that a property refers to, or "".
func (p *property) target() string { return strings.TrimPrefix(p.Ref, "#/definitions/") }

// scalars are definitions that are written as one value.
var scalars = []string{"Quantity", "MicroTime", "Time", "IntOrString"}

// opaque reports whether a property takes any JSON, into a type that has no members of its own.
func (d *document) opaque(p *property) bool {
	name := p.target()
	return name != "" && len(d.Definitions[name].Properties) == 0 && !slices.Contains(scalars, last(name))
}

// word says what a patch has to know about a property, or "": the name, what it is, and after > the
// type below.
//
//	containers[name]!>core.v1.Container   a list that is merged by a key; with ! it is written when it is empty
//	finalizers[]                          a list of values that is merged
//	nodeSelector{}                        a map of values
//	properties{:}                         a map of objects or lists, whose members cannot be merged
//	selector=                             an object that is replaced
//	parameters?RawExtension               an object of a type without members
//	spec>core.v1.PodSpec                  an object, with lists or maps somewhere below
func (d *document) word(name string, p *property, required, interesting bool) string {
	below := ""
	if interesting {
		below = ">" + short(p.below())
	}
	switch strategies := strings.Split(p.Strategy, ","); {
	case p.Items != nil && slices.Contains(strategies, "merge"):
		keep := ""
		if required {
			keep = "!"
		}
		return name + "[" + p.MergeKey + "]" + keep + below
	case p.Items != nil:
		return "" // replaced
	case p.Additional != nil && (p.Additional.Items != nil || p.Additional.Ref != "" && !slices.Contains(scalars, last(p.Additional.target()))):
		return name + "{:}"
	case p.Additional != nil && !required:
		return name + "{}"
	case slices.Contains(strategies, "replace"):
		return name + "="
	case d.opaque(p):
		return name + "?" + last(p.target())
	case interesting:
		return name + below
	}
	return ""
}

// below is the type of a property's value, or of its items.
func (p *property) below() string {
	if p.Items != nil {
		return p.Items.target()
	}
	return p.target()
}

// interesting returns the definitions of which a patch has to know something.
func (d *document) interesting() map[string]bool {
	found := map[string]bool{}
	for {
		before := len(found)
		for name, def := range d.Definitions {
			for member, p := range def.Properties {
				if d.word(member, &p, false, found[p.below()]) != "" {
					found[name] = true
				}
			}
		}
		if len(found) == before {
			return found
		}
	}
}

// table gives what is to be known, by kind for the objects that the server stores and by name for
// the types below.
func (d *document) table(kinds []rest.Served) map[string]string {
	found := d.interesting()
	out := map[string]string{}
	var add func(key, name string)
	add = func(key, name string) {
		if _, done := out[key]; done || !found[name] {
			return
		}
		out[key] = ""
		def := d.Definitions[name]
		var words []string
		for _, member := range slices.Sorted(maps.Keys(def.Properties)) {
			p := def.Properties[member]
			word := d.word(member, &p, slices.Contains(def.Required, member), found[p.below()])
			if word == "" {
				continue
			}
			words = append(words, word)
			if strings.Contains(word, ">") {
				add(short(p.below()), p.below())
			}
		}
		out[key] = strings.Join(words, " ")
	}
	for _, name := range slices.Sorted(maps.Keys(d.Definitions)) {
		for _, k := range d.Definitions[name].Kinds {
			kind := rest.Kind{Group: k.Group, Version: k.Version, Kind: k.Kind}.String()
			if slices.ContainsFunc(kinds, func(s rest.Served) bool { return s.Kind.String() == kind }) {
				add(kind, name)
			}
		}
	}
	return out
}

// writeMergeTypes writes the table of package patch.
func writeMergeTypes(f *facts, b *bytes.Buffer) error {
	b.WriteString("package patch\n\n")
	writeMap(b, "types", "is what strategic merge patches have to know of types; see word in the generator.", f.types.table(f.kinds))
	return nil
}

// of returns the definition of a kind, or nil.
func (d *document) of(k rest.Kind) *definition {
	for _, def := range d.Definitions {
		for _, of := range def.Kinds {
			if of.Group == k.Group && of.Version == k.Version && of.Kind == k.Kind {
				return &def
			}
		}
	}
	return nil
}

// short is the name of a definition as the table shows it.
func short(name string) string {
	parts := strings.Split(name, ".")
	return strings.Join(parts[max(len(parts)-3, 0):], ".")
}

func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
