package rest_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// forever is a pause that only the end of the request ends.
const forever = time.Duration(-1)

// paced answers with a body that arrives in pieces: a string is text, a duration is a pause.
func paced(pieces ...any) reply {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
			Body: &pacedBody{ended: r.Context().Done(), pieces: pieces},
		}, nil
	}
}

// silent does not even answer with a header.
func silent(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

type pacedBody struct {
	ended  <-chan struct{}
	pieces []any
}

func (b *pacedBody) Read(p []byte) (int, error) {
	for len(b.pieces) > 0 {
		if text, ok := b.pieces[0].(string); ok {
			n := copy(p, text)
			if b.pieces[0] = text[n:]; n == len(text) {
				b.pieces = b.pieces[1:]
			}
			return n, nil
		}
		var over <-chan time.Time
		if pause := b.pieces[0].(time.Duration); pause != forever {
			over = time.After(pause)
		}
		select {
		case <-over:
			b.pieces = b.pieces[1:]
		case <-b.ended:
			return 0, context.Canceled
		}
	}
	return 0, io.EOF
}

func (*pacedBody) Close() error { return nil }

// podsAt returns the pods of a server that gives these answers, with options for its calls.
func podsAt(t *testing.T, o rest.CallOptions, answers ...reply) (rest.Endpoint, *wire) {
	t.Helper()
	w := &wire{answers: answers}
	c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{Transport: w, Defaults: o})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return rest.For[rest.Object](c, "Pod").In("default").Endpoint(), w
}
