package rest_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// A stream of your own is built on objects as JSON, with their identity.
func ExampleEndpoint_List() {
	client, stop := cluster()
	defer stop()
	pods := rest.For[rest.Object](client, "Pod").In("default").Endpoint()
	meta, err := pods.List(context.Background(), rest.ListOptions{},
		func(first bool) error {
			fmt.Println("asks for a page, the first:", first)
			return nil
		},
		func(it rest.Item) error {
			fmt.Println(it.Key, len(it.JSON) > 0)
			return nil
		})
	fmt.Println(meta.ResourceVersion, err)
	// Output:
	// asks for a page, the first: true
	// Pod default/web-0 true
	// Pod default/web-1 true
	// 42 <nil>
}

// One watch request, until the server ends it.
func ExampleEndpoint_Watch() {
	ctx := context.Background()
	server, err := fakeapi.Start(ctx, fakeapi.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	maps := rest.For[rest.Object](server.Client(), "ConfigMap").In("default")
	version := server.ResourceVersion()
	if _, err := stream.Await(maps.Create(ctx, maps.New("settings"))); err != nil {
		fmt.Println(err)
		return
	}
	frames, err := maps.Endpoint().Watch(ctx, rest.WatchOptions{ResourceVersion: version, Timeout: time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer frames.Close()
	for {
		f, err := frames.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		if f.Type != "BOOKMARK" {
			fmt.Println(f.Type, f.Key, f.ResourceVersion > version)
		}
	}
	// Output:
	// ADDED ConfigMap default/settings true
	// EOF
}
