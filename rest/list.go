package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/tideway-go/tideway/stream"
)

// List is a list of objects and its metadata.
type List[T any] struct {
	Meta  ListMeta
	Items []T
	// Undecoded are the objects that did not decode, in order, if [ListOptions].KeepGoing is set.
	Undecoded []*DecodeError
}

// List answers with all objects that o selects, as one consistent list, read page after page. If
// the server forgets the list's version in between (410), List starts over, once, and asks for
// everything in one piece. An object that does not decode ends the list with a [*DecodeError], or
// is in Undecoded if o.KeepGoing is set.
func (r Resource[T]) List(ctx context.Context, o ListOptions) <-chan stream.Result[*List[T]] {
	needContext(ctx)
	if err := r.endpoint.checkList(&o); err != nil {
		return stream.Answer[*List[T]](nil, err)
	}
	return stream.Go(ctx, func(ctx context.Context) (*List[T], error) {
		return resolved(ctx, r.endpoint, func(e Endpoint) (*List[T], error) { return Resource[T]{e}.list(ctx, &o) })
	})
}

// Each answers with the objects that o selects, one result each, as they arrive. Its memory use
// does not depend on the length of the list, even if the server sends it in one piece.
//
// An error is the last result, with one exception: if o.KeepGoing is set, an object that does not
// decode is a result whose error is a [*DecodeError], and the others follow. If the channel closes
// without an error while ctx lives, the list was complete. If the server forgets the list's version
// between two pages, the error matches [ErrExpired]; the objects before it remain valid for that
// version. Cancelling ctx ends the download.
func (r Resource[T]) Each(ctx context.Context, o ListOptions) <-chan stream.Result[*T] {
	needContext(ctx)
	if err := r.endpoint.checkList(&o); err != nil {
		return stream.Answer[*T](nil, err)
	}
	return stream.Generate(ctx, func(ctx context.Context, send func(stream.Result[*T]) bool) {
		broken, err := resolved(ctx, r.endpoint, func(e Endpoint) (broken, err error) {
			sent := false
			err = Resource[T]{e}.each(ctx, &o, func(v stream.Result[*T]) bool {
				sent = true
				return send(v)
			})
			if sent {
				return err, nil // what was sent is not sent again, whatever the error is
			}
			return nil, err
		})
		if err = cmp.Or(err, broken); err != nil {
			send(stream.Result[*T]{Err: err})
		}
	})
}

// each sends what the pages hold.
func (r Resource[T]) each(ctx context.Context, o *ListOptions, send func(stream.Result[*T]) bool) error {
	_, err := r.endpoint.pages(ctx, o, pageReader{
		name: o.Name,
		next: func(items *itemReader) error {
			v := new(T)
			err := r.item(items, v)
			switch {
			case err == nil:
			case o.KeepGoing && isUndecoded(err):
				v, err = nil, r.endpoint.failed("list", "", fmt.Errorf("reading the list: %w", err))
			default:
				return items.fail(err)
			}
			if !send(stream.Result[*T]{Value: v, Err: err}) {
				return context.Cause(ctx)
			}
			return nil
		},
	})
	return err
}

// list reads all pages into a list.
func (r Resource[T]) list(ctx context.Context, o *ListOptions) (*List[T], error) {
	list := &List[T]{}
	begin, bad := 0, 0
	meta, err := r.endpoint.pages(ctx, o, pageReader{
		name: o.Name,
		page: func(first bool) error {
			if first {
				list.Items, list.Undecoded = nil, nil
			}
			begin, bad = len(list.Items), len(list.Undecoded)
			return nil
		},
		again:   func() { list.Items, list.Undecoded = list.Items[:begin], list.Undecoded[:bad] },
		restart: true,
		next: func(items *itemReader) error {
			var zero T
			list.Items = append(list.Items, zero)
			err := r.item(items, &list.Items[len(list.Items)-1])
			if err == nil {
				return nil
			}
			list.Items = list.Items[:len(list.Items)-1] // it has none
			if broken, ok := errors.AsType[*DecodeError](err); ok && o.KeepGoing {
				list.Undecoded = append(list.Undecoded, broken)
				return nil
			}
			return items.fail(err)
		},
	})
	if err != nil {
		return nil, err
	}
	list.Meta = meta
	return list, nil
}
