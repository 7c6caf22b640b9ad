package fakeapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

func pod(name string) rest.Object {
	return rest.Object{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name}}
}

func ExampleStart() {
	ctx := context.Background()
	server, err := fakeapi.Start(ctx, fakeapi.Options{Objects: []any{pod("nginx")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	pods := rest.For[rest.Object](server.Client(), "Pod").In("default")
	nginx, err := stream.Await(pods.Get(ctx, "nginx"))
	fmt.Println(nginx.String("status", "phase"), err)
	_, err = stream.Await(pods.Get(ctx, "none"))
	fmt.Println(err, errors.Is(err, rest.ErrNotFound))
	// Output:
	// Pending <nil>
	// get pods default/none: not found (404) true
}

// A test of what takes half an hour takes milliseconds, and leaves nothing behind.
func ExampleNew() {
	test := func(t *testing.T) { // func TestProgram(t *testing.T)
		synctest.Test(t, func(t *testing.T) {
			server := fakeapi.New(t, fakeapi.Options{})
			server.Inject(fakeapi.Refuse(503).Always())
			pods := rest.For[rest.Object](server.Client(), "Pod").In("default")
			_, err := stream.Await(pods.Get(t.Context(), "nginx"))
			if !errors.Is(err, rest.ErrServiceUnavailable) {
				t.Error(err)
			}
		})
	}
	_ = test
}

func ExampleServer_Inject() {
	server, _ := fakeapi.Start(context.Background(), fakeapi.Options{})
	defer server.Close()
	server.Inject(
		fakeapi.Refuse(429).RetryAfter(2*time.Second).On("list", "pods").Times(2),
		fakeapi.Respond(404, "text/plain", "404 page not found").On("list", "pods"),
	)
	pods := rest.For[rest.Object](server.Client(), "Pod").In("default")
	for range 4 {
		_, err := stream.Await(pods.Get(context.Background(), "x")) // not a list: none of its business
		fmt.Println(errors.Is(err, rest.ErrNotFound))
		_, err = get(server, "/api/v1/namespaces/default/pods")
		fmt.Println(err)
	}
	// Output:
	// true
	// 429 Too Many Requests, Retry-After 2
	// true
	// 429 Too Many Requests, Retry-After 2
	// true
	// 404 Not Found
	// true
	// <nil>
}

// get reads the lines of an answer, as a hand-written client does.
func get(server *fakeapi.Server, path string) ([]string, error) {
	transport := &http.Transport{DialContext: server.Dial}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, server.Config().Server+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		if after := resp.Header.Get("Retry-After"); after != "" {
			return nil, fmt.Errorf("%s, Retry-After %s", resp.Status, after)
		}
		return nil, errors.New(resp.Status)
	}
	var lines []string
	for s := bufio.NewScanner(resp.Body); s.Scan(); {
		lines = append(lines, s.Text())
	}
	return lines, nil
}

func ExampleText() {
	server, _ := fakeapi.Start(context.Background(), fakeapi.Options{})
	defer server.Close()
	server.Inject(
		fakeapi.Text("a line that is no JSON\n").On("watch", "pods"),
		fakeapi.Expired().On("watch", "pods"),
	)
	lines, err := get(server, "/api/v1/pods?watch=true")
	fmt.Println(lines[0])
	fmt.Println(lines[1], err)
	// Output:
	// a line that is no JSON
	// {"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 5 (9000)","reason":"Expired","code":410}} <nil>
}

func ExampleServer_Journal() {
	server, _ := fakeapi.Start(context.Background(), fakeapi.Options{})
	defer server.Close()
	_, _ = get(server, "/api/v1/pods?limit=500")
	_, _ = get(server, "/api/v1/namespaces/default/pods/nginx")
	for _, r := range server.Journal() {
		fmt.Println(r)
	}
	// Output:
	// GET /api/v1/pods?limit=500 200
	// GET /api/v1/namespaces/default/pods/nginx 404
}

func ExampleServer_Merge() {
	server, _ := fakeapi.Start(context.Background(), fakeapi.Options{Objects: []any{pod("nginx")}})
	defer server.Close()
	nginx, err := server.Merge("Pod", "default", "nginx", `{"status":{"phase":"Running"}}`)
	fmt.Println(nginx.String("status", "phase"), err)
	_, err = server.Merge("Pod", "default", "none", `{}`)
	fmt.Println(err)
	// Output:
	// Running <nil>
	// fakeapi: patch pods default/none: not found (404)
}

func ExampleServer_Expire() {
	server, _ := fakeapi.Start(context.Background(), fakeapi.Options{})
	defer server.Close()
	old := server.ResourceVersion()
	server.Expire()
	lines, _ := get(server, "/api/v1/pods?watch=true&resourceVersion="+old)
	fmt.Println(lines[0])
	// Output:
	// {"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1004 (1005)","reason":"Expired","code":410}}
}

func ExampleServer_Listen() {
	ctx := context.Background()
	server, _ := fakeapi.Start(ctx, fakeapi.Options{})
	defer server.Close()
	dir, _ := os.MkdirTemp("", "fakeapi")
	defer os.RemoveAll(dir)
	path, err := server.Listen(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = path // kubectl --kubeconfig $path get pods
	fmt.Println("listening")
	// Output: listening
}

// The same seed makes the same trouble.
func ExampleChaos() {
	server, _ := fakeapi.Start(context.Background(), fakeapi.Options{})
	defer server.Close()
	server.Inject(fakeapi.Chaos(3, fakeapi.ChaosOptions{Refuse: 0.5, Cut: -1, Delay: -1}).On("list", "pods"))
	for range 5 {
		_, err := get(server, "/api/v1/pods")
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// <nil>
	// 429 Too Many Requests
}
