package watch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// answers is a server that answers a watch with what a function returns, without a network.
type answers struct {
	mu     sync.Mutex
	answer func(r *http.Request) *reply
	asked  []asked
}

// asked is a request that arrived.
type asked struct {
	verb, version string // "list", "continue", "watch", or "stream", which is a list and a watch
	limit         string
	at            time.Time
	reply         *reply
}

// reply is an answer. The body arrives in pieces: a string is text, a duration is a pause, an error
// breaks the connection.
type reply struct {
	code   int
	header http.Header
	before time.Duration // until the headers
	pieces []any
	fresh  bool      // a page that brings objects the list has not brought yet
	over   time.Time // when it was closed
	read   int       // pieces
	mark   int       // how many pieces had been read when the initial events ended; 0: they have not
	marked time.Time // when that was
}

var errReset = errors.New("connection reset by peer")

// RoundTrip implements [http.RoundTripper].
func (s *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	verb := "list"
	switch {
	case q.Has("sendInitialEvents"):
		verb = "stream"
	case q.Get("watch") == "true":
		verb = "watch"
	case q.Has("continue"):
		verb = "continue"
	}
	s.mu.Lock()
	re := s.answer(r)
	s.asked = append(s.asked, asked{verb, q.Get("resourceVersion"), q.Get("limit"), time.Now(), re})
	s.mu.Unlock()
	if err := wait(r.Context(), re.before); err != nil {
		return nil, err
	}
	re.over = time.Now()
	if len(re.pieces) > 0 {
		if err, ok := re.pieces[0].(error); ok && re.code == 0 {
			return nil, err
		}
	}
	if re.header == nil {
		re.header = http.Header{"Content-Type": {"application/json"}}
	}
	if re.code == 0 {
		re.code = http.StatusOK
	}
	return &http.Response{StatusCode: re.code, Header: re.header, Request: r, Body: &replyBody{r.Context(), re, slices.Clone(re.pieces)}}, nil
}

// requests returns what has been asked so far.
func (s *answers) requests() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

type replyBody struct {
	ctx    context.Context //nolint:containedctx // of the request whose body this is
	reply  *reply
	pieces []any
}

// Read implements [io.Reader].
func (b *replyBody) Read(p []byte) (int, error) {
	for len(b.pieces) > 0 {
		switch piece := b.pieces[0].(type) {
		case string:
			n := copy(p, piece)
			if b.pieces[0] = piece[n:]; n == len(piece) {
				b.pieces = b.pieces[1:]
				b.reply.read++
				if strings.Contains(piece, endOfInitial) && b.reply.mark == 0 {
					b.reply.mark, b.reply.marked = b.reply.read, time.Now()
				}
			}
			return n, nil
		case time.Duration:
			if err := wait(b.ctx, piece); err != nil {
				return 0, err
			}
			b.pieces = b.pieces[1:]
			b.reply.read++
		case error:
			return 0, piece
		}
	}
	return 0, io.EOF
}

// Close implements [io.Closer].
func (b *replyBody) Close() error {
	b.reply.over = time.Now()
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pods returns the pods of the server.
func (s *answers) pods(t *testing.T) rest.Resource[rest.Object] {
	t.Helper()
	return rest.For[rest.Object](s.client(t), "Pod").In("default")
}

// client returns a client of the server.
func (s *answers) client(t *testing.T) *rest.Client {
	t.Helper()
	c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{Transport: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// inTurn answers lists with the first function and watches with the others, one after the other;
// the last one repeats.
func inTurn(list func() *reply, watches ...func() *reply) *answers {
	n := 0
	return &answers{answer: func(r *http.Request) *reply {
		if r.URL.Query().Get("watch") != "true" {
			return list()
		}
		n++
		return watches[min(n, len(watches))-1]()
	}}
}

// page is a list, or a page of it, whose objects are written "a@5".
func page(version, token string, objects ...string) *reply {
	items := make([]string, 0, len(objects))
	for _, o := range objects {
		items = append(items, object(o))
	}
	return &reply{pieces: []any{fmt.Sprintf(
		`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":%q,"continue":%q},"items":[%s]}`, version, token, strings.Join(items, ","))}}
}

// object is the JSON of an object that is written "a@5".
func object(o string) string {
	name, version, _ := strings.Cut(o, "@")
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"default","uid":"u-%s","resourceVersion":%q}}`, name, name, version)
}

// endOfInitial is the annotation of the bookmark after the initial events.
const endOfInitial = "k8s.io/initial-events-end"

// frame is an event of a watch: "ADDED a@5", "BOOKMARK @7", "END @7" of the initial events.
func frame(event string) string {
	typ, o, _ := strings.Cut(event, " ")
	if typ == "END" {
		return fmt.Sprintf(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":%q,"annotations":{%q:"true"}}}}`+"\n", o[1:], endOfInitial)
	}
	if typ == "BOOKMARK" {
		return fmt.Sprintf(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":%q}}}`+"\n", o[1:])
	}
	return fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", typ, object(o))
}

// failure is an ERROR event.
func failure(code int, reason, message string) string {
	return fmt.Sprintf(`{"type":"ERROR","object":%s}`+"\n", status(code, reason, message))
}

func status(code int, reason, message string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":%q,"message":%q}`, code, reason, message)
}

// refuse is a refusal.
func refuse(code int, reason, message string) *reply {
	return &reply{code: code, pieces: []any{status(code, reason, message)}}
}

// streams is the body of a watch: events, pauses and errors.
func streams(pieces ...any) *reply {
	for i, p := range pieces {
		if s, ok := p.(string); ok && s != "" && !strings.HasPrefix(s, "{") {
			pieces[i] = frame(s)
		}
	}
	return &reply{pieces: pieces}
}
