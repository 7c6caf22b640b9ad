package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// workload starts a server with a Deployment of two containers, one of its pods, and a disruption
// budget that allows no eviction.
func workload() *fakeapi.Server {
	server, err := fakeapi.Start(context.Background(), fakeapi.Options{})
	if err != nil {
		panic(err)
	}
	for _, doc := range []string{
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":2,
			"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[
			{"name":"nginx","image":"nginx:1"},{"name":"logs","image":"logs:1"}]}}},"status":{"replicas":2}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","labels":{"app":"web"}},"status":{"phase":"Running",
			"conditions":[{"type":"Ready","status":"True"}]}}`,
		`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"web"},
			"spec":{"selector":{"matchLabels":{"app":"web"}}},"status":{"disruptionsAllowed":0,"observedGeneration":1}}`,
	} {
		obj, err := rest.Decode[rest.Object]([]byte(doc))
		if err == nil {
			_, err = server.Create(obj)
		}
		if err != nil {
			panic(err)
		}
	}
	return server
}

// A strategic merge patch changes the image of one of two containers. A merge patch would replace
// the list.
func ExampleStrategicPatch() {
	server := workload()
	defer server.Close()
	deployments := rest.For[rest.Object](server.Client(), "Deployment").In("default")
	image := rest.StrategicPatch(`{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:2"}]}}}}`)
	web, err := stream.Await(deployments.Patch(context.Background(), "web", image))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range web.Slice("spec", "template", "spec", "containers") {
		container, _ := c.(map[string]any)
		fmt.Println(container["name"], container["image"])
	}
	// Output:
	// nginx nginx:2
	// logs logs:1
}

func ExampleSub() {
	server := workload()
	defer server.Close()
	deployments := rest.For[rest.Object](server.Client(), "Deployment").In("default")
	scales := rest.Sub[rest.Scale](deployments, "scale")
	scale, err := stream.Await(scales.Get(context.Background(), "web"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(scale.Kind, scale.Metadata.Name, scale.Spec.Replicas, scale.Status.Replicas, scale.Status.Selector)
	// Output: Scale web 2 2 app=web
}

func ExampleScaleTo() {
	server := workload()
	defer server.Close()
	deployments := rest.For[rest.Object](server.Client(), "Deployment").In("default")
	scales := rest.Sub[rest.Scale](deployments, "scale")
	scale, err := stream.Await(scales.Patch(context.Background(), "web", rest.ScaleTo(3)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(scale.Spec.Replicas, "wanted,", scale.Status.Replicas, "there")
	// Output: 3 wanted, 2 there
}

// A budget may not allow a disruption now: try again later.
func ExampleEvict() {
	server := workload()
	defer server.Close()
	ctx := context.Background()
	pods := rest.For[rest.Object](server.Client(), "Pod").In("default")

	_, err := stream.Await(rest.Evict(ctx, pods, "web-0", rest.DeleteOptions{}))
	fmt.Println(errors.Is(err, rest.ErrDisruptionBudget))

	_, _ = server.Merge("PodDisruptionBudget", "default", "web", `{"status":{"disruptionsAllowed":1}}`)
	status, err := stream.Await(rest.Evict(ctx, pods, "web-0", rest.DeleteOptions{}))
	fmt.Println(status.Status, err)
	// Output:
	// true
	// Success <nil>
}

// The server in this example prints the request, and answers with the document.
func ExampleResource_Apply() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Method, r.URL, r.Header.Get("Content-Type"))
		_, _ = io.Copy(w, r.Body)
	}))
	defer server.Close()
	client, _ := rest.New(kubeconfig.Config{Server: server.URL}, rest.Options{})
	defer client.CloseIdle()

	maps := rest.For[rest.Object](client, "ConfigMap").In("default").With(rest.CallOptions{FieldManager: "site"})
	wanted := rest.Object{"metadata": map[string]any{"name": "settings"}, "data": map[string]any{"color": "blue"}}
	applied, err := stream.Await(maps.Apply(context.Background(), &wanted))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(applied.Map("data"))
	// Output:
	// PATCH /api/v1/namespaces/default/configmaps/settings?fieldManager=site application/apply-patch+yaml
	// map[color:blue]
}
