package rest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tideway-go/tideway/rest/internal/transport"
)

// Upgrade sends a request that asks the server to continue in another protocol, such as websocket,
// and returns the answer of status 101. Its body is the connection: an [io.ReadWriteCloser].
//
// The request needs the header Upgrade and whatever else the protocol requires. It is sent like any
// other, but over HTTP/1.1, since HTTP/2 cannot change the protocol; an HTTP proxy before an
// http:// server has to pass the upgrade on. An answer of status 300 and up is a [StatusError] with
// the operation "upgrade"; its resource is the path.
//
// The caller closes the connection. It also ends at once with the context of the request, and Read
// and Write then return [context.Cause]: to limit the handshake alone, cancel the context only if
// Upgrade has not returned yet. If a credential plugin prints another certificate, the connection
// ends, too. [Client.CloseIdle] leaves it alone.
//
// [Options].Transport has to hand out connections, as [http.Transport] does, and [Options].Wrap has
// to keep the body writable; otherwise Upgrade returns an error.
func (c *Client) Upgrade(r *http.Request) (*http.Response, error) {
	const op = "upgrade"
	e := &Endpoint{client: c}
	if r.URL != nil {
		e.kind.Plural = strings.TrimPrefix(r.URL.Path, c.server.Path)
	}
	if r.Header.Get("Upgrade") == "" {
		return nil, e.bad(op, "", errors.New("the request names no protocol: it has no Upgrade header"))
	}
	resp, err := transport.Send(c.front, r)
	if err != nil {
		return nil, e.failed(op, "", causeOf(r.Context(), err))
	}
	e.warn(op, "", resp.Header)
	switch _, ok := resp.Body.(io.ReadWriteCloser); {
	case resp.StatusCode >= http.StatusMultipleChoices:
		return nil, e.refused(op, "", resp)
	case resp.StatusCode != http.StatusSwitchingProtocols:
		err = fmt.Errorf("the server did not switch protocols: it answered %s", resp.Status)
	case !ok:
		err = errors.New("the answer has no connection: the server named no protocol, or Options.Transport or Options.Wrap hides it")
	default:
		return resp, nil
	}
	_ = resp.Body.Close()
	return nil, e.failed(op, "", err)
}
