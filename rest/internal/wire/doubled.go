package wire

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Single returns the object without repeated members, so that everybody who reads it sees the same
// identity: a decoder takes the last of two members, [ReadIdentity] the first. Of each name only
// the last member stays, in the object and in its metadata. An object whose identity is there once
// is returned as it is.
func Single(raw []byte) []byte {
	v := visitors.Get().(*objectVisitor)
	defer visitors.Put(v)
	*v = objectVisitor{}
	if i := space(raw, 0); i < len(raw) && raw[i] == '{' && object(raw, i+1, 1, v) > 0 && v.doubled {
		return single(raw)
	}
	return raw
}

var visitors = sync.Pool{New: func() any { return new(objectVisitor) }}

// objectVisitor notices members of the identity of an object that are there twice.
type objectVisitor struct {
	metadata metadataVisitor
	seen     int
	doubled  bool
}

func (v *objectVisitor) enter(name []byte) visitor {
	if string(content(name)) != "metadata" {
		return nil
	}
	v.metadata = metadataVisitor{}
	return &v.metadata
}

func (v *objectVisitor) member(name, _ []byte) {
	switch string(content(name)) {
	case "apiVersion":
		v.see(seenAPIVersion)
	case "kind":
		v.see(seenKind)
	case "metadata":
		v.see(seenMetadata)
		v.doubled = v.doubled || v.metadata.doubled
	}
}

func (v *objectVisitor) see(bit int) {
	v.doubled = v.doubled || v.seen&bit != 0
	v.seen |= bit
}

// metadataVisitor does so for the members of metadata.
type metadataVisitor struct {
	seen    int
	doubled bool
}

func (*metadataVisitor) enter([]byte) visitor { return nil }

func (v *metadataVisitor) member(name, _ []byte) {
	bit := 0
	switch string(content(name)) {
	case "name":
		bit = seenName
	case "namespace":
		bit = seenNamespace
	case "uid":
		bit = seenUID
	case "resourceVersion":
		bit = seenResourceVersion
	}
	v.doubled = v.doubled || v.seen&bit != 0
	v.seen |= bit
}

// single copies an object without repeated members.
func single(raw []byte) []byte { return lastOfEach(raw, true) }

// lastOfEach copies an object with the last member of each name; with deep, also in its metadata.
func lastOfEach(raw []byte, deep bool) []byte {
	type member struct{ name, value []byte }
	var members []member
	at := make(map[string]int)
	c := Cursor{Text: raw}
	c.Take('{')
	for first := true; ; first = false {
		name, more, err := c.Member(first)
		if err != nil || !more {
			break
		}
		value, err := c.Value()
		if err != nil {
			break
		}
		if deep && string(name) == "metadata" && value[0] == '{' {
			value = lastOfEach(value, false)
		}
		if i, twice := at[string(name)]; twice {
			members[i].value = value
			continue
		}
		at[string(name)] = len(members)
		members = append(members, member{name, value})
	}
	out := make([]byte, 0, len(raw))
	out = append(out, '{')
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, quoted(m.name)...)
		out = append(append(out, ':'), m.value...)
	}
	return append(out, '}')
}

// quoted returns a name as it is written in JSON.
func quoted(name []byte) []byte {
	if bytes.IndexFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) < 0 {
		return append(append([]byte{'"'}, name...), '"')
	}
	q, _ := jsontext.AppendQuote(nil, name) // the error is invalid UTF-8, which is let through
	return q
}
