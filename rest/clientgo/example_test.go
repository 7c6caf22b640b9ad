package clientgo_test

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clientgorest "k8s.io/client-go/rest"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/clientgo"
	"github.com/tideway-go/tideway/stream"
)

func ExampleNew() {
	ctx := context.Background()
	server, err := fakeapi.Start(ctx, fakeapi.Options{Objects: []any{configMap("settings")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	// Programs get it from clientcmd or InClusterConfig.
	cfg := &clientgorest.Config{Host: server.Config().Server, Dial: server.Dial}
	client, err := clientgo.New(cfg, rest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.CloseIdle()
	settings, err := stream.Await(rest.For[rest.Object](client, "ConfigMap").In("default").Get(ctx, "settings"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(settings.Kind(), settings.Name(), settings.Map("data"))
	// Output: ConfigMap settings map[k:v]
}

// Code that uses the predicates of apimachinery can keep using them.
func ExampleError() {
	ctx := context.Background()
	server, err := fakeapi.Start(ctx, fakeapi.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	pods := rest.For[rest.Object](server.Client(), "Pod").In("default")
	_, err = stream.Await(pods.Get(ctx, "nginx"))
	fmt.Println(apierrors.IsNotFound(err))

	err = clientgo.Error(err)
	fmt.Println(err)
	fmt.Println(apierrors.IsNotFound(err), errors.Is(err, rest.ErrNotFound))
	// Output:
	// false
	// get pods default/nginx: not found (404)
	// true true
}
