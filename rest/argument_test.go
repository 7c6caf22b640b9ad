package rest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// Every wrong argument matches ErrInvalidArgument, and no request is sent.
func TestInvalidArgument(t *testing.T) {
	c, s := scripted(t)
	ctx := t.Context()
	pods := rest.For[rest.Object](c, "Pod").In("default")
	nobody := rest.For[rest.Object](nil, "Pod")
	for name, err := range map[string]error{
		"an unknown kind":             errOf(rest.For[rest.Object](c, "Foo").Get(ctx, "x")),
		"a part of a kind":            errOf(rest.For[rest.Object](c, "PodSpec").Get(ctx, "x")),
		"a type":                      errOf(rest.For[int](c, "Pod").In("default").Get(ctx, "x")),
		"a descriptor":                errOf(rest.ForKind[rest.Object](c, rest.Kind{}).Get(ctx, "x")),
		"no client":                   errOf(nobody.Get(ctx, "x")),
		"a name":                      errOf(pods.Get(ctx, "")),
		"a namespace":                 errOf(pods.In("a/b").Get(ctx, "x")),
		"no namespace":                errOf(pods.In("").Get(ctx, "x")),
		"a namespace too many":        errOf(rest.For[rest.Object](c, "Node").In("a").Get(ctx, "x")),
		"a nil":                       errOf(pods.Create(ctx, nil)),
		"an object without a name":    errOf(pods.Update(ctx, &rest.Object{"metadata": map[string]any{}})),
		"an object of another kind":   errOf(pods.Create(ctx, &rest.Object{"kind": "Node", "metadata": map[string]any{"name": "a"}})),
		"a type that loses":           errOf(rest.For[Pod](c, "Pod").In("default").Update(ctx, &Pod{Metadata: Meta{Name: "a"}})),
		"a patch":                     errOf(pods.Patch(ctx, "a", rest.MergePatch("[]"))),
		"an apply without a manager":  errOf(pods.Apply(ctx, &rest.Object{"metadata": map[string]any{"name": "a"}})),
		"a nil function":              errOf(pods.Modify(ctx, "a", nil)),
		"a label selector":            errOf(pods.List(ctx, rest.ListOptions{LabelSelector: "a in"})),
		"a field selector":            errOf(pods.Each(ctx, rest.ListOptions{FieldSelector: "a"})),
		"a name to list":              errOf(pods.List(ctx, rest.ListOptions{Name: "a/b"})),
		"a limit":                     errOf(pods.List(ctx, rest.ListOptions{Limit: -2})),
		"a propagation policy":        errOf(pods.Delete(ctx, "a", rest.DeleteOptions{Propagation: "x"})),
		"preconditions of many":       errOf(pods.DeleteAll(ctx, rest.ListOptions{}, rest.DeleteOptions{UID: "u"})),
		"all namespaces":              errOf(pods.In("").DeleteAll(ctx, rest.ListOptions{}, rest.DeleteOptions{})),
		"an option of the handle":     errOf(pods.With(rest.CallOptions{FieldValidation: "x"}).Get(ctx, "a")),
		"a verb of a subresource":     errOf(rest.Sub[rest.Object](pods, "status").List(ctx, rest.ListOptions{})),
		"a subresource":               errOf(rest.Sub[rest.Object](pods, "a/b").Get(ctx, "a")),
		"an eviction":                 errOf(rest.Evict(ctx, pods, "", rest.DeleteOptions{})),
		"a path":                      errOf(c.Do(ctx, rest.Request{Path: "x"})),
		"a name of a kind to resolve": errOf(c.Resolve(ctx, "Foo")),
		"a selector to parse":         errOf2(rest.ParseLabels("((")),
		"fields to parse":             errOf2(rest.ParseFields("a")),
		"an interval of pings":        newError(rest.Options{PingInterval: -7}),
		"an option of the client":     newError(rest.Options{Defaults: rest.CallOptions{MaxObject: -2}}),
	} {
		if !errors.Is(err, rest.ErrInvalidArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(s.requests()); n > 0 {
		t.Errorf("%d requests were sent", n)
	}

	// Errors of the server or of the connection do not match it.
	c, _ = scripted(t, refuse(400, rest.ReasonBadRequest, "no"), refuse(404, rest.ReasonNotFound, "no"))
	pods = rest.For[rest.Object](c, "Pod").In("default")
	gone, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range []error{errOf(pods.Get(ctx, "a")), errOf(pods.Get(ctx, "a")), errOf(pods.Get(gone, "a"))} {
		if err == nil || errors.Is(err, rest.ErrInvalidArgument) {
			t.Error(err)
		}
	}
}

func errOf2[T any](_ T, err error) error { return err }

func newError(o rest.Options) error {
	_, err := rest.New(kubeconfig.Config{Server: "https://localhost"}, o)
	return err
}

// One object is listed by its name, in addition to other selectors.
func TestListByName(t *testing.T) {
	c, s := scripted(t, ok(`{"items":[]}`), ok(`{"items":[]}`))
	pods := rest.For[rest.Object](c, "Pod").In("default")
	for _, o := range []rest.ListOptions{{Name: "web"}, {Name: "web", FieldSelector: "spec.nodeName=n"}} {
		if _, err := stream.Await(pods.List(t.Context(), o)); err != nil {
			t.Error(err)
		}
	}
	for i, want := range []string{"fieldSelector=metadata.name%3Dweb&limit=500", "fieldSelector=metadata.name%3Dweb%2Cspec.nodeName%3Dn&limit=500"} {
		if _, query, _ := strings.Cut(s.requests()[i].URI, "?"); query != want {
			t.Errorf("asked for %s, want %s", query, want)
		}
	}
}
