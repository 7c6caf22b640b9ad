package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// cluster returns a client of a server that has only two pods.
func cluster() (c *rest.Client, stop func()) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const list = "/api/v1/namespaces/default/pods"
		item := func(name string) string {
			return `{"metadata":{"name":"` + name + `","namespace":"default"},"spec":{"nodeName":"node-1"}}`
		}
		switch {
		case r.Method == http.MethodGet && r.URL.Path == list:
			_, _ = io.WriteString(w, `{"kind":"PodList","items":[`+item("web-0")+`,`+item("web-1")+`],"metadata":{"resourceVersion":"42"}}`)
		case r.URL.Path == list+"/web-0":
			_, _ = io.WriteString(w, item("web-0"))
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"kind":"Status","status":"Failure","reason":"AlreadyExists","message":"pods \"web-0\" already exists","code":409}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	c, err := rest.New(kubeconfig.Config{Server: s.URL}, rest.Options{})
	if err != nil {
		panic(err)
	}
	return c, func() { c.CloseIdle(); s.Close() }
}

func Example() {
	ctx := context.Background()
	client, stop := cluster()
	defer stop()

	type Pod struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Spec struct {
			NodeName string `json:"nodeName"`
		} `json:"spec"`
	}
	pods := rest.For[Pod](client, "Pod").In("default")

	first, second := pods.Get(ctx, "web-0"), pods.Get(ctx, "web-9") // both requests are under way
	for range 2 {
		select {
		case r := <-first:
			first = nil
			fmt.Println(r.Value.Metadata.Name, "runs on", r.Value.Spec.NodeName)
		case r := <-second:
			second = nil
			_ = r.Err // see ExampleStatusError
		}
	}
	// Output:
	// web-0 runs on node-1
}

func ExampleNew() {
	_, err := rest.New(kubeconfig.Config{Server: "http://10.0.0.1", Token: "t"}, rest.Options{})
	fmt.Println(err)
	client, err := rest.New(kubeconfig.Config{Server: "https://10.0.0.1", Token: "t"}, rest.Options{})
	fmt.Println(client, err)
	// Output:
	// rest: new client: credentials are not sent over plain http to 10.0.0.1
	// rest.Client{server: https://10.0.0.1, context: "", namespace: "default", credentials: token} <nil>
}

func ExampleResource_Get() {
	client, stop := cluster()
	defer stop()
	pod, err := stream.Await(rest.For[rest.Object](client, "Pod").In("default").Get(context.Background(), "web-0"))
	fmt.Println(pod.Kind(), pod.Name(), err)
	// Output: Pod web-0 <nil>
}

func ExampleResource_New() {
	client, stop := cluster()
	defer stop()
	pod := rest.For[rest.Object](client, "Pod").In("default").New("web-0")
	fmt.Println(pod.APIVersion(), pod.Kind(), pod.Namespace(), pod.Name())
	// Output: v1 Pod default web-0
}

func ExampleResource_List() {
	client, stop := cluster()
	defer stop()
	list, err := stream.Await(rest.For[rest.Object](client, "Pod").In("default").List(context.Background(), rest.ListOptions{
		LabelSelector: "app=web",
	}))
	fmt.Println(len(list.Items), list.Meta.ResourceVersion, err)
	// Output: 2 42 <nil>
}

func ExampleResource_Each() {
	client, stop := cluster()
	defer stop()
	pods := rest.For[rest.Object](client, "Pod").In("default")
	for pod, err := range stream.Range(context.Background(), pods.Each, rest.ListOptions{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(pod.Name())
	}
	// Output:
	// web-0
	// web-1
}

func ExampleStatusError() {
	client, stop := cluster()
	defer stop()
	pods := rest.For[rest.Object](client, "Pod").In("default")
	_, err := stream.Await(pods.Get(context.Background(), "web-9"))
	fmt.Println(err, errors.Is(err, rest.ErrNotFound))

	_, err = stream.Await(pods.Create(context.Background(), &rest.Object{"metadata": map[string]any{"name": "web-0"}}))
	var refused *rest.StatusError
	fmt.Println(errors.As(err, &refused), refused, refused.Status.Reason)
	// Output:
	// get pods default/web-9: not found (404) true
	// true create pods default/web-0: already exists (409) AlreadyExists
}

func ExampleMergePatch() {
	fmt.Printf("%s\n", rest.MergePatch(map[string]any{"metadata": map[string]any{"labels": map[string]any{"old": nil}}}).Data)
	fmt.Printf("%s\n", rest.MergePatch(`{"spec": {"replicas": 0}}`).Data)
	// Output:
	// {"metadata":{"labels":{"old":null}}}
	// {"spec": {"replicas": 0}}
}

func ExampleLookup() {
	for _, name := range []string{"HorizontalPodAutoscaler", "autoscaling/v1/HorizontalPodAutoscaler", "pod"} {
		fmt.Println(rest.Lookup(name))
	}
	// Output:
	// autoscaling/v2/HorizontalPodAutoscaler <nil>
	// autoscaling/v1/HorizontalPodAutoscaler <nil>
	// / rest: unknown kind "pod": did you mean "Pod"?
}

func ExampleKinds() {
	for k := range rest.Kinds() {
		if k.Kind.Group == "batch" {
			fmt.Println(k.Kind, k.Kind.Plural, k.Kind.Namespaced)
		}
	}
	// Output:
	// batch/v1/CronJob cronjobs true
	// batch/v1/Job jobs true
}

func ExampleParseLabels() {
	s, err := rest.ParseLabels("app=web,tier notin (back,test),!old")
	fmt.Println(s.Matches(map[string]string{"app": "web"}), err)
	_, err = rest.ParseLabels("app=web,tier in")
	fmt.Println(err)
	// Output:
	// true <nil>
	// rest: label selector "app=web,tier in": at 15: it ends where '(' should follow
}

func ExampleParseFields() {
	s, err := rest.ParseFields("spec.nodeName=node-1,status.phase!=Running")
	pod := map[string]string{"spec.nodeName": "node-1", "status.phase": "Pending"}
	fmt.Println(s.Matches(func(path string) string { return pod[path] }), err)
	// Output: true <nil>
}

func ExampleDecode() {
	o, err := rest.Decode[rest.Object]([]byte(`{"spec":{"big":9007199254740993}}`))
	fmt.Println(o.Int("spec", "big"), err)
	// Output: 9007199254740993 <nil>
}

func ExampleEncode() {
	raw, err := rest.Encode(map[string]any{"b": []string(nil), "a": "<>"})
	fmt.Println(string(raw), err)
	// Output: {"a":"\u003c\u003e","b":null} <nil>
}
