package rest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

func TestVerbs(t *testing.T) {
	patch := rest.MergePatch(map[string]any{"spec": map[string]any{"nodeName": "n"}})
	type pods = rest.Resource[Pod]
	web := &Pod{Metadata: Meta{Name: "web"}}
	for name, test := range map[string]struct {
		do   func(context.Context, pods) <-chan stream.Result[*Pod]
		want call
	}{
		"get": {
			func(ctx context.Context, r pods) <-chan stream.Result[*Pod] { return r.Get(ctx, "web") },
			call{"GET", "/api/v1/namespaces/default/pods/web", "", ""},
		},
		"create": {
			func(ctx context.Context, r pods) <-chan stream.Result[*Pod] { return r.Create(ctx, web) },
			call{"POST", "/api/v1/namespaces/default/pods", "application/json", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{}}`},
		},
		"update": {
			func(ctx context.Context, r pods) <-chan stream.Result[*Pod] {
				return r.With(rest.CallOptions{Replace: true}).Update(ctx, web)
			},
			call{"PUT", "/api/v1/namespaces/default/pods/web", "application/json", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{}}`},
		},
		"patch": {
			func(ctx context.Context, r pods) <-chan stream.Result[*Pod] { return r.Patch(ctx, "web", patch) },
			call{"PATCH", "/api/v1/namespaces/default/pods/web", "application/merge-patch+json", `{"spec":{"nodeName":"n"}}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, s := scripted(t, ok(pod("web", "7")))
			got, err := one(t, test.do(t.Context(), rest.For[Pod](c, "Pod").In("default")))
			if err != nil {
				t.Fatal(err)
			}
			want := &Pod{Kind: "Pod", APIVersion: "v1", Metadata: Meta{Name: "web", Namespace: "default", ResourceVersion: "7"}}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff([]call{test.want}, s.requests()); d != "" {
				t.Error(d)
			}
		})
	}
}

// An invalid argument is reported as the one result, and no request is sent.
func TestBadArguments(t *testing.T) {
	c, s := scripted(t)
	ctx := t.Context()
	all := rest.For[Pod](c, "Pod")
	pods := all.In("default")
	nodes := rest.For[Pod](c, "Node")
	objects := rest.For[rest.Object](c, "Pod").In("default")
	anything := rest.For[any](c, "Pod").In("default")
	list := any(map[string]any{"kind": "PodList", "apiVersion": "v1", "metadata": map[string]any{}, "items": []any{}})
	bare := any(map[string]any{"metadata": map[string]any{}, "items": []any{}})
	scalar := any("pod")
	negative := int64(-1)
	named := func(name string) *Pod { return &Pod{Metadata: Meta{Name: name}} }

	first := func(in <-chan stream.Result[*Pod]) error { _, err := one(t, in); return err }
	for _, test := range []struct {
		err  error
		want string
	}{
		{first(pods.Get(ctx, "")), "rest: get pods default/*: name is empty"},
		{first(pods.Get(ctx, "a/b")), `rest: get pods default/*: name "a/b" contains '/' or '%'`},
		{first(pods.Get(ctx, "..")), `rest: get pods default/*: name ".." is a relative path`},
		{first(pods.Get(ctx, "a\nb")), `rest: get pods default/*: name "a\nb" contains a control character`},
		{first(pods.Get(ctx, "a\xffb")), `rest: get pods default/*: name "a\xffb" is not UTF-8`},
		{first(all.Get(ctx, "web")), "rest: get pods web: no namespace: use In"},
		{first(all.In("a/b").Get(ctx, "web")), `rest: pods: namespace "a/b" contains '/' or '%'`},
		{first(nodes.In("default").Get(ctx, "n")), `rest: nodes are cluster-scoped; do not use In("default")`},
		{first(rest.For[Pod](c, "Foo").Get(ctx, "web")), `rest: unknown kind "Foo": it is not built in; for a custom resource use ForKind, Options.Kinds or Options.Discovery`},
		{first(rest.ForKind[Pod](c, rest.Kind{Kind: "Foo"}).Get(ctx, "web")), `rest: kind "/Foo": Version is empty`},
		{first(rest.For[Pod](nil, "Pod").In("default").Get(ctx, "web")), "rest: the client is nil"},
		{first(pods.Create(ctx, nil)), "rest: create pods default/*: the object is nil"},
		{first(pods.Create(ctx, &Pod{})), "rest: create pods default/*: metadata.name and metadata.generateName are missing"},
		{first(pods.Create(ctx, named("a/b"))), `rest: create pods default/*: name "a/b" contains '/' or '%'`},
		{first(pods.Create(ctx, &Pod{Kind: "Node", Metadata: Meta{Name: "web"}})), `rest: create pods default/web: the object is of kind "Node", the resource of kind "Pod"`},
		{first(pods.Create(ctx, &Pod{APIVersion: "v2", Metadata: Meta{Name: "web"}})), `rest: create pods default/web: the object is of apiVersion "v2", the resource of "v1"`},
		{first(pods.Create(ctx, &Pod{Metadata: Meta{Name: "web", Namespace: "other"}})), `rest: create pods default/web: the object is in namespace "other", the resource in "default"`},
		{first(all.Create(ctx, named("web"))), "rest: create pods web: no namespace: set metadata.namespace or use In"},
		{first(nodes.Create(ctx, &Pod{Metadata: Meta{Name: "n", Namespace: "x"}})), `rest: create nodes n: the object is in namespace "x", but nodes are cluster-scoped`},
		{first(pods.Update(ctx, nil)), "rest: update pods default/*: the object is nil"},
		{first(pods.Update(ctx, &Pod{})), "rest: update pods default/*: metadata.name is missing"},
		{first(all.Update(ctx, named("web"))), "rest: update pods web: no namespace: set metadata.namespace or use In"},
		{first(pods.Patch(ctx, "", rest.MergePatch("{}"))), "rest: patch pods default/*: name is empty"},
		{first(pods.Patch(ctx, "web", rest.Patch{})), "rest: patch pods default/web: the patch is empty"},
		{first(pods.Patch(ctx, "web", rest.Patch{Type: "text/plain"})), `rest: patch pods default/web: patch type "text/plain" is not supported`},
		{first(pods.Patch(ctx, "web", rest.MergePatch(""))), "rest: patch pods default/web: the patch is empty"},
		{first(pods.Patch(ctx, "web", rest.MergePatch(nil))), "rest: patch pods default/web: the patch is empty"},
		{first(pods.Patch(ctx, "web", rest.MergePatch("[1]"))), "rest: patch pods default/web: a merge patch must be an object"},
		{first(pods.Patch(ctx, "web", rest.MergePatch("{"))), "rest: patch pods default/web: the patch is not JSON"},
		{first(pods.Patch(ctx, "web", rest.MergePatch(func() {}))), "rest: patch pods default/web: encoding the patch: json: unsupported type: func()"},
		{errOf(objects.Create(ctx, new(rest.Object))), "rest: create pods default/*: the value is not a JSON object"},
		{errOf(objects.Create(ctx, &rest.Object{"kind": "Pod"})), "rest: create pods default/*: the value has no metadata"},
		{errOf(objects.Create(ctx, &rest.Object{"metadata": 1})), "rest: create pods default/*: metadata is not an object, or one of its fields has the wrong type"},
		{errOf(objects.Create(ctx, &rest.Object{"kind": 1})), "rest: create pods default/*: kind is not a string"},
		{errOf(anything.Create(ctx, &list)), "rest: create pods default/*: the value is a list"},
		{errOf(anything.Create(ctx, &bare)), "rest: create pods default/*: the value is a list"},
		{errOf(anything.Create(ctx, &scalar)), "rest: create pods default/*: the value is not a JSON object"},
		{errOf(pods.Delete(ctx, "", rest.DeleteOptions{})), "rest: delete pods default/*: name is empty"},
		{errOf(pods.Delete(ctx, "web", rest.DeleteOptions{Propagation: "No"})), `rest: delete pods default/web: propagation policy "No" is not one of Background, Foreground, Orphan`},
		{errOf(pods.Delete(ctx, "web", rest.DeleteOptions{GracePeriodSeconds: &negative})), "rest: delete pods default/web: the grace period is negative"},
		{errOf(pods.List(ctx, rest.ListOptions{LabelSelector: "a in b"})), `rest: list pods default/*: label selector "a in b": at 5: found "b" where '(' should be`},
		{errOf(pods.List(ctx, rest.ListOptions{FieldSelector: "a"})), `rest: list pods default/*: field selector "a": at 0: "a" has no operator (=, ==, !=)`},
		{errOf(pods.List(ctx, rest.ListOptions{ResourceVersionMatch: "Exact"})), "rest: list pods default/*: a resource version match needs a resource version"},
		{errOf(pods.List(ctx, rest.ListOptions{ResourceVersion: "1", ResourceVersionMatch: "No"})), `rest: list pods default/*: resource version match "No" is not one of NotOlderThan, Exact`},
		{errOf(pods.Each(ctx, rest.ListOptions{Limit: -2})), "rest: list pods default/*: limit -2 is less than -1"},
	} {
		if test.err == nil || test.err.Error() != test.want && !strings.HasPrefix(test.err.Error(), test.want+": ") {
			t.Errorf("error is\n\t%v, want\n\t%s", test.err, test.want)
		}
	}
	if n := len(s.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// errOf returns the error of an answer.
func errOf[T any](in <-chan stream.Result[T]) error {
	_, err := stream.Await(in)
	return err
}

// The object is encoded before the verb returns, so that it can be changed afterwards.
func TestArgumentsAreEncodedAtOnce(t *testing.T) {
	c, s := scripted(t, ok(pod("web", "1")))
	web := &Pod{Metadata: Meta{Name: "web", Labels: map[string]string{"a": "1"}}}
	answers := rest.For[Pod](c, "Pod").In("default").Create(t.Context(), web)
	clear(web.Metadata.Labels)
	web.Metadata.Name = "changed"
	if _, err := one(t, answers); err != nil {
		t.Fatal(err)
	}
	if got, want := s.requests()[0].Body, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"a":"1"}},"spec":{}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

// For a resource in all namespaces, a write takes the namespace from the object.
func TestNamespaceFromObject(t *testing.T) {
	prod := strings.Replace(pod("web", "1"), `"default"`, `"prod"`, 1)
	c, s := scripted(t, ok(prod), ok(prod))
	all := rest.For[Pod](c, "Pod")
	web := &Pod{Metadata: Meta{Name: "web", Namespace: "prod"}}
	if err := errors.Join(errOf(all.Create(t.Context(), web)), errOf(all.With(rest.CallOptions{Replace: true}).Update(t.Context(), web))); err != nil {
		t.Fatal(err)
	}
	uris := make([]string, 0, len(s.requests()))
	for _, r := range s.requests() {
		uris = append(uris, r.Method+" "+r.URI)
	}
	if d := cmp.Diff([]string{"POST /api/v1/namespaces/prod/pods", "PUT /api/v1/namespaces/prod/pods/web"}, uris); d != "" {
		t.Error(d)
	}
}

// An object is sent with its apiVersion and kind, even if they are empty in the struct.
func TestBodyHasTypes(t *testing.T) {
	for name, test := range map[string]struct{ obj, want string }{
		"both missing":   {`{"metadata":{"name":"a"}}`, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`},
		"kind missing":   {`{"apiVersion":"v1","metadata":{"name":"a"}}`, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`},
		"both empty":     {`{"kind":"","metadata":{"name":"a"},"apiVersion":""}`, `{"kind":"Pod","metadata":{"name":"a"},"apiVersion":"v1"}`},
		"null":           {`{"kind":null,"metadata":{"name":"a"}}`, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`},
		"both there":     {`{"metadata":{"name":"a"},"kind":"Pod","apiVersion":"v1"}`, `{"metadata":{"name":"a"},"kind":"Pod","apiVersion":"v1"}`},
		"name generated": {`{"metadata":{"generateName":"a-"}}`, `{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"a-"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			c, s := scripted(t, ok(pod("a", "1")))
			raw := jsontext.Value(test.obj)
			if err := errOf(rest.For[jsontext.Value](c, "Pod").In("default").Create(t.Context(), &raw)); err != nil {
				t.Fatal(err)
			}
			var got, want any
			got, _ = rest.Decode[any]([]byte(s.requests()[0].Body))
			want, _ = rest.Decode[any]([]byte(test.want))
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d, s.requests()[0].Body)
			}
		})
	}
}

func TestCancelledRequest(t *testing.T) {
	started := make(chan struct{}, 1)
	c := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		started <- struct{}{}
		<-r.Context().Done()
	}), kubeconfig.Config{})
	ctx, cancel := context.WithCancelCause(t.Context())
	answers := rest.For[Pod](c, "Pod").In("default").Get(ctx, "web")
	<-started
	cause := errors.New("enough")
	cancel(cause)
	_, err := one(t, answers)
	if !errors.Is(err, cause) {
		t.Errorf("error is %v, want the cause", err)
	}
}

func TestCancelledBeforehand(t *testing.T) {
	c, s := scripted(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	pods := rest.For[Pod](c, "Pod").In("default")
	for _, err := range []error{
		errOf(pods.Get(ctx, "web")),
		errOf(pods.Create(ctx, &Pod{Metadata: Meta{Name: "web"}})),
		errOf(pods.Delete(ctx, "web", rest.DeleteOptions{})),
		errOf(pods.List(ctx, rest.ListOptions{})),
	} {
		if !errors.Is(err, cause) {
			t.Errorf("error is %v, want the cause", err)
		}
	}
	if r, open := <-pods.Each(ctx, rest.ListOptions{}); open {
		t.Errorf("Each sent %v", r)
	}
	if n := len(s.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// The error of an answer that is not an object names the operation.
func TestGarbageAnswer(t *testing.T) {
	for _, body := range []string{"", "<html>", `{"metadata":`, `[]`, `{"metadata":{"name":5}}`} {
		c, _ := scripted(t, ok(body))
		_, err := one(t, rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web"))
		if err == nil || !strings.HasPrefix(err.Error(), "get pods default/web: decoding the answer: ") {
			t.Errorf("%q: error is %v", body, err)
		}
	}
}

// An answer may hold a secret: the decoder's errors do not repeat its values.
func TestDecodeErrorHidesValue(t *testing.T) {
	type number struct {
		Data int `json:"data"`
	}
	_, err := rest.Decode[number]([]byte(`{"data":"hunter2"}`))
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "number.data") {
		t.Errorf("error is %v", err)
	}
}
