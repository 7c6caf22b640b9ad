package watch_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/watch"
)

// smallPod has the few fields that a program might read.
type smallPod struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

// BenchmarkEvents measures one event from the bytes of the connection to the reader of the channel.
func BenchmarkEvents(b *testing.B) {
	b.Run("struct", func(b *testing.B) { benchmarkEvents[smallPod](b) })
	b.Run("object", func(b *testing.B) { benchmarkEvents[rest.Object](b) })
	b.Run("filtered", func(b *testing.B) { benchmarkEvents[smallPod](b, watch.Names("web-99")) }) // 1 in 100 is sent
}

func benchmarkEvents[T any](b *testing.B, keep ...watch.Filter) {
	client, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{Transport: frames{}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	events := watch.Events(ctx, rest.For[T](client, "Pod").In("default"), watch.Options{PageSize: 500, Keep: keep})
	<-events // Synced
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if ev := <-events; ev.Type != watch.Modified {
			b.Fatal(ev)
		}
	}
	b.StopTimer()
	cancel()
	for range events {
	}
}

// frames is a server whose lists are empty, and whose watches carry changes of pods without end.
type frames struct{}

func (frames) RoundTrip(r *http.Request) (*http.Response, error) {
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r}
	if r.URL.Query().Get("watch") == "" {
		resp.Body = io.NopCloser(strings.NewReader(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`))
		return resp, nil
	}
	resp.Body = newEndless(r.Context())
	return resp, nil
}

// endless repeats frames of about 5 KB, each time with new versions.
type endless struct {
	ctx      context.Context //nolint:containedctx // the body of an answer ends with its request
	frames   []byte
	versions []int // their positions in frames
	version  int
	pos      int
}

func newEndless(ctx context.Context) *endless {
	e := &endless{ctx: ctx, version: 1_000_000_000}
	var b bytes.Buffer
	for i := range 100 {
		var env strings.Builder
		for n := range 60 {
			fmt.Fprintf(&env, `,{"name":"VARIABLE_%d","value":"some value of an ordinary length, %d"}`, n, n)
		}
		fmt.Fprintf(&b, `{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-%d","namespace":"default",`+
			`"uid":"5e5a6ab6-7b0e-4d3c-9a58-7a06c5a8d0c1","labels":{"app":"web"},"resourceVersion":"`, i)
		e.versions = append(e.versions, b.Len())
		b.WriteString(`0000000000"},"spec":{"containers":[{"name":"web","image":"web:1","env":[{"name":"A","value":"b"}` + env.String() +
			`]}]},"status":{"phase":"Running"}}}` + "\n")
	}
	e.frames = b.Bytes()
	e.renew()
	return e
}

func (e *endless) Read(p []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, e.ctx.Err()
	}
	if e.pos == len(e.frames) {
		e.renew()
		e.pos = 0
	}
	n := copy(p, e.frames[e.pos:])
	e.pos += n
	return n, nil
}

func (*endless) Close() error { return nil }

// renew gives every frame a new version.
func (e *endless) renew() {
	for _, at := range e.versions {
		e.version++
		strconv.AppendInt(e.frames[at:at:at+10], int64(e.version), 10)
	}
}
