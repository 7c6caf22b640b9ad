package fakeapi

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tideway-go/tideway/rest"
)

// strict finds what a strict decoder does not like about an object, in the order of the text:
// members that the type does not have, and members that come twice.
type strict struct {
	dec      *jsontext.Decoder
	unknown  []string // paths that the type does not have
	problems []string
}

// strictProblems returns the problems of a text whose unknown members are known already. Nothing
// below an unknown member is looked at.
func strictProblems(raw []byte, unknown []string) []string {
	s := &strict{dec: jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)), unknown: unknown}
	_ = s.value("") // the text has been decoded before
	return s.problems
}

func (s *strict) value(path string) error {
	switch s.dec.PeekKind() {
	case '{':
		return s.object(path)
	case '[':
		return s.array(path)
	default:
		return s.dec.SkipValue()
	}
}

func (s *strict) object(path string) error {
	seen := map[string]bool{}
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	for s.dec.PeekKind() != '}' {
		token, err := s.dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		member := name
		if path != "" {
			member = path + "." + name
		}
		if seen[name] {
			s.add("duplicate", member)
		}
		read := s.value
		if slices.Contains(s.unknown, member) {
			s.add("unknown", member)
			read = func(string) error { return s.dec.SkipValue() }
		} else {
			seen[name] = true
		}
		if err := read(member); err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	return err
}

func (s *strict) array(path string) error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	for i := 0; s.dec.PeekKind() != ']'; i++ {
		if err := s.value(fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	return err
}

// add notes a problem once.
func (s *strict) add(what, path string) {
	if text := what + ` field "` + path + `"`; !slices.Contains(s.problems, text) {
		s.problems = append(s.problems, text)
	}
}

// mergeDuplicates decodes an object that has been decoded before, as a decoder of Go types does:
// when a member that is an object comes again, its members are added to those it has. Otherwise the
// last one counts.
func mergeDuplicates(raw []byte) rest.Object {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	into := map[string]any{}
	_ = readMembers(dec, into) // the text has been decoded before
	return into
}

func readMembers(dec *jsontext.Decoder, into map[string]any) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		if dec.PeekKind() == '{' {
			m, ok := into[name].(map[string]any)
			if !ok {
				m = map[string]any{}
				into[name] = m
			}
			if err := readMembers(dec, m); err != nil {
				return err
			}
			continue
		}
		text, err := dec.ReadValue()
		if err != nil {
			return err
		}
		v, err := rest.Decode[any](text)
		if err != nil {
			return err
		}
		into[name] = *v
	}
	_, err := dec.ReadToken()
	return err
}
