package rest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// body is what matters in the JSON of an object that is sent, or came back.
type body struct {
	raw              []byte
	kind, apiVersion span // of the values
	types            Meta // only kind and apiVersion are set
	metadata         *bodyMeta
	items            bool // there is an array of that name
}

// span is a part of a text; the zero value is none.
type span struct{ start, end int }

func (s span) of(raw []byte) []byte { return raw[s.start:s.end] }

type bodyMeta struct {
	Name              string         `json:"name"`
	GenerateName      string         `json:"generateName"`
	Namespace         string         `json:"namespace"`
	UID               string         `json:"uid"`
	ResourceVersion   string         `json:"resourceVersion"`
	ManagedFields     jsontext.Value `json:"managedFields"`
	DeletionTimestamp jsontext.Value `json:"deletionTimestamp"`
}

// inspect looks at the members of an object.
func inspect(raw []byte) (*body, error) {
	b := &body{raw: raw}
	s := scanner{text: raw}
	if !s.take('{') {
		return nil, errNoObject
	}
	for first := true; ; first = false {
		name, more, err := s.member(first)
		if err != nil {
			return nil, err
		}
		if !more {
			return b, nil
		}
		s.peek()
		value := span{start: s.pos}
		if !s.skip() {
			return nil, errCut
		}
		value.end = s.pos
		if err := b.member(string(name), value); err != nil {
			return nil, err
		}
	}
}

// member notes one member of the object.
func (b *body) member(name string, at span) error {
	value := at.of(b.raw)
	switch name {
	case "kind":
		b.kind = at
		return readText(name, value, &b.types.Kind)
	case "apiVersion":
		b.apiVersion = at
		return readText(name, value, &b.types.APIVersion)
	case "metadata":
		if string(value) == "null" {
			return nil
		}
		m, err := Decode[bodyMeta](value)
		if err != nil {
			return errors.New("metadata is no object, or a part of it is of another type")
		}
		b.metadata = m
	case "items":
		b.items = value[0] == '['
	}
	return nil
}

// readText reads a string or null.
func readText(name string, value []byte, to *string) error {
	switch {
	case string(value) == "null":
	case value[0] != '"':
		return fmt.Errorf("%s is no string", name)
	default:
		*to = string(unquote(value))
	}
	return nil
}

// empty tells whether a value says nothing: null or "".
func empty(value []byte) bool {
	v := string(bytes.TrimSpace(value))
	return v == "" || v == "null" || v == `""`
}

// complete returns the JSON with kind and apiVersion filled in from k where
// they are missing or empty.
func (b *body) complete(k *Kind) []byte {
	type edit struct {
		at   span
		name string
		text string
	}
	var front []string
	var edits []edit
	for _, m := range []edit{{b.apiVersion, "apiVersion", k.APIVersion()}, {b.kind, "kind", k.Kind}} {
		quoted, _ := jsontext.AppendQuote(nil, m.text) // names of kinds are UTF-8
		switch {
		case m.at == span{}:
			front = append(front, `"`+m.name+`":`+string(quoted))
		case empty(m.at.of(b.raw)):
			m.text = string(quoted)
			edits = append(edits, m)
		}
	}
	if len(front)+len(edits) == 0 {
		return b.raw
	}
	out := make([]byte, 0, len(b.raw)+64)
	open := bytes.IndexByte(b.raw, '{') + 1
	out = append(out, '{')
	out = append(out, strings.Join(front, ",")...)
	if rest := bytes.TrimLeft(b.raw[open:], " \t\r\n"); len(front) > 0 && rest[0] != '}' {
		out = append(out, ',')
	}
	if len(edits) == 2 && edits[0].at.start > edits[1].at.start {
		edits[0], edits[1] = edits[1], edits[0]
	}
	for _, e := range edits {
		out = append(out, b.raw[open:e.at.start]...)
		out = append(out, e.text...)
		open = e.at.end
	}
	return append(out, b.raw[open:]...)
}

// encodeObject encodes an object that is to be sent to e, completes it, and
// returns the endpoint in the object's own namespace. What cannot be an object
// of this endpoint is refused.
func (e Endpoint) encodeObject(op string, obj any) (*body, Endpoint, error) {
	if e.err != nil {
		return nil, e, e.err
	}
	raw, err := Encode(obj)
	if err != nil {
		return nil, e, e.bad(op, "", fmt.Errorf("encoding the object: %w", err))
	}
	return e.completeObject(op, raw)
}

// completeObject does it with an object that is encoded. While the kind is not
// resolved, only what needs no kind is looked at; it is done again after that.
func (e Endpoint) completeObject(op string, raw []byte) (*body, Endpoint, error) {
	b, err := inspect(raw)
	if err != nil {
		return nil, e, e.bad(op, "", err)
	}
	if err := b.check(&e); err != nil {
		return nil, e, e.bad(op, b.name(), err)
	}
	if e.namespace == "" && (e.kind.Namespaced || e.pending != "") {
		if e = e.in(b.metadata.Namespace); e.err != nil {
			return nil, e, e.err
		}
	}
	if k := e.types(); k != nil {
		b.raw = b.complete(k)
	}
	return b, e, nil
}

// name returns the object's name, "" if it has none.
func (b *body) name() string {
	if b.metadata == nil {
		return ""
	}
	return b.metadata.Name
}

// check tells why the object cannot be sent to e.
func (b *body) check(e *Endpoint) error {
	k, v := b.types.Kind, b.types.APIVersion
	want := e.types()
	switch {
	case want == nil && b.metadata != nil:
		return e.checkNamespace(b.metadata.Namespace)
	case b.metadata == nil && (want == nil || k == "" && !b.items):
		return errors.New("the value has no metadata")
	case k == want.Kind+"List", k != want.Kind && b.items && b.name() == "":
		return errors.New("the value is a list")
	case k != "" && k != want.Kind:
		return fmt.Errorf("the object is of kind %q, the resource of kind %q", k, want.Kind)
	case v != "" && v != want.APIVersion():
		return fmt.Errorf("the object is of apiVersion %q, the resource of %q", v, want.APIVersion())
	case b.metadata == nil:
		return errors.New("the value has no metadata")
	}
	return e.checkNamespace(b.metadata.Namespace)
}

// checkNamespace tells why an object of the namespace cannot be sent to e.
func (e *Endpoint) checkNamespace(namespace string) error {
	switch {
	case e.pending != "":
	case !e.kind.Namespaced:
		if namespace != "" {
			return fmt.Errorf("the object is in namespace %q, and %s have none", namespace, e.kind.Resource())
		}
	case e.namespace == "":
		if namespace == "" {
			return errors.New("metadata.namespace is missing, and the handle names none; In does")
		}
	case namespace != "" && namespace != e.namespace:
		return fmt.Errorf("the object is in namespace %q, the resource in %q", namespace, e.namespace)
	}
	return nil
}
