package rest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Upgrade sends a request that asks the server to continue in another protocol, such as websocket,
// and returns the answer of status 101. The body of that answer is the connection: an
// [io.ReadWriteCloser].
//
// The request is an ordinary one to the client's server, with the header Upgrade and whatever else
// the protocol needs. It goes through the client's own transport, with its trust, proxies,
// credentials and wrapper, but always over HTTP/1.1, because HTTP/2 cannot change the protocol. To
// an http:// server, an HTTP proxy has to pass the upgrade on. As with any other request, if the
// server does not authenticate it and there are newer credentials, it is sent once more. An answer
// of status 300 and up is a [StatusError] with the server's reason; its operation is "upgrade" and
// its resource is the path.
//
// The caller has to close the connection. It also ends with the context of the request, at once and
// whatever it is doing; Read and Write then return [context.Cause]. A deadline for the handshake
// alone cancels that context only if Upgrade has not returned yet. The connection also ends when a
// credential plugin prints another certificate, like all connections that were made with the old
// one. [Client.CloseIdle] leaves it alone.
//
// With [Options].Transport, Upgrade works if that transport hands out connections, as
// [http.Transport] does. What [Options].Wrap adds must keep the body of the answer writable.
// Otherwise the error says so.
func (c *Client) Upgrade(r *http.Request) (*http.Response, error) {
	const op = "upgrade"
	e := &Endpoint{client: c}
	if r.URL != nil {
		e.kind.Plural = strings.TrimPrefix(r.URL.Path, c.server.Path)
	}
	if r.Header.Get("Upgrade") == "" {
		return nil, e.bad(op, "", errors.New("the request names no protocol: it has no Upgrade header"))
	}
	resp, err := c.front.RoundTrip(r)
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
