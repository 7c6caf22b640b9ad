package rest

import (
	"context"
	"net/http"

	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/rest/internal/transport"
	"github.com/tideway-go/tideway/stream"
)

// Discover asks the server what it serves. Names then resolve by the new answer. It takes two
// requests, or, before Kubernetes 1.27, one more for each version of each group; a server with no
// news sends nothing. Calls at the same time share one reading.
//
// Groups that the server cannot describe are in [Discovery].Failures. 401, 403, 5xx, no answer, and
// an answer that is not discovery are errors; the previous answer then stays in use. Without
// [Options].Discovery, the answer is empty and nothing is sent.
func (c *Client) Discover(ctx context.Context) <-chan stream.Result[Discovery] {
	needContext(ctx)
	if c.discoverer == nil {
		return stream.Answer(Discovery{}, nil)
	}
	return stream.Go(ctx, func(ctx context.Context) (Discovery, error) {
		s, err := c.discoverer.read(ctx)
		if err != nil {
			return Discovery{}, err
		}
		return s.all.clone(), nil
	})
}

// maxDiscovery bounds an answer, in bytes, unless a client takes larger objects: a large cluster
// has one or two MiB.
const maxDiscovery = 64 << 20

// discover sends one request of discovery.
func (c *Client) discover(ctx context.Context, path, accept, etag string) (page, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server.JoinPath(path).String(), http.NoBody)
	if err != nil {
		return page{}, line.Errorf("%s %s: %w", opDiscover, path, err)
	}
	req.Header.Set("Accept", accept)
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	resp, err := transport.Send(c.front, req)
	if err != nil {
		return page{}, line.Errorf("%s %s: %w", opDiscover, path, causeOf(ctx, err))
	}
	if resp.StatusCode != http.StatusOK && (resp.StatusCode != http.StatusNotModified || etag == "") {
		return page{}, (&Endpoint{client: c, kind: Kind{Plural: path}}).refused(opDiscover, "", resp)
	}
	defer resp.Body.Close()
	limit := c.defaults.maxObject()
	if limit > 0 {
		limit = max(limit, maxDiscovery)
	}
	body, err := readBody(resp, limit)
	if err != nil {
		return page{}, line.Errorf("%s %s: reading the answer: %w", opDiscover, path, c.transport.HideIn(causeOf(ctx, err)))
	}
	return page{resp.StatusCode, resp.Header.Get("Content-Type"), resp.Header.Get("Etag"), body, c.transport.Hide}, nil
}
