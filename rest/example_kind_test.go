package rest_test

import (
	"context"
	"fmt"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// A handle sends no request. Its type holds only the fields that the program reads.
func ExampleFor() {
	client, err := rest.New(kubeconfig.Config{Server: "https://10.0.0.1"}, rest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	type Autoscaler struct {
		Spec struct {
			MaxReplicas int `json:"maxReplicas"`
		} `json:"spec"`
	}
	newest := rest.For[Autoscaler](client, "HorizontalPodAutoscaler").In("default")
	pinned := rest.For[Autoscaler](client, "autoscaling/v1/HorizontalPodAutoscaler").In("default")
	fmt.Println(newest.Endpoint().Kind(), pinned.Endpoint().Kind())

	_, err = stream.Await(rest.For[Autoscaler](client, "Autoscaler").In("default").Get(context.Background(), "web"))
	fmt.Println(err)
	// Output:
	// autoscaling/v2/HorizontalPodAutoscaler autoscaling/v1/HorizontalPodAutoscaler
	// rest: unknown kind "Autoscaler": it is not built in; for a custom resource use ForKind, Options.Kinds or Options.Discovery
}

// A custom resource needs only its descriptor.
func ExampleForKind() {
	crontab := rest.Kind{Group: "stable.example.com", Version: "v1", Kind: "CronTab", Plural: "crontabs", Namespaced: true}
	ctx := context.Background()
	server, err := fakeapi.Start(ctx, fakeapi.Options{Kinds: []rest.Served{{Kind: crontab}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	crontabs := rest.ForKind[rest.Object](server.Client(), crontab).In("default")
	nightly := crontabs.New("nightly")
	(*nightly)["spec"] = map[string]any{"schedule": "0 3 * * *"}
	created, err := stream.Await(crontabs.Create(ctx, nightly))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(created.APIVersion(), created.Kind(), created.Name(), created.String("spec", "schedule"))
	// Output: stable.example.com/v1 CronTab nightly 0 3 * * *
}
