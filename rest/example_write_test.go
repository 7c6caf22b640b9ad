package rest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// settings starts a server with one ConfigMap.
func settings() (maps rest.Resource[rest.Object], stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	s, err := fakeapi.Start(ctx, fakeapi.Options{Objects: []any{
		rest.Object{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": "settings", "namespace": "default"},
			"data":     map[string]any{"color": "red", "size": "small"},
		},
	}})
	if err != nil {
		panic(err)
	}
	c := s.Client()
	return rest.For[rest.Object](c, "ConfigMap").In("default"), func() { c.CloseIdle(); cancel(); s.Close() }
}

// show prints the data of the answer.
func show(in <-chan stream.Result[*rest.Object]) {
	o, err := stream.Await(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(o.Map("data"))
}

func ExampleResource_Modify() {
	maps, stop := settings()
	defer stop()
	// A struct with the fields of the change is enough: all others stay as they are.
	type labelled struct {
		Metadata struct {
			Labels map[string]string `json:"labels,omitempty"`
		} `json:"metadata"`
		Data map[string]string `json:"data,omitempty"`
	}
	some := rest.For[labelled](maps.Endpoint().Client(), "ConfigMap").In("default")
	m, err := stream.Await(some.Modify(context.Background(), "settings", func(m *labelled) error {
		m.Metadata.Labels = map[string]string{"size-was": m.Data["size"]}
		m.Data["size"] = "large"
		return nil
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Metadata.Labels, m.Data)
	// Output: map[size-was:small] map[color:red size:large]
}

func ExampleNewPatch() {
	maps, stop := settings()
	defer stop()
	show(maps.Patch(context.Background(), "settings", rest.NewPatch(`{"data":{"color":null}}`)))
	// Output: map[size:small]
}

func ExampleJSONPatch() {
	maps, stop := settings()
	defer stop()
	type op struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value string `json:"value"`
	}
	show(maps.Patch(context.Background(), "settings", rest.JSONPatch([]op{
		{"test", "/data/color", "red"},
		{"replace", "/data/color", "blue"},
	})))
	// Output: map[color:blue size:small]
}

func ExampleResource_With() {
	maps, stop := settings()
	defer stop()
	ctx := context.Background()
	dry := maps.With(rest.CallOptions{DryRun: true})
	show(dry.Patch(ctx, "settings", rest.MergePatch(`{"data":{"color":"green"}}`)))
	show(maps.Get(ctx, "settings"))
	// Output:
	// map[color:green size:small]
	// map[color:red size:small]
}

func ExampleMetadataOnly() {
	maps, stop := settings()
	defer stop()
	m, err := stream.Await(rest.MetadataOnly(maps).Get(context.Background(), "settings"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Kind, m.Metadata.Namespace, m.Metadata.Name)
	// Output: ConfigMap default settings
}

func ExampleResource_Update() {
	maps, stop := settings()
	defer stop()
	ctx := context.Background()
	first, _ := stream.Await(maps.Get(ctx, "settings"))
	show(maps.Patch(ctx, "settings", rest.MergePatch(`{"data":{"color":"blue"}}`)))
	first.Map("data")["size"] = "large"
	_, err := stream.Await(maps.Update(ctx, first))
	fmt.Println(errors.Is(err, rest.ErrConflict))
	// Output:
	// map[color:blue size:small]
	// true
}

func ExampleClient_Do() {
	maps, stop := settings()
	defer stop()
	raw, err := stream.Await(maps.Endpoint().Client().Do(context.Background(), rest.Request{Path: "/healthz"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(raw.Code, string(raw.Body))
	// Output: 200 ok
}
