package transport

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
)

// decode decompresses the body of an answer that somebody on the way has compressed although the
// request did not ask for it.
func decode(resp *http.Response) {
	if !strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") || resp.Body == nil || resp.Body == http.NoBody {
		return
	}
	resp.Body = &gunzip{body: resp.Body, in: bufio.NewReader(resp.Body)}
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength, resp.Uncompressed = -1, true
}

// gunzip reads a body of gzip members. It hands over the end of one before it waits for the next,
// which may be an event that comes much later.
type gunzip struct {
	body  io.ReadCloser
	in    *bufio.Reader
	out   *gzip.Reader
	ended bool // between two members
}

// Read implements [io.Reader].
func (g *gunzip) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if err := g.begin(); err != nil {
			return 0, err
		}
		n, err := g.out.Read(p)
		if errors.Is(err, io.EOF) {
			g.ended, err = true, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// Close closes the body.
func (g *gunzip) Close() error { return g.body.Close() }

// begin begins with the next member if the last one has ended; [io.EOF] means that there is none.
func (g *gunzip) begin() (err error) {
	switch {
	case g.out == nil:
		g.out, err = gzip.NewReader(g.in)
	case g.ended:
		err = g.out.Reset(g.in)
	default:
		return nil
	}
	if err == nil {
		g.ended = false
		g.out.Multistream(false)
	}
	return err
}
