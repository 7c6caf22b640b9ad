package rest

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tideway-go/tideway/rest/internal/wire"
	"github.com/tideway-go/tideway/stream"
)

// Item is an object in a list, before it is decoded.
type Item struct {
	Key                  Key
	UID, ResourceVersion string
	JSON                 jsontext.Value // with kind and apiVersion; valid until take returns
}

// pagePatience is how long a page of a raw list may take. A server ends such requests after a
// minute.
const pagePatience = 65 * time.Second

// List reads a list page by page in constant memory, calls take for each item, and returns the
// metadata of the list. An error of take ends it.
//
// page is called before each request of a page, with true for the first one. It is called with true
// again if the server forgets the list's version between two pages: List then starts over, once, in
// one piece. An error of page ends the list. A list whose tokens repeat, or whose pages are empty,
// is an [ErrEndless].
//
// An item without a name, or with one of more than 4 KiB, is an [ErrAnswer].
//
// [CallOptions].Retry does not apply. Each page may take 65 seconds, not counting the time in take;
// then the error is [ErrOverdue]. A refusal is a [*StatusError]; other errors are the bare cause,
// without the operation.
func (e Endpoint) List(ctx context.Context, o ListOptions, page func(first bool) error, take func(Item) error) (ListMeta, error) {
	needContext(ctx)
	if err := e.checkList(&o); err != nil {
		return ListMeta{}, err
	}
	if err := e.checkResolved(); err != nil {
		return ListMeta{}, err
	}
	once := *e.options()
	once.Retry = stream.Backoff{}
	e.call = &once
	return e.pages(ctx, &o, pageReader{
		name:     o.Name,
		bare:     true,
		patience: pagePatience,
		restart:  true,
		page:     page,
		next: func(items *itemReader) error {
			it, err := e.item(items)
			if err != nil {
				return err
			}
			return take(it)
		},
	})
}

// checkResolved refuses an endpoint whose kind is not known yet.
func (e *Endpoint) checkResolved() error {
	if e.pending {
		return invalid(fmt.Errorf("rest: kind %q is not resolved yet: use Endpoint.Resolve", e.named))
	}
	return nil
}

// item returns the next item of the list.
func (e *Endpoint) item(items *itemReader) (it Item, err error) {
	raw, is, err := items.next()
	if err != nil {
		return it, e.undecoded(err)
	}
	if err := items.asked.named(&is); err != nil {
		return it, items.fail(fmt.Errorf("items[%d]: %w", items.index-1, err))
	}
	return Item{
		Key: e.key(is.Namespace, is.Name), UID: is.UID, ResourceVersion: is.ResourceVersion,
		JSON: e.typed(raw, &is),
	}, nil
}

// typed returns the JSON of an object with the kind and apiVersion of the resource, which servers
// leave out in lists, and call something else where only metadata is asked for.
func (e *Endpoint) typed(raw []byte, is *wire.Identity) []byte {
	if e.partial && is.Kind == partialKind {
		return wire.SetTypes(raw, is, e.kind.Kind, e.kind.APIVersion())
	}
	return wire.Complete(raw, is, e.kind.Kind, e.kind.APIVersion())
}
