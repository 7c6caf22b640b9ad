package fakeapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	livewatch "github.com/tideway-go/tideway/watch" // the tests have a watch of their own
)

// twoPods starts a server and creates the pods a and b. It returns the version before them.
func twoPods() (server *fakeapi.Server, pods rest.Resource[rest.Object], version string) {
	server, err := fakeapi.Start(context.Background(), fakeapi.Options{})
	if err != nil {
		panic(err)
	}
	pods = rest.For[rest.Object](server.Client(), "Pod").In("default")
	version = server.ResourceVersion()
	for _, name := range []string{"a", "b"} {
		if _, err := server.Create(pods.New(name)); err != nil {
			panic(err)
		}
	}
	return server, pods, version
}

// events watches from a version on, and tries again quickly.
func events(ctx context.Context, pods rest.Resource[rest.Object], version string) <-chan livewatch.Event[rest.Object] {
	return livewatch.Events(ctx, pods, livewatch.Options{
		ResourceVersion: version,
		Backoff:         stream.Backoff{Initial: time.Millisecond, Jitter: -1},
	})
}

// follow watches from a version on, and prints the first n events. Events that do not come are
// empty lines, some time later.
func follow(pods rest.Resource[rest.Object], version string, n int) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	told := events(ctx, pods, version)
	for range n {
		ev := <-told
		for ev.Type == livewatch.Recovered { // its times vary
			ev = <-told
		}
		fmt.Println(ev)
	}
}

// Over HTTP/2 only the answer is lost: the connection serves the next request.
func ExampleAbort() {
	server, pods, _ := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Abort().On("get", "pods"))
	for range 2 {
		_, err := stream.Await(pods.Get(context.Background(), "a"))
		fmt.Println("lost:", err != nil, "connections:", server.Connections())
	}
	// Output:
	// lost: true connections: 1
	// lost: false connections: 1
}

// The server forgets the version of a list before its second page.
func ExampleCompact() {
	server, pods, _ := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Compact().On("list", "pods").Nth(2))
	for r := range pods.Each(context.Background(), rest.ListOptions{Limit: 1}) {
		if r.Err != nil {
			fmt.Println("expired:", errors.Is(r.Err, rest.ErrExpired))
			return
		}
		fmt.Println(r.Value.Name())
	}
	// Output:
	// a
	// expired: true
}

// The watch reports it, and goes on after the last event.
func ExampleCut() {
	server, pods, version := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Cut().AfterEvents(1).On("watch", "pods"))
	follow(pods, version, 3)
	// Output:
	// ADDED Pod default/a at 1005
	// WATCHFAILED watch Pod failed, retrying in 1ms: read tcp 127.0.0.1:40000->127.0.0.1:8080: connection reset by peer
	// ADDED Pod default/b at 1006
}

// An answer that comes later than anybody waits for it.
func ExampleDelay() {
	server, pods, _ := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Delay(time.Minute).On("get", "pods"))
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	_, err := stream.Await(pods.Get(ctx, "a"))
	fmt.Println(err)
	// Output: get pods default/a: context deadline exceeded
}

// 200 and an empty body are no good end of a watch that has just begun.
func ExampleEnd() {
	server, pods, version := twoPods()
	defer server.Close()
	server.Inject(fakeapi.End().On("watch", "pods"))
	follow(pods, version, 2)
	// Output:
	// WATCHFAILED watch Pod failed, retrying in 1ms: the stream ended early, without a new event
	// ADDED Pod default/a at 1005
}

// The watch reports the event, and that it was the last one.
func ExampleErrorEvent() {
	server, pods, version := twoPods()
	defer server.Close()
	status := rest.Status{Code: 500, Reason: rest.ReasonInternalError, Message: "no leader"}
	server.Inject(fakeapi.ErrorEvent(status).On("watch", "pods"))
	follow(pods, version, 3)
	// Output:
	// ERROR watch pods default/*: internal error (500): no leader
	// WATCHFAILED watch Pod failed, retrying in 1ms: the stream ended on an error: 500 InternalError: no leader
	// ADDED Pod default/a at 1005
}

// A watch lists again. This one began at a version, and does not know whether its reader has a: it
// is told once more, as Replayed.
func ExampleExpired() {
	server, pods, version := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Expired().AfterEvents(1).On("watch", "pods"))
	follow(pods, version, 4)
	// Output:
	// ADDED Pod default/a at 1005
	// ADDED Pod default/a at 1005
	// ADDED Pod default/b at 1006
	// SYNCED at 1006
}

// A half-open connection looks like a server with no news, until a ping gets no answer.
func ExampleFreeze() {
	server, _, version := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Freeze().On("watch", "pods"))
	client, err := rest.New(server.Config(), rest.Options{
		Dial: server.Dial, UnencryptedHTTP2: true,
		PingInterval: 5 * time.Millisecond, PingTimeout: 5 * time.Millisecond,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.CloseIdle()
	follow(rest.For[rest.Object](client, "Pod").In("default"), version, 1)
	// Output: WATCHFAILED watch Pod failed, retrying in 1ms: http2: client connection lost
}

// The answer is complete, but the next request needs another connection.
func ExampleGoAway() {
	server, _, _ := twoPods()
	defer server.Close()
	server.Inject(fakeapi.GoAway().On("get", "pods").Nth(2))
	var dials atomic.Int32
	client, _ := rest.New(server.Config(), rest.Options{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		dials.Add(1)
		return server.Dial(ctx, network, address)
	}})
	defer client.CloseIdle()
	pods := rest.For[rest.Object](client, "Pod").In("default")
	for range 3 {
		pod, err := stream.Await(pods.Get(context.Background(), "a"))
		fmt.Println(pod.Name(), err, "connections:", dials.Load())
	}
	// Output:
	// a <nil> connections: 1
	// a <nil> connections: 1
	// a <nil> connections: 2
}

// Two events wait for the third, and all are sent in one piece.
func ExampleHold() {
	server, pods, version := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Hold(3).On("watch", "pods"))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	told := events(ctx, pods, version)
	select {
	case ev := <-told:
		fmt.Println(ev)
	case <-time.After(5 * time.Millisecond):
		fmt.Println("nothing yet")
	}
	_, _ = server.Create(pods.New("c"))
	fmt.Println(<-told, <-told, <-told)
	// Output:
	// nothing yet
	// ADDED Pod default/a at 1005 ADDED Pod default/b at 1006 ADDED Pod default/c at 1007
}

// The first watch gets none, the second one does.
func ExampleNoBookmarks() {
	ctx := context.Background()
	server, _ := fakeapi.Start(ctx, fakeapi.Options{BookmarkEvery: time.Millisecond})
	defer server.Close()
	server.Inject(
		fakeapi.NoBookmarks().On("watch", "pods"),
		fakeapi.End().After(5*time.Millisecond).On("watch", "pods"),
		fakeapi.End().AfterEvents(1).On("watch", "pods"),
	)
	query := url.Values{"watch": {"true"}, "allowWatchBookmarks": {"true"}}
	for range 2 {
		raw, err := stream.Await(server.Client().Do(ctx, rest.Request{Path: "/api/v1/pods", Query: query}))
		fmt.Println(strings.Contains(string(raw.Body), "BOOKMARK"), err)
	}
	// Output:
	// false <nil>
	// true <nil>
}

// A watch that asks for the initial events waits for the bookmark that ends them. The first one
// here gets an ordinary bookmark only.
func ExampleNoMarker() {
	ctx := context.Background()
	server, _ := fakeapi.Start(ctx, fakeapi.Options{BookmarkEvery: time.Millisecond})
	defer server.Close()
	server.Inject(
		fakeapi.NoMarker().On("watch", "pods"),
		fakeapi.End().AfterEvents(1).On("watch", "pods").Always(),
	)
	query := url.Values{
		"watch": {"true"}, "allowWatchBookmarks": {"true"},
		"sendInitialEvents": {"true"}, "resourceVersionMatch": {"NotOlderThan"},
	}
	for range 2 {
		raw, err := stream.Await(server.Client().Do(ctx, rest.Request{Path: "/api/v1/pods", Query: query}))
		fmt.Println(strings.Contains(string(raw.Body), "k8s.io/initial-events-end"), err)
	}
	// Output:
	// false <nil>
	// true <nil>
}

// An event that arrives in two pieces is one event.
func ExamplePause() {
	server, pods, version := twoPods()
	defer server.Close()
	for _, f := range []fakeapi.Fault{
		fakeapi.Text(`{"type":"BOOKMARK","object":{"metadata":`),
		fakeapi.Pause(5 * time.Millisecond),
		fakeapi.Text(`{"resourceVersion":"1003"}}}` + "\n"),
	} {
		server.Inject(f.On("watch", "pods"))
	}
	begin := time.Now()
	follow(pods, version, 1)
	fmt.Println(time.Since(begin) >= 5*time.Millisecond)
	// Output:
	// ADDED Pod default/a at 1005
	// true
}

func ExampleRefuse() {
	server, pods, _ := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Refuse(429).RetryAfter(2*time.Second).On("get", "pods").Named("a"))
	_, err := stream.Await(pods.Get(context.Background(), "a"))
	fmt.Println(err)
	if refused, ok := errors.AsType[*rest.StatusError](err); ok {
		fmt.Println(errors.Is(err, rest.ErrTooManyRequests), refused.RetryAfter())
	}
	// Output:
	// get pods default/a: too many requests (429): Too many requests, please try again later.
	// true 2s
}

// What a proxy says whose server is gone.
func ExampleRespond() {
	server, pods, _ := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Respond(502, "text/html", "<html><h1>502 Bad Gateway</h1></html>").On("get", "pods"))
	_, err := stream.Await(pods.Get(context.Background(), "a"))
	fmt.Println(err)
	// Output: get pods default/a: bad gateway (502): the answer is a web page
}

// Two events are two events even without a line feed between them.
func ExampleSeparate() {
	server, pods, version := twoPods()
	defer server.Close()
	server.Inject(
		fakeapi.Separate("").On("watch", "pods").Times(2),
		fakeapi.End().AfterEvents(2).On("watch", "pods"),
	)
	query := url.Values{"watch": {"true"}, "resourceVersion": {version}, "timeoutSeconds": {"1"}}
	raw, err := stream.Await(server.Client().Do(context.Background(), rest.Request{Path: "/api/v1/pods", Query: query}))
	fmt.Println("line feeds:", strings.Count(string(raw.Body), "\n"), err)
	follow(pods, version, 2)
	// Output:
	// line feeds: 0 <nil>
	// ADDED Pod default/a at 1005
	// ADDED Pod default/b at 1006
}

// The connection lives on, but the event of b does not arrive.
func ExampleSilence() {
	server, pods, version := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Silence().AfterEvents(1).On("watch", "pods"))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	told := events(ctx, pods, version)
	fmt.Println(<-told)
	select {
	case ev := <-told:
		fmt.Println(ev)
	case <-time.After(5 * time.Millisecond):
		fmt.Println("nothing, and", server.Connections(), "connection")
	}
	// Output:
	// ADDED Pod default/a at 1005
	// nothing, and 1 connection
}

func ExampleSlow() {
	server, pods, version := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Slow(5*time.Millisecond).On("watch", "pods"))
	begin := time.Now()
	follow(pods, version, 2)
	fmt.Println(time.Since(begin) >= 10*time.Millisecond)
	// Output:
	// ADDED Pod default/a at 1005
	// ADDED Pod default/b at 1006
	// true
}

// A list of two pods that arrives in pieces of 100 bytes.
func ExampleSplit() {
	server, pods, _ := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Split(100, time.Millisecond).On("list", "pods"))
	begin := time.Now()
	list, err := stream.Await(pods.List(context.Background(), rest.ListOptions{}))
	fmt.Println(len(list.Items), err, time.Since(begin) >= 2*time.Millisecond)
	// Output: 2 <nil> true
}

// A list that breaks off is an error, not a shorter list.
func ExampleTruncate() {
	server, pods, _ := twoPods()
	defer server.Close()
	server.Inject(fakeapi.Truncate().AfterBytes(100).On("list", "pods"))
	_, err := stream.Await(pods.List(context.Background(), rest.ListOptions{}))
	fmt.Println(errors.Is(err, io.ErrUnexpectedEOF))
	// Output: true
}
