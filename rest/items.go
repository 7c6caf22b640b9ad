package rest

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tideway-go/tideway/rest/internal/shape"
	"github.com/tideway-go/tideway/rest/internal/wire"
)

// itemReader reads the JSON of a list item by item, as it arrives. It keeps one item in memory,
// whatever the size of the list, and takes the members of the list in any order.
//
// After the last item of a complete list it returns [io.EOF]. An item that is not an object, a text
// that is not a list, and one that is cut off are errors. A Status in place of a list is a
// [StatusError] without the operation. Errors are permanent.
type itemReader struct {
	dec       *jsontext.Decoder
	source    *source
	asked     *asked // what the list has to be, nil for any list
	types     struct{ kind, apiVersion string }
	meta      ListMeta                  // of the list, complete at its end
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

// newItemReader returns a reader of the list in r. An item of more bytes than limit is an error,
// roughly: bytes that were read ahead count for the item before. 0 means no limit.
func newItemReader(r io.Reader, limit int64) *itemReader {
	s := &source{r: r, limit: limit}
	return &itemReader{
		source: s,
		dec:    jsontext.NewDecoder(s, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
	}
}

// raw returns the JSON of the next item, which is valid until the next one is read.
func (r *itemReader) raw() (v jsontext.Value, err error) {
	err = r.item(func() (err error) {
		v, err = r.dec.ReadValue()
		return cut(err)
	})
	return v, err
}

// next returns the next item and what it says of itself. An item of another kind, name or namespace
// than the list's is an error.
func (r *itemReader) next() (raw jsontext.Value, is wire.Identity, err error) {
	at := r.index
	if raw, err = r.raw(); err != nil {
		return nil, is, err
	}
	raw = wire.Single(raw)
	is, bad := wire.ReadIdentity(raw)
	if r.asked != nil {
		if err := r.asked.identity(&is); err != nil {
			return nil, is, r.fail(fmt.Errorf("items[%d]: %w", at, err))
		}
	}
	if bad != nil {
		return raw, is, &DecodeError{ResourceVersion: is.ResourceVersion, Err: bad, at: at, identity: is}
	}
	return raw, is, nil
}

// decode decodes the next item into v, a pointer to a value of the shape. An item that does not fit
// is a DecodeError without a key; the next one can still be read.
func (r *itemReader) decode(v any, s *shape.Shape) error {
	at := r.index
	raw, is, err := r.next()
	if err != nil {
		return err
	}
	if err := s.Decode(raw, v); err != nil {
		return &DecodeError{ResourceVersion: is.ResourceVersion, Err: err, at: at, identity: is}
	}
	return nil
}

// item moves to the next item and calls read for it.
func (r *itemReader) item(read func() error) error {
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

// fail ends the reading with the error, and returns it.
func (r *itemReader) fail(err error) error {
	r.err = err
	return err
}

// source keeps the error of a reader, to return it without the wrapping of the decoder, and limits
// the size of items.
type source struct {
	r           io.Reader
	err         error
	limit, read int64 // of the item, in bytes; 0 means no limit
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
func (r *itemReader) advance() error {
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
					err = notAsked("items[%d] is not an object", r.index)
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
func (r *itemReader) open() error {
	tok, err := r.dec.ReadToken()
	switch {
	case r.source.err != nil: // of the connection
		return cut(err)
	case err != nil:
		return r.notJSON(cut(err))
	case tok.Kind() != '{':
		return notAsked("not a JSON object, but %s", kindOfToken(tok.Kind()))
	}
	r.state = betweenMembers
	return nil
}

// member reads the next member of the list, up to the items.
func (r *itemReader) member() error {
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
			if err := r.asked.list(r.types.kind, r.types.apiVersion); err != nil {
				return err
			}
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
		return readText(name, value, &r.types.kind)
	case "apiVersion":
		return readText(name, value, &r.types.apiVersion)
	case "metadata":
		m, err := Decode[ListMeta](value)
		if err != nil {
			return fmt.Errorf("metadata of the list: %w", err)
		}
		r.meta = *m
	case "items":
		if value.Kind() != 'n' {
			return notAsked("items is not an array")
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

// end checks that a list was read, and that nothing follows it.
func (r *itemReader) end() error {
	if r.types.kind == "Status" {
		return r.refusal()
	}
	if !r.seenItems && !isListKind(r.types.kind) {
		if r.types.kind == "" {
			return notAsked("not a list: it has no items")
		}
		return notAsked("not a list, but a %s", shorten(r.types.kind))
	}
	if err := r.asked.list(r.types.kind, r.types.apiVersion); err != nil {
		return err
	}
	switch _, err := r.dec.ReadToken(); {
	case errors.Is(err, io.EOF):
		return io.EOF
	case err != nil:
		return err
	}
	return notAsked("unexpected data after the list")
}

// refusal makes the error of a Status that came in place of a list.
func (r *itemReader) refusal() error {
	raw, err := Encode(r.status)
	if err != nil {
		return err
	}
	s, err := Decode[Status](raw)
	if err != nil {
		return fmt.Errorf("a Status in place of a list: %w", err)
	}
	s.Kind, s.APIVersion = r.types.kind, r.types.apiVersion
	s.Metadata = r.meta
	if s.Status != StatusFailure {
		return notAsked("not a list, but a Status of %s", shorten(s.Status))
	}
	return &StatusError{Status: *s}
}

func isListKind(kind string) bool {
	return len(kind) >= len("List") && kind[len(kind)-len("List"):] == "List"
}

// cut turns an end of the text inside a list into [io.ErrUnexpectedEOF].
func cut(err error) error {
	if err == io.EOF { //nolint:errorlint // only the bare one is the end of the text
		return io.ErrUnexpectedEOF
	}
	return err
}
