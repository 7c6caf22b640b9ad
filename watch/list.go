package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

const (
	// pageSize is how many objects of a list are asked for at a time.
	pageSize = 500
	// pagePatience is how long a page may take. A server ends such requests after a minute.
	pagePatience = 65 * time.Second
)

// list tells the difference between what is known and what there is, and Synced. Objects are told as they arrive, so that
// a list that breaks off has told the part that the next one need not repeat.
func (w *watcher) list(ctx context.Context, a *stream.Attempt[item]) error {
	limit := pageSize
	version, err := w.pages(ctx, a, limit)
	if errors.Is(err, errPaging) { // the token expired between two pages: once more, in one piece
		version, err = w.pages(ctx, a, 0)
	}
	if err != nil {
		return err
	}
	for _, l := range w.known.vanished(w.endpoint.Kind().Kind) {
		if err := w.infer(ctx, a, nil, l); err != nil {
			return err
		}
	}
	w.version, w.listed, w.hollow = version, true, 0
	w.replay = w.options.Replay
	if !w.tell(a, nil, item{typ: Synced, version: version}) {
		return ctx.Err()
	}
	return nil
}

var errPaging = errors.New("the list expired between two pages")

// pages reads the whole list and returns its resource version.
func (w *watcher) pages(ctx context.Context, a *stream.Attempt[item], limit int) (version string, err error) {
	w.known.begin()
	query := url.Values{}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	if !w.listed && w.options.ResourceVersion == listFromCache {
		query.Set("resourceVersion", listFromCache)
	}
	for {
		meta, err := w.page(ctx, a, query)
		if err != nil {
			if query.Get("continue") != "" && errors.Is(err, rest.ErrExpired) {
				err = fmt.Errorf("%w: %w", errPaging, err)
			}
			return "", err
		}
		if version = meta.ResourceVersion; version == "" {
			return "", fmt.Errorf("list: %w", ErrNoVersion)
		}
		if meta.Continue == "" {
			return version, nil
		}
		if meta.Continue == query.Get("continue") {
			return "", errors.New("list: the server answers with the page before")
		}
		query.Set("continue", meta.Continue)
		query.Del("resourceVersion")
	}
}

func (w *watcher) page(ctx context.Context, a *stream.Attempt[item], query url.Values) (rest.ListMeta, error) {
	res, err := w.request(ctx, "list", query, pagePatience)
	if err != nil {
		return rest.ListMeta{}, err
	}
	defer res.close()
	items := rest.NewItemReader(res)
	items.Limit(w.endpoint.MaxObject())
	for {
		raw, err := items.Next()
		if errors.Is(err, io.EOF) {
			return items.Meta(), nil
		}
		if err != nil {
			return rest.ListMeta{}, res.cause(err)
		}
		if err := w.found(ctx, a, res, raw); err != nil {
			return rest.ListMeta{}, err
		}
	}
}

// found tells what an object of the list changes.
func (w *watcher) found(ctx context.Context, a *stream.Attempt[item], res *response, raw []byte) error {
	m, err := rest.ReadMeta(raw)
	if err != nil {
		return err
	}
	if m.ResourceVersion == "" {
		return fmt.Errorf("list: %s: %w", w.key(m), ErrNoVersion)
	}
	it := item{typ: Added, key: w.key(m), version: m.ResourceVersion, listed: true, replayed: w.replay}
	if !w.filters.matter(it.key) {
		return nil
	}
	switch before, was := w.known.put(it.key, it.version); {
	case !was:
	case before.uid != it.key.UID && before.uid != "": // another object under the same name
		if err := w.infer(ctx, a, res, before.lost(it.key.Kind, name{m.Namespace, m.Name})); err != nil {
			return err
		}
	case w.replay:
	case before.version == it.version:
		return nil
	default:
		it.typ = Modified
	}
	if w.filters.keep(it.typ, it.key) {
		it.raw = w.object(raw, m)
	}
	if !w.tell(a, res, it) {
		return ctx.Err()
	}
	return nil
}

// object copies an object of a list, which lacks kind and apiVersion for most kinds, into a buffer, and gives it both.
func (w *watcher) object(raw []byte, m rest.Meta) *[]byte {
	buf := newBuffer()
	if m.Kind != "" && m.APIVersion != "" {
		*buf = append(*buf, raw...)
		return buf
	}
	k := w.endpoint.Kind()
	*buf = fmt.Appendf(*buf, `{"kind":%q,"apiVersion":%q,`, k.Kind, k.APIVersion())
	*buf = append(*buf, bytes.TrimLeft(raw[1:], " \t\r\n")...)
	return buf
}

// infer tells a Deleted that nobody saw.
func (w *watcher) infer(ctx context.Context, a *stream.Attempt[item], res *response, l lost) error {
	it := item{typ: Deleted, key: l.key, version: l.version, listed: true, inferred: true}
	k := w.endpoint.Kind()
	metadata := map[string]string{"name": l.key.Name, "resourceVersion": l.version}
	if l.key.Namespace != "" {
		metadata["namespace"] = l.key.Namespace
	}
	if l.key.UID != "" {
		metadata["uid"] = l.key.UID
	}
	raw, err := rest.Encode(map[string]any{"apiVersion": k.APIVersion(), "kind": k.Kind, "metadata": metadata})
	if err != nil {
		return err
	}
	it.raw = &raw
	if !w.tell(a, res, it) {
		return ctx.Err()
	}
	return nil
}
