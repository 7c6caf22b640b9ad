package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/tideway-go/tideway/stream"
)

// DefaultLimit is how many items a page of a list has if [ListOptions] does not say.
const DefaultLimit = 500

// ListOptions say what to list. The zero value lists everything, as it is now.
type ListOptions struct {
	// Name selects the one object of this name, if it exists. A role that is restricted to resource
	// names suffices. Default: everything.
	Name string

	// LabelSelector selects by labels: "app=web,tier in (a,b),!old"; [ParseLabels] has the grammar.
	// Default: everything.
	LabelSelector string

	// FieldSelector selects by fields: "spec.nodeName=node-1". Which fields a kind supports depends
	// on the server. Default: everything.
	FieldSelector string

	// Limit is how many items a page has; further pages are fetched until there are no more.
	// Default: 500; -1 asks for everything at once.
	Limit int

	// ResourceVersion is how fresh the list has to be: "0" accepts what the server has in its cache,
	// a version anything that is not older. Default: the most recent.
	ResourceVersion string

	// ResourceVersionMatch is "NotOlderThan" or "Exact", and needs a ResourceVersion. Default:
	// NotOlderThan.
	ResourceVersionMatch string
}

// List is a list of objects and its metadata.
type List[T any] struct {
	Meta  ListMeta
	Items []T
}

// List answers with all objects that o selects, as one consistent list: the pages are fetched one
// after the other.
//
// If the server forgets the list's version in between (410), List starts over, once, and asks for
// everything in one piece. Items get the kind and apiVersion that servers leave out.
func (r Resource[T]) List(ctx context.Context, o ListOptions) <-chan stream.Result[*List[T]] {
	if err := r.endpoint.checkList(&o); err != nil {
		return stream.Answer[*List[T]](nil, err)
	}
	return stream.Go(ctx, func(ctx context.Context) (*List[T], error) {
		return resolved(ctx, r.endpoint, func(e Endpoint) (*List[T], error) { return Resource[T]{e}.list(ctx, &o) })
	})
}

// Each answers with the objects that o selects, one result each, while they arrive: the memory it
// needs does not depend on the length of the list, nor on a server that sends it in one piece.
//
// An error is the last result. If the server forgets the list's version between two pages, the error
// matches [ErrExpired]; what was sent before remains valid for the version of the list. A channel that
// closes without an error, while ctx lives, was complete. Cancelling ctx ends the download.
func (r Resource[T]) Each(ctx context.Context, o ListOptions) <-chan stream.Result[*T] {
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
		next: func(items *itemReader) error {
			v := new(T)
			if err := r.item(items, v); err != nil {
				return err
			}
			if !send(stream.Result[*T]{Value: v}) {
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
	begin := 0
	meta, err := r.endpoint.pages(ctx, o, pageReader{
		page:    func() { begin = len(list.Items) },
		again:   func() { list.Items = list.Items[:begin] },
		restart: func() { list.Items = nil },
		next: func(items *itemReader) error {
			var zero T
			list.Items = append(list.Items, zero)
			err := r.item(items, &list.Items[len(list.Items)-1])
			if err != nil {
				list.Items = list.Items[:len(list.Items)-1] // the page has ended
			}
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	list.Meta = meta
	return list, nil
}

// query returns the parameters of the first page.
func (o *ListOptions) query() url.Values {
	q := url.Values{}
	addNonEmpty(q, "labelSelector", o.LabelSelector)
	addNonEmpty(q, "fieldSelector", fieldsOf(o.Name, o.FieldSelector))
	addNonEmpty(q, "resourceVersion", o.ResourceVersion)
	match := o.ResourceVersionMatch
	if match == "" && o.ResourceVersion != "" && o.ResourceVersion != "0" {
		match = "NotOlderThan" // without it a limit would make it that very version
	}
	addNonEmpty(q, "resourceVersionMatch", match)
	if o.Limit >= 0 {
		limit := o.Limit
		if limit == 0 {
			limit = DefaultLimit
		}
		q.Set("limit", strconv.Itoa(limit))
	}
	return q
}

// checkList refuses options that no server accepts.
func (e *Endpoint) checkList(o *ListOptions) error {
	if err := e.whole("list"); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return e.bad("list", "", err)
	}
	return nil
}

func (o *ListOptions) check() error {
	if err := checkSelectors(o.Name, o.LabelSelector, o.FieldSelector); err != nil {
		return err
	}
	switch o.ResourceVersionMatch {
	case "":
	case "NotOlderThan", "Exact":
		if o.ResourceVersion == "" {
			return errors.New("a resource version match needs a resource version")
		}
	default:
		return fmt.Errorf("resource version match %q is neither NotOlderThan nor Exact", o.ResourceVersionMatch)
	}
	if o.Limit < -1 {
		return fmt.Errorf("limit %d is less than -1", o.Limit)
	}
	return nil
}
