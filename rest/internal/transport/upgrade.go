package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
)

// upgrades reports whether a request asks for another protocol. HTTP/2 has no way to ask for one.
func upgrades(r *http.Request) bool { return r.Header.Get("Upgrade") != "" }

// upgraded is the body of an answer that changed the protocol: a connection that ends with the
// context of its request. Once the context has ended, the errors are its cause.
type upgraded struct {
	conn  io.ReadWriteCloser
	cause func() error // nil while the context lasts

	once  sync.Once
	stop  func() bool
	ended chan struct{} // closed once the context has ended the connection
}

// hold ties the connection of an answer of status 101 to ctx, which net/http does not do. An answer
// without a connection stays as it is. If r did not ask for it, there is nothing to read, and the
// connection ends.
func hold(ctx context.Context, r *http.Request, resp *http.Response, cut func()) {
	conn, ok := resp.Body.(io.ReadWriteCloser)
	if resp.StatusCode != http.StatusSwitchingProtocols || !ok {
		return
	}
	if !upgrades(r) {
		cut()
		_ = conn.Close()
		resp.Body = http.NoBody
		return
	}
	u := &upgraded{conn: conn, cause: func() error { return context.Cause(ctx) }, ended: make(chan struct{})}
	u.stop = context.AfterFunc(ctx, func() {
		defer close(u.ended)
		cut()
		_ = conn.Close()
	})
	resp.Body = u
}

// Read implements [io.Reader].
func (u *upgraded) Read(p []byte) (int, error) {
	n, err := u.conn.Read(p)
	return n, u.why(err)
}

// Write implements [io.Writer].
func (u *upgraded) Write(p []byte) (int, error) {
	n, err := u.conn.Write(p)
	return n, u.why(err)
}

// CloseWrite ends the writing side, if the connection can close it alone.
func (u *upgraded) CloseWrite() error {
	c, ok := u.conn.(interface{ CloseWrite() error })
	if !ok {
		return http.ErrNotSupported
	}
	return c.CloseWrite()
}

// Close closes the connection. The context still bounds how long that takes.
func (u *upgraded) Close() error {
	err := u.conn.Close()
	u.once.Do(func() {
		if !u.stop() {
			<-u.ended
		}
	})
	return err
}

// why replaces the error of a connection that the context has ended. A clean end by the server
// stays a clean end.
func (u *upgraded) why(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	if cause := u.cause(); cause != nil {
		return cause
	}
	return err
}

// bottom returns the connection under all TLS.
func bottom(c net.Conn) net.Conn {
	for {
		over, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return c
		}
		c = over.NetConn()
	}
}
