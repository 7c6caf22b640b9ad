package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// pageReader receives the items of a list.
type pageReader struct {
	name     string                  // of the objects, "" for any
	bare     bool                    // errors are the cause alone, without the operation
	patience time.Duration           // for a page, 0 without limit
	page     func(first bool) error  // a page is about to be requested, the first one of the list or a later one; may be nil
	again    func()                  // forgets the items of the page; nil: that is not possible
	next     func(*itemReader) error // reads an item, until it returns an error: io.EOF at the end of the page
	restart  bool                    // the list may start over; it fails otherwise
}

// ErrEndless means that a list does not end: the server repeats a continue token, or sends page
// after page without an item.
var ErrEndless = errors.New("the list does not end")

const (
	// maxIdle is how many pages in a row may be empty. A server that selects the items of each page
	// after it has read them sends some.
	maxIdle = 10
	// maxToken is the longest continue token, in bytes. Those of API servers have some hundred.
	maxToken = 32 << 10
)

// pages fetches page after page and returns the metadata of the whole. It is the one pager.
//
// When the server forgets the list's version between two pages (410), the list starts over, once,
// and asks for everything in one piece, so that this cannot happen again.
func (e *Endpoint) pages(ctx context.Context, o *ListOptions, to pageReader) (ListMeta, error) {
	query := o.query()
	var end endless
	for first := true; ; {
		if to.page != nil {
			if err := to.page(first); err != nil {
				return ListMeta{}, err
			}
		}
		meta, came, err := e.page(ctx, query, &to)
		switch {
		case !first && errors.Is(err, ErrExpired) && to.restart && query.Get("limit") != "":
			whole := *o
			whole.Limit = -1
			query, first, end = whole.query(), true, endless{}
			continue
		case err != nil:
			return meta, err
		case meta.Continue == "":
			meta.RemainingItemCount = nil
			return meta, nil
		}
		if err := end.check(meta.Continue, came); err != nil {
			return meta, to.failed(e, err)
		}
		query.Set("continue", meta.Continue)
		query.Del("resourceVersion")
		query.Del("resourceVersionMatch")
		first = false
	}
}

// endless finds out whether a list goes round in circles.
type endless struct {
	idle   int    // empty pages in a row
	marked string // a token of before; every later one is compared with it
	since  int    // pages since it was marked
	until  int    // the next mark is set after so many: always twice as many
}

// check returns an error if the list does not end. Tokens that recur are found within three rounds,
// with one of them in memory.
func (l *endless) check(token string, came bool) error {
	l.idle++
	if came {
		l.idle = 0
	}
	switch {
	case l.idle >= maxIdle:
		return fmt.Errorf("%w: %d pages in a row were empty", ErrEndless, l.idle)
	case len(token) > maxToken:
		return fmt.Errorf("the server's continue token is longer than %d bytes", maxToken)
	case token == l.marked:
		return fmt.Errorf("%w: the server repeats a continue token", ErrEndless)
	}
	if l.since++; l.since > l.until {
		l.marked, l.since, l.until = token, 0, 2*l.until+1
	}
	return nil
}

// page fetches one page and has its items read. One that breaks off is fetched again, if the handle
// says so and the items can be taken back.
func (e *Endpoint) page(ctx context.Context, query url.Values, to *pageReader) (meta ListMeta, came bool, err error) {
	q := &request{op: "list", method: http.MethodGet, collection: true, query: query}
	err = e.retry(ctx, q.method, func() error {
		meta, came, err = e.read(ctx, q, to)
		switch {
		case err == nil || !came:
		case to.again != nil:
			to.again()
		default:
			return &lastError{err}
		}
		return err
	})
	return meta, came, err
}

// read sends the request of a page and has its items read; came reports whether there was one.
func (e *Endpoint) read(ctx context.Context, q *request, to *pageReader) (_ ListMeta, came bool, err error) {
	body, err := e.openUntil(ctx, q, to.patience)
	if err != nil {
		return ListMeta{}, false, to.failed(e, err)
	}
	defer body.close()
	items := newItemReader(body, e.options().maxObject())
	items.asked = e.asks(to.name)
	for err == nil {
		err = to.next(items)
		came = came || err == nil
	}
	if err == io.EOF { //nolint:errorlint // the bare one is the end of the page
		return items.meta, came, nil
	}
	if items.err == nil {
		return items.meta, came, err // of the function that takes the items
	}
	err = body.cause(err)
	if refused, ok := errors.AsType[*StatusError](err); ok {
		refused.Op, refused.Resource, refused.Object = q.op, e.resource(), e.object("")
		refused.Header = body.header
		e.hide(&refused.Status)
		return items.meta, came, err
	}
	if !to.bare {
		err = fmt.Errorf("reading the list: %w", err)
	}
	return items.meta, came, to.failed(e, err)
}

// failed adds the operation to an error, unless the reader wants the bare cause.
func (to *pageReader) failed(e *Endpoint, err error) error {
	if to.bare {
		return err
	}
	return e.failed("list", "", err)
}
