package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tideway-go/tideway/stream"
)

// DefaultLimit is how many items a page of a list has when [ListOptions] says
// nothing.
const DefaultLimit = 500

// ListOptions say what to list. The zero value lists everything, as it is now.
type ListOptions struct {
	// LabelSelector selects by labels: "app=web,tier in (a,b),!old".
	// [ParseLabels] tells the grammar. Default: everything.
	LabelSelector string

	// FieldSelector selects by fields: "spec.nodeName=node-1". Which fields a
	// kind supports is the server's to say. Default: everything.
	FieldSelector string

	// Limit is how many items a page has; the pages that follow are fetched
	// until there is no more. Default: 500; -1 asks for all at once.
	Limit int

	// ResourceVersion is how fresh the list has to be: "0" takes what the
	// server has in its cache, a version something not older. Default: the most
	// recent.
	ResourceVersion string

	// ResourceVersionMatch is "NotOlderThan" or "Exact", and needs a
	// ResourceVersion. Default: what the server makes of the version.
	ResourceVersionMatch string
}

// List is a list of objects and its metadata.
type List[T any] struct {
	Meta  ListMeta
	Items []T
}

// List answers with all objects that o selects, as one consistent list: the
// pages are fetched one after the other.
//
// When the server forgets the list's version in the middle of it (410), List
// starts again from scratch, once, and asks for all at once. Items get the kind
// and apiVersion that servers leave out.
func (r Resource[T]) List(ctx context.Context, o ListOptions) <-chan stream.Result[*List[T]] {
	if err := r.endpoint.checkList(&o); err != nil {
		return stream.Answer[*List[T]](nil, err)
	}
	return stream.Go(ctx, func(ctx context.Context) (*List[T], error) {
		list := &List[T]{}
		add := func(v *T) bool {
			list.Items = append(list.Items, *v)
			return true
		}
		meta, page, err := r.pages(ctx, o, add)
		if page > 0 && errors.Is(err, ErrExpired) {
			list.Items, o.Limit = nil, -1
			meta, _, err = r.pages(ctx, o, add)
		}
		if err != nil {
			return nil, err
		}
		list.Meta = meta
		return list, nil
	})
}

// Each answers with the objects that o selects, one result each, while they
// arrive: the memory it needs does not depend on the length of the list.
//
// An error is the last result. When the server forgets the list's version in
// the middle of it, that error matches [ErrExpired]; what was sent before is
// not taken back. A channel that closes without an error, while ctx lives, was
// complete. Cancelling ctx ends the download.
func (r Resource[T]) Each(ctx context.Context, o ListOptions) <-chan stream.Result[*T] {
	if err := r.endpoint.checkList(&o); err != nil {
		return stream.Answer[*T](nil, err)
	}
	return stream.Generate(ctx, func(ctx context.Context, send func(stream.Result[*T]) bool) {
		_, _, err := r.pages(ctx, o, func(v *T) bool { return send(stream.Result[*T]{Value: v}) })
		if err != nil {
			send(stream.Result[*T]{Err: err})
		}
	})
}

// errStopped ends the reading of pages when the receiver is gone.
var errStopped = errors.New("the receiver is gone")

// pages fetches page after page, and hands each item to add until that says
// false. It returns the metadata of the whole, and the index of the last page
// that was asked for.
func (r Resource[T]) pages(ctx context.Context, o ListOptions, add func(*T) bool) (ListMeta, int, error) {
	shape := shapeOf(reflect.TypeFor[T]())
	kind := &r.endpoint.kind
	item := func(raw jsontext.Value) error {
		v := new(T)
		if err := decode(raw, v, shape); err != nil {
			return err
		}
		shape.fill(v, kind)
		if !add(v) {
			return errStopped
		}
		return nil
	}
	query := o.query()
	for page := 0; ; page++ {
		meta, err := r.endpoint.page(ctx, query, item)
		if err != nil {
			return meta, page, err
		}
		if meta.Continue == "" {
			meta.RemainingItemCount = nil
			return meta, page, nil
		}
		if meta.Continue == query.Get("continue") {
			err := errors.New("the server answers with the page that was asked for")
			return meta, page, r.endpoint.failed("list", "", err)
		}
		query.Set("continue", meta.Continue)
		query.Del("resourceVersion")
		query.Del("resourceVersionMatch")
	}
}

// page fetches one page and hands each item to f.
func (e Endpoint) page(ctx context.Context, query url.Values, f func(jsontext.Value) error) (ListMeta, error) {
	req, err := e.Request(ctx, http.MethodGet, "", "", query, nil)
	if err != nil {
		return ListMeta{}, err
	}
	resp, err := e.open("list", "", req)
	if err != nil {
		return ListMeta{}, err
	}
	items := NewItemReader(resp.Body)
	err = eachItem(items, f)
	var refused *StatusError
	switch {
	case err == nil:
		closeBody(resp.Body)
		return items.Meta(), nil
	case errors.As(err, &refused):
		refused.Op, refused.Resource, refused.Object = "list", e.kind.Resource(), e.Object("")
		refused.Header = resp.Header
	case !errors.Is(err, errStopped):
		err = e.failed("list", "", fmt.Errorf("reading the list: %w", causeOf(ctx, err)))
	}
	_ = resp.Body.Close() // what is left is not wanted
	return items.Meta(), err
}

// eachItem hands each item of a list to f.
func eachItem(items *ItemReader, f func(jsontext.Value) error) error {
	for i := 0; ; i++ {
		raw, err := items.Next()
		if err == io.EOF { //nolint:errorlint // Next returns the bare one at the end
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(raw); err != nil {
			if errors.Is(err, errStopped) {
				return err
			}
			return fmt.Errorf("items[%d]: %w", i, err)
		}
	}
}

// query returns the parameters of the first page.
func (o *ListOptions) query() url.Values {
	q := url.Values{}
	addNonEmpty(q, "labelSelector", o.LabelSelector)
	addNonEmpty(q, "fieldSelector", o.FieldSelector)
	addNonEmpty(q, "resourceVersion", o.ResourceVersion)
	addNonEmpty(q, "resourceVersionMatch", o.ResourceVersionMatch)
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
func (e Endpoint) checkList(o *ListOptions) error {
	if e.err != nil {
		return e.err
	}
	if err := o.check(); err != nil {
		return e.bad("list", "", err)
	}
	return nil
}

func (o *ListOptions) check() error {
	if _, err := ParseLabels(o.LabelSelector); err != nil {
		return err
	}
	if _, err := ParseFields(o.FieldSelector); err != nil {
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
