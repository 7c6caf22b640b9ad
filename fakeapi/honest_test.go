package fakeapi_test

import (
	"strings"
	"testing"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

// What a cluster would do and this server does not is refused with 501, whatever the verb.
func TestWhatIsNotImplementedSaysSo(t *testing.T) {
	s := fakeapi.New(t, fakeapi.Options{
		Objects: []any{configMap("default", "a"), rest.Object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "d"}}},
		Kinds:   []rest.Served{{Kind: rest.Kind{Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets", Namespaced: true}}},
	})
	c := client(t, s)
	const deployments = "/apis/apps/v1/namespaces/default/deployments"
	const strict = "?fieldValidation=Strict"
	const widget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{}}`
	const wrong = `{"metadata":{"name":"d"},"spec":{"replicas":"three","misspelt":1}}`
	protobuf := "application/vnd.kubernetes.protobuf"
	for _, test := range []struct {
		method, path, body string
		header             []string
		code               int
		want               string
	}{
		{"GET", maps, "", []string{"Accept", "application/yaml"}, 501, "answers in application/yaml"},
		{"GET", maps + "/a", "", []string{"Accept", protobuf}, 501, "answers in " + protobuf},
		{"GET", maps + "?watch=true", "", []string{"Accept", protobuf + ";stream=watch"}, 501, "answers in " + protobuf},
		{"POST", maps, `{"metadata":{"name":"b"}}`, []string{"Accept", "text/html, application/yaml"}, 501, "answers in application/yaml"},
		{"DELETE", maps + "/a", "", []string{"Accept", protobuf}, 501, "answers in"},
		{"GET", maps + "/a", "", []string{"Accept", protobuf + ", application/json"}, 200, `"ConfigMap"`},
		{"GET", maps + "/a", "", []string{"Accept", "text/html"}, 406, "Available representations"},
		{"GET", "/api/v1/watch/namespaces/default/configmaps", "", nil, 501, "watches by path"},
		{"GET", "/apis/apps/v1/watch/deployments", "", nil, 501, "watches by path"},
		{"GET", "/api/v1/watch/nodes/a", "", nil, 501, "watches by path"},
		{"POST", "/api/v1/watch/configmaps", "{}", nil, 405, "does not allow this method"},
		{"GET", "/api/v1/watch/nothing", "", nil, 404, "could not find"},
		{"GET", "/apis/example.com/v1/watch/widgets", "", nil, 404, "404 page not found"},
		{"POST", deployments + strict, wrong, nil, 501, "fieldValidation=Strict for deployments.apps"},
		{"PUT", deployments + "/d" + strict, wrong, nil, 501, "fieldValidation=Strict for deployments.apps"},
		{"PATCH", deployments + "/d" + strict, wrong, []string{"Content-Type", "application/merge-patch+json"}, 501, "fieldValidation=Strict"},
		{"PATCH", deployments + "/d" + strict, wrong, []string{"Content-Type", "application/strategic-merge-patch+json"}, 501, "fieldValidation=Strict"},
		{"PATCH", deployments + "/d" + strict, `[]`, []string{"Content-Type", "application/json-patch+json"}, 501, "fieldValidation=Strict"},
		{"POST", "/apis/example.com/v1/namespaces/default/widgets" + strict, widget, nil, 501, "fieldValidation=Strict for widgets.example.com"},
		{"POST", "/apis/example.com/v1/namespaces/default/widgets", widget, nil, 201, "Widget"},
		{"POST", maps + strict, `{"metadata":{"name":"s"},"misspelt":1}`, nil, 400, "strict decoding error"},
		{"POST", maps + strict, `{"metadata":{"name":"s"}}`, nil, 201, `"s"`},
		{"POST", "/api/v1/namespaces" + strict, `{"metadata":{"name":"s"},"spec":{"misspelt":1}}`, nil, 400, "spec.misspelt"},
	} {
		got := do(t, c, test.method, test.path, test.body, test.header...)
		if got.Code != test.code || !strings.Contains(got.Body, test.want) {
			t.Errorf("%s %s %v: got %v, want %d %s", test.method, test.path, test.header, got, test.code, test.want)
		}
	}
}

// A full page has a token if any object comes after it, even if none of these is selected.
func TestPageOfASelectionMayBeFollowedByAnEmptyOne(t *testing.T) {
	a, b := configMap("default", "a"), configMap("default", "b")
	a.Map("metadata")["labels"] = map[string]any{"x": "y"}
	s := fakeapi.New(t, fakeapi.Options{Objects: []any{a, b}})
	c := client(t, s)
	var list struct {
		Metadata rest.ListMeta
		Items    []rest.Object
	}
	decode(t, do(t, c, "GET", maps+"?limit=1&labelSelector=x", "").Body, &list)
	if len(list.Items) != 1 || list.Metadata.Continue == "" || list.Metadata.RemainingItemCount != nil {
		t.Fatalf("the first page: %+v", list)
	}
	next := do(t, c, "GET", maps+"?limit=1&labelSelector=x&continue="+list.Metadata.Continue, "")
	list.Items, list.Metadata = nil, rest.ListMeta{}
	decode(t, next.Body, &list)
	if len(list.Items) != 0 || list.Metadata.Continue != "" {
		t.Errorf("the last page: %+v", list)
	}
	if got := do(t, c, "GET", maps+"?limit=1&fieldSelector=metadata.name=a", "").Body; strings.Contains(got, `"continue"`) {
		t.Errorf("one object by name: %s", got)
	}
}
