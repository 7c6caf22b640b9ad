package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Expired says what a list does when the server forgets its version between two
// pages, as servers do after some minutes.
type Expired string

// What to do with an expired list.
const (
	// ExpiredFails ends with an error that matches [ErrExpired].
	ExpiredFails Expired = "Fail"
	// ExpiredStartsOver begins again, once, and asks for all at once, so that
	// it cannot happen again. What Each has sent before is void.
	ExpiredStartsOver Expired = "StartOver"
	// ExpiredGoesOn continues with the next object as it is now. The whole
	// shows no one moment: what was changed meanwhile may be missing or old.
	ExpiredGoesOn Expired = "GoOn"
)

func (x Expired) check() error {
	switch x {
	case "", ExpiredFails, ExpiredStartsOver, ExpiredGoesOn:
		return nil
	}
	return fmt.Errorf("expired %q is none of Fail, StartOver, GoOn", string(x))
}

// pageReader takes what pages hold.
type pageReader struct {
	begin   func()                  // a page begins; may be nil
	again   func()                  // forgets the items of the page; nil: that is not possible
	next    func(*ItemReader) error // reads an item, until it returns an error: io.EOF at the end of the page
	expired func() bool             // the list starts over, or goes on; false: nobody listens
}

// pages fetches page after page and returns the metadata of the whole.
func (e Endpoint) pages(ctx context.Context, o *ListOptions, to pageReader) (ListMeta, error) {
	query := o.query()
	fresh := true // the page is the first since the list expired, or of all
	for page := 0; ; page++ {
		meta, err := e.page(ctx, query, to)
		if page > 0 && errors.Is(err, ErrExpired) {
			if next, ok := o.renew(query, err, fresh); ok {
				if !to.expired() {
					return meta, context.Cause(ctx)
				}
				query, fresh = next, true
				if o.Expired == ExpiredStartsOver {
					page = -1
				}
				continue
			}
		}
		if err != nil {
			return meta, err
		}
		if meta.Continue == "" {
			meta.RemainingItemCount = nil
			return meta, nil
		}
		if meta.Continue == query.Get("continue") {
			err := errors.New("the server answers with the page that was asked for")
			return meta, e.failed("list", "", err)
		}
		query.Set("continue", meta.Continue)
		query.Del("resourceVersion")
		query.Del("resourceVersionMatch")
		fresh = false
	}
}

// renew returns the query after a list has expired; false: it has failed. Where
// nothing came since it expired before, it has.
func (o *ListOptions) renew(query url.Values, err error, fresh bool) (url.Values, bool) {
	switch o.Expired {
	case ExpiredStartsOver:
		if query.Get("limit") == "" {
			return nil, false
		}
		all := *o
		all.Limit = -1
		return all.query(), true
	case ExpiredGoesOn:
		var refused *StatusError
		if fresh || !errors.As(err, &refused) || refused.Status.Metadata.Continue == "" {
			return nil, false
		}
		query.Set("continue", refused.Status.Metadata.Continue)
		return query, true
	default:
		return nil, false
	}
}

// page fetches one page and has its items read. What breaks off is fetched
// again, where the handle says so, if the items can be taken back.
func (e Endpoint) page(ctx context.Context, query url.Values, to pageReader) (meta ListMeta, err error) {
	req, err := e.Request(ctx, http.MethodGet, "", "", query, nil)
	if err != nil {
		return ListMeta{}, err
	}
	if to.begin != nil {
		to.begin()
	}
	err = e.retry(req, func(req *http.Request) error {
		var came bool
		meta, came, err = e.read(ctx, req, to.next)
		switch {
		case err == nil || !came:
		case to.again != nil:
			to.again()
		default:
			return &lastError{err}
		}
		return err
	})
	return meta, err
}

// read sends the request of a page and has its items read; came tells that there
// was one.
func (e Endpoint) read(ctx context.Context, req *http.Request, next func(*ItemReader) error) (_ ListMeta, came bool, err error) {
	resp, err := e.open("list", "", req)
	if err != nil {
		return ListMeta{}, false, err
	}
	defer resp.Body.Close()
	items := NewItemReader(resp.Body)
	items.Limit(e.options().maxObject())
	for err == nil {
		err = next(items)
		came = came || err == nil
	}
	var refused *StatusError
	switch {
	case err == io.EOF: //nolint:errorlint // the bare one is the end of the page
		return items.Meta(), came, nil
	case errors.As(err, &refused):
		refused.Op, refused.Resource, refused.Object = "list", e.resource(), e.Object("")
		refused.Header = resp.Header
	default:
		err = e.failed("list", "", fmt.Errorf("reading the list: %w", causeOf(ctx, err)))
	}
	return items.Meta(), came, err
}
