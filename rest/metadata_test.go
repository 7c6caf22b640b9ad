package rest_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

func TestMetadataOnly(t *testing.T) {
	const item = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"web","namespace":"default","resourceVersion":"7","creationTimestamp":null,"labels":{"a":"1"}}}`
	script := &script{t: t, answers: []answer{
		ok(item),
		ok(`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[` + item + `]}`),
		ok(item), ok(item), ok(`{"metadata":{"name":"web"},"spec":{}}`),
	}}
	var accepted []string
	c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accepted = append(accepted, r.Method+" "+r.Header.Get("Accept"))
		script.ServeHTTP(w, r)
	}), kubeconfig.Config{})
	ctx := t.Context()
	pods := rest.MetadataOnly(rest.For[Pod](c, "Pod").In("default"))
	want := &rest.PartialObjectMetadata{Kind: "Pod", APIVersion: "v1", Metadata: rest.ObjectMeta{
		Name: "web", Namespace: "default", ResourceVersion: "7", Labels: map[string]string{"a": "1"},
	}}
	got, err := one(t, pods.Get(ctx, "web"))
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(err, d)
	}
	list, err := one(t, pods.List(ctx, rest.ListOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]rest.PartialObjectMetadata{*want}, list.Items); d != "" {
		t.Error(d)
	}
	// A label is removed, and nothing else is lost.
	if _, err := one(t, pods.Modify(ctx, "web", func(m *rest.PartialObjectMetadata) error { clear(m.Metadata.Labels); return nil })); err != nil {
		t.Error(err)
	}
	const head, tail = "application/json;as=PartialObjectMetadata", ";g=meta.k8s.io;v=v1,application/json"
	if d := cmp.Diff([]string{"GET " + head + tail, "GET " + head + "List" + tail, "GET " + head + tail, "PATCH " + head + tail}, accepted); d != "" {
		t.Error(d)
	}
	if got, want := script.requests()[3].Body, `{"metadata":{"labels":null,"resourceVersion":"7"}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	watch, err := pods.Endpoint().Request(ctx, http.MethodGet, "", "", map[string][]string{"watch": {"true"}})
	if err != nil || watch.Header.Get("Accept") != head+tail {
		t.Errorf("a watch accepts %q, %v", watch.Header.Get("Accept"), err)
	}
	if got, err := one(t, pods.Get(ctx, "web")); err != nil || got.Kind != "Pod" {
		t.Errorf("of a server that sends all: %+v, %v", got, err)
	}
}
