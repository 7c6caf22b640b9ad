package rest

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ItemReader reads the JSON of a list item by item, while it arrives. It keeps
// one item in memory, whatever the size of the list, and takes the members of
// the list in any order.
type ItemReader struct {
	dec       *jsontext.Decoder
	source    *source
	types     Meta
	meta      ListMeta
	status    map[string]jsontext.Value // the members that only a Status has
	state     itemState
	seenItems bool
	index     int
	err       error
}

type itemState int

const (
	beforeList itemState = iota
	betweenMembers
	insideItems
	afterList
)

// NewItemReader returns a reader of the list that r holds. It does not close r.
// An item of more than [DefaultMaxObject] bytes is an error; Limit says
// otherwise.
func NewItemReader(r io.Reader) *ItemReader {
	s := &source{r: r, limit: DefaultMaxObject}
	return &ItemReader{
		source: s,
		dec:    jsontext.NewDecoder(s, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
	}
}

// Limit sets how many bytes an item may have, about: what is read ahead counts
// for the item before. 0 is no limit. The error of a larger one matches
// [ErrTooLarge].
func (r *ItemReader) Limit(bytes int64) { r.source.limit = bytes }

// Next returns the next item, which is valid until Next is called again.
//
// After the last item it returns [io.EOF]: then the list was complete. An item
// that is no object, a text that is no list, and one that is cut off are
// errors, and so is a Status in place of a list: that one is a [StatusError]
// that does not know its operation. An error stays.
func (r *ItemReader) Next() (jsontext.Value, error) {
	var v jsontext.Value
	err := r.item(func() (err error) {
		v, err = r.dec.ReadValue()
		return cut(err)
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Meta returns the metadata of the list, as far as it was read: it is complete
// after Next has returned [io.EOF].
func (r *ItemReader) Meta() ListMeta { return r.meta }

// Kind returns the kind of the list, such as "PodList", as far as it was read.
func (r *ItemReader) Kind() string { return r.types.Kind }

// APIVersion returns the apiVersion of the list as far as it was read.
func (r *ItemReader) APIVersion() string { return r.types.APIVersion }

// decode decodes the next item into v, a pointer to a value of the shape, as it
// arrives: the text is read once, where Next and Decode read it twice.
func (r *ItemReader) decode(v any, s *shape) error {
	v = faster(v)
	return r.item(func() error {
		if err := hideValue(json.UnmarshalDecode(r.dec, v, s.options())); err != nil {
			return fmt.Errorf("items[%d]: %w", r.index, cut(err))
		}
		return nil
	})
}

// item moves to the next item and has it read.
func (r *ItemReader) item(read func() error) error {
	r.source.read = 0
	if r.err == nil {
		r.err = r.advance()
	}
	if r.err == nil {
		r.err = read()
	}
	switch {
	case r.err == nil:
		r.index++
	case r.source.err != nil && errors.Is(r.err, r.source.err):
		r.err = r.source.err
	}
	return r.err
}

// source keeps the error of a reader, which is told without what the decoder
// puts around it, and lets no item be too large.
type source struct {
	r           io.Reader
	err         error
	limit, read int64 // of the item, in bytes; no limit is 0
}

// Read implements [io.Reader].
func (s *source) Read(p []byte) (int, error) {
	if s.limit > 0 && s.read >= s.limit {
		s.err = tooLarge(s.limit)
		return 0, s.err
	}
	n, err := s.r.Read(p)
	s.read += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// advance moves to the beginning of the next item.
func (r *ItemReader) advance() error {
	for {
		var err error
		switch r.state {
		case beforeList:
			err = r.open()
		case betweenMembers:
			err = r.member()
		case insideItems:
			switch r.dec.PeekKind() {
			case '{':
				return nil
			case ']':
				_, err = r.dec.ReadToken()
				r.state = betweenMembers
			default:
				if _, err = r.dec.ReadValue(); err == nil {
					err = fmt.Errorf("items[%d] is no object", r.index)
				}
			}
		case afterList:
			return r.end()
		}
		if err != nil {
			return cut(err)
		}
	}
}

// open reads the brace that begins the list.
func (r *ItemReader) open() error {
	tok, err := r.dec.ReadToken()
	switch {
	case err != nil:
		return cut(err)
	case tok.Kind() != '{':
		return errors.New("not a list, nor any JSON object")
	}
	r.state = betweenMembers
	return nil
}

// member reads the next member of the list, up to the items.
func (r *ItemReader) member() error {
	tok, err := r.dec.ReadToken()
	if err != nil {
		return cut(err)
	}
	if tok.Kind() == '}' {
		r.state = afterList
		return nil
	}
	name := tok.String()
	if name == "items" {
		if r.dec.PeekKind() == '[' {
			_, err = r.dec.ReadToken()
			r.state, r.seenItems = insideItems, true
			return cut(err)
		}
	}
	value, err := r.dec.ReadValue()
	if err != nil {
		return cut(err)
	}
	switch name {
	case "kind":
		return readText(name, value, &r.types.Kind)
	case "apiVersion":
		return readText(name, value, &r.types.APIVersion)
	case "metadata":
		m, err := Decode[ListMeta](value)
		if err != nil {
			return fmt.Errorf("metadata of the list: %w", err)
		}
		r.meta = *m
	case "items":
		if value.Kind() != 'n' {
			return errors.New("items is no array")
		}
		r.seenItems = true
	case "status", "message", "reason", "details", "code":
		if r.status == nil {
			r.status = make(map[string]jsontext.Value)
		}
		r.status[name] = value.Clone()
	}
	return nil
}

// end checks that a list was read, and nothing follows it.
func (r *ItemReader) end() error {
	if r.types.Kind == "Status" {
		return r.refusal()
	}
	if !r.seenItems && !isListKind(r.types.Kind) {
		if r.types.Kind == "" {
			return errors.New("not a list: it has no items")
		}
		return fmt.Errorf("not a list, but of kind %q", r.types.Kind)
	}
	switch _, err := r.dec.ReadToken(); {
	case errors.Is(err, io.EOF):
		return io.EOF
	case err != nil:
		return err
	}
	return errors.New("something follows the list")
}

// refusal makes the error of a Status that came in place of a list.
func (r *ItemReader) refusal() error {
	raw, err := Encode(r.status)
	if err != nil {
		return err
	}
	s, err := Decode[Status](raw)
	if err != nil {
		return fmt.Errorf("a Status in place of a list: %w", err)
	}
	s.Kind, s.APIVersion = r.types.Kind, r.types.APIVersion
	s.Metadata = r.meta
	if s.Status != StatusFailure {
		return fmt.Errorf("not a list, but a Status of %q", s.Status)
	}
	return &StatusError{Status: *s}
}

func isListKind(kind string) bool {
	return len(kind) >= len("List") && kind[len(kind)-len("List"):] == "List"
}

// cut turns the end of a text in the middle of a list into the error that says
// so.
func cut(err error) error {
	if err == io.EOF { //nolint:errorlint // only the bare one is the end of the text
		return io.ErrUnexpectedEOF
	}
	return err
}
