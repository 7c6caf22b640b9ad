package rest_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

var widget = rest.Kind{Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets", Namespaced: true}

const widgetJSON = `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"web"}}`

// The patch type suits the resource: custom resources refuse a strategic merge patch with 415.
func TestPatchTypeSuitsTheResource(t *testing.T) {
	const doc = `{"a":null}`
	ctx := t.Context()
	c, s := scripted(t,
		ok(pod("web", "1")), ok(widgetJSON), ok(pod("web", "1")), ok(widgetJSON), ok(pod("web", "1")), ok(widgetJSON),
		refuse(415, rest.ReasonUnsupportedMediaType, "the body of the request was in an unknown format"))
	pods := rest.For[rest.Object](c, "Pod").In("default")
	widgets := rest.ForKind[rest.Object](c, widget).In("default")
	named := &rest.Object{"metadata": map[string]any{"name": "web", "namespace": "default"}}
	for _, in := range []func() <-chan stream.Result[*rest.Object]{
		func() <-chan stream.Result[*rest.Object] { return pods.Patch(ctx, "web", rest.NewPatch(doc)) },
		func() <-chan stream.Result[*rest.Object] { return widgets.Patch(ctx, "web", rest.NewPatch(doc)) },
		func() <-chan stream.Result[*rest.Object] {
			return pods.PatchStatus(ctx, "web", rest.NewPatch(doc))
		},
		func() <-chan stream.Result[*rest.Object] {
			return widgets.PatchStatus(ctx, "web", rest.NewPatch(doc))
		},
		func() <-chan stream.Result[*rest.Object] {
			return rest.For[rest.Object](c, "Pod").PatchObject(ctx, named, rest.StrategicPatch(doc))
		},
		func() <-chan stream.Result[*rest.Object] {
			return widgets.Patch(ctx, "web", rest.JSONPatch([]map[string]any{{"op": "remove", "path": "/a"}}))
		},
	} {
		if err := errOf(in()); err != nil {
			t.Error(err)
		}
	}
	if err := errOf(widgets.Patch(ctx, "web", rest.MergePatch(doc))); !errors.Is(err, rest.ErrUnsupportedMediaType) {
		t.Errorf("a refusal is %v", err)
	}
	const (
		podPath, widgetPath = "/api/v1/namespaces/default/pods/web", "/apis/example.com/v1/namespaces/default/widgets/web"
		merge, strategic    = "application/merge-patch+json", "application/strategic-merge-patch+json"
	)
	want := []call{
		{"PATCH", podPath, strategic, doc},
		{"PATCH", widgetPath, merge, doc},
		{"PATCH", podPath + "/status", merge, doc},
		{"PATCH", widgetPath + "/status", merge, doc},
		{"PATCH", podPath, strategic, doc},
		{"PATCH", widgetPath, "application/json-patch+json", `[{"op":"remove","path":"/a"}]`},
		{"PATCH", widgetPath, merge, doc},
	}
	if d := cmp.Diff(want, s.requests()); d != "" {
		t.Error(d)
	}
}

func TestBadPatches(t *testing.T) {
	c, s := scripted(t)
	pods := rest.For[rest.Object](c, "Pod").In("default")
	widgets := rest.ForKind[rest.Object](c, widget).In("default")
	const head = "rest: patch pods default/web: "
	for _, test := range []struct {
		r    rest.Resource[rest.Object]
		p    rest.Patch
		want string
	}{
		{widgets, rest.StrategicPatch("{}"), "rest: patch widgets.example.com default/web: custom resources have no strategic merge patch; use a merge patch"},
		{widgets, rest.NewPatch("[]"), "rest: patch widgets.example.com default/web: a merge patch must be an object"},
		{pods, rest.NewPatch("[]"), head + "a strategic merge patch must be an object"},
		{pods, rest.JSONPatch("{}"), head + "a JSON patch must be an array"},
		{pods, rest.JSONPatch(""), head + "the patch is empty"},
		{pods, rest.NewPatch(nil), head + "the patch is empty"},
		{pods, rest.Patch{Type: "application/apply-patch+yaml", Data: []byte("{}")}, head + `patch type "application/apply-patch+yaml" is not supported`},
	} {
		if _, err := one(t, test.r.Patch(t.Context(), "web", test.p)); err == nil || err.Error() != test.want {
			t.Errorf("error is\n\t%v, want\n\t%s", err, test.want)
		}
	}
	if n := len(s.requests()); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}
