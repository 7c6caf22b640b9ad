package rest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

func withKinds(t *testing.T, kinds ...rest.Kind) (*rest.Client, error) {
	t.Helper()
	return rest.New(kubeconfig.Config{Server: "https://localhost"}, rest.Options{Kinds: kinds})
}

// The caller's descriptors take precedence over the table, by every name.
func TestOwnKinds(t *testing.T) {
	pod := rest.Kind{Group: "own.example", Version: "v2", Kind: "Pod", Plural: "pods"}
	old := rest.Kind{Group: "own.example", Version: "v1", Kind: "Pod", Plural: "pods"}
	a := rest.Kind{Group: "a.example", Version: "v1", Kind: "Thing", Plural: "things"}
	b := rest.Kind{Group: "b.example", Version: "v1", Kind: "Thing", Plural: "things"}
	kinds := []rest.Kind{pod, old, a, b}
	c, err := withKinds(t, kinds...)
	if err != nil {
		t.Fatal(err)
	}
	kinds[0].Plural = "changed"
	for name, want := range map[string]string{
		"Pod":                "own.example/v2/Pod pods",
		"own.example/v1/Pod": "own.example/v1/Pod pods",
		"v1/Pod":             "v1/Pod pods",
		"Node":               "v1/Node nodes",
		"b.example/v1/Thing": "b.example/v1/Thing things",
		"Thing":              `rest: several groups have kind "Thing": use one of a.example/v1/Thing, b.example/v1/Thing`,
		"thing":              `rest: unknown kind "thing": did you mean "Thing"?`,
		"v2/Pod":             `rest: unknown kind "v2/Pod": known are own.example/v2/Pod, own.example/v1/Pod, v1/Pod`,
	} {
		k, err := one(t, c.Resolve(t.Context(), name))
		got := k.String() + " " + k.Plural
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s is\n\t%s, want\n\t%s", name, got, want)
		}
		if e := rest.For[Pod](c, name).Endpoint(); err == nil && e.Kind() != k || errText(e.Err()) != errText(err) {
			t.Errorf("For gives %v, %v", e.Kind(), e.Err())
		}
	}
}

func TestOwnKindsRefused(t *testing.T) {
	widget := rest.Kind{Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets"}
	renamed := widget
	renamed.Kind = "Other"
	for want, kinds := range map[string][]rest.Kind{
		`rest: new client: kind "example.com/v1/Widget": Plural is empty`: {{Group: "example.com", Version: "v1", Kind: "Widget"}},
		`rest: new client: kind "/Widget": Version is empty`:              {{Kind: "Widget", Plural: "widgets"}},
		`rest: new client: kind "example.com/v1/Widget" appears twice`:    {widget, widget},
		`rest: new client: kind "example.com/v1/Other" appears twice`:     {widget, renamed},
		`rest: new client: kind "v1/X": Plural "x/y" contains '/' or '%'`: {{Version: "v1", Kind: "X", Plural: "x/y"}},
	} {
		if _, err := withKinds(t, kinds...); errText(err) != want {
			t.Errorf("error is\n\t%v, want\n\t%s", err, want)
		}
	}
}

// Every verb resolves its name before its request. Arguments that can be checked without discovery
// are checked first.
func TestVerbsResolve(t *testing.T) {
	const path = "/apis/example.com/v2/namespaces/a/widgets"
	widget := `{"kind":"Widget","apiVersion":"example.com/v2","metadata":{"name":"w","namespace":"a","resourceVersion":"1"}}`
	answers := usual()
	answers[path], answers[path+"/w"] = ok(`{"items":[{"metadata":{"name":"w"}}]}`), ok(widget)
	answers[path+"/w/status"] = ok(widget)
	answers["POST "+path] = ok(widget)
	w := func() *rest.Object { return &rest.Object{"metadata": map[string]any{"name": "w"}} }
	type objects = rest.Resource[rest.Object]
	send := func(in <-chan stream.Result[*rest.Object]) error { return (<-in).Err }
	const sent = ` {"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"w"}}`
	for name, test := range map[string]struct {
		verb func(ctx context.Context, r objects) error
		want string
	}{
		"get": {func(ctx context.Context, r objects) error { return send(r.Get(ctx, "w")) }, "GET " + path + "/w"},
		"create": {func(ctx context.Context, r objects) error {
			o := w()
			in := r.Create(ctx, o)
			clear(*o)
			return send(in)
		}, "POST " + path + sent},
		"update": {func(ctx context.Context, r objects) error {
			o := w()
			in := r.Update(ctx, o)
			clear(*o)
			return send(in)
		}, "PUT " + path + "/w" + sent},
		"apply": {
			func(ctx context.Context, r objects) error {
				return send(r.With(rest.CallOptions{FieldManager: "me"}).Apply(ctx, w()))
			},
			"PATCH " + path + "/w?fieldManager=me" + sent,
		},
		"patch": {func(ctx context.Context, r objects) error { return send(r.Patch(ctx, "w", rest.MergePatch("{}"))) }, "PATCH " + path + "/w {}"},
		"status": {func(ctx context.Context, r objects) error {
			return send(r.PatchStatus(ctx, "w", rest.MergePatch("{}")))
		}, "PATCH " + path + "/w/status {}"},
		"modify": {func(ctx context.Context, r objects) error {
			return send(r.Modify(ctx, "w", func(*rest.Object) error { return nil }))
		}, "GET " + path + "/w"},
		"delete": {func(ctx context.Context, r objects) error { return (<-r.Delete(ctx, "w", rest.DeleteOptions{})).Err }, "DELETE " + path + "/w"},
		"delete all": {
			func(ctx context.Context, r objects) error {
				return (<-r.DeleteAll(ctx, rest.ListOptions{}, rest.DeleteOptions{})).Err
			},
			"DELETE " + path,
		},
		"list": {func(ctx context.Context, r objects) error { return (<-r.List(ctx, rest.ListOptions{Limit: -1})).Err }, "GET " + path},
		"each": {func(ctx context.Context, r objects) error { return (<-r.Each(ctx, rest.ListOptions{Limit: -1})).Err }, "GET " + path},
	} {
		t.Run(name, func(t *testing.T) {
			discovering(t, answers, func(t *testing.T, s *apiServer, c *rest.Client) {
				r := rest.For[rest.Object](c, "wd").In("a")
				if len(s.asked()) > 0 || r.Endpoint().Err() != nil {
					t.Error("For asks", r.Endpoint().Err())
				}
				if err := test.verb(t.Context(), r); err != nil {
					t.Error(err)
				}
				if d := cmp.Diff([]string{"GET /api", "GET /apis", test.want}, s.asked()); d != "" {
					t.Error(d)
				}
				// Once the name is resolved, discovery is not read again.
				_ = test.verb(t.Context(), r)
				if d := cmp.Diff([]string{test.want}, s.asked()); d != "" {
					t.Error(d)
				}
				// The version is no longer served: the name now stands for another one.
				s.upgrade("example.com/v2", "example.com/v3")
				if err := test.verb(t.Context(), r); err != nil {
					t.Error(err)
				}
				v3 := strings.ReplaceAll(test.want, "/v2", "/v3")
				if d := cmp.Diff([]string{test.want, `GET /api unless "a1"`, `GET /apis unless "b1"`, v3}, s.asked()); d != "" {
					t.Error(d)
				}
				_ = test.verb(t.Context(), r)
				if d := cmp.Diff([]string{v3}, s.asked()); d != "" {
					t.Error(d)
				}
			})
		})
	}
}

// Discovery is not read again because an object is missing, or for a name that pins its version. If
// the resource is gone altogether, the server's refusal is the error.
func TestNotFoundResolves(t *testing.T) {
	const path = "/apis/example.com/v2/namespaces/a/widgets"
	answers := usual()
	answers[path+"/w"] = answer{code: 404, body: `{"kind":"Status","status":"Failure","reason":"NotFound","code":404,"details":{"name":"w","kind":"widgets"}}`}
	discovering(t, answers, func(t *testing.T, s *apiServer, c *rest.Client) {
		widgets := rest.For[rest.Object](c, "Widget").In("a")
		if err := errOf(widgets.Get(t.Context(), "w")); !errors.Is(err, rest.ErrNotFound) {
			t.Error(err)
		}
		if d := cmp.Diff([]string{"GET /api", "GET /apis", "GET " + path + "/w"}, s.asked()); d != "" {
			t.Error(d)
		}
		s.upgrade("example.com/v2", "example.com/v3")
		s.drop("/apis/example.com/v3/namespaces/a/widgets/w")
		if err := errOf(rest.For[rest.Object](c, "example.com/v2/Widget").In("a").Get(t.Context(), "w")); !errors.Is(err, rest.ErrNotFound) {
			t.Error(err)
		}
		if d := cmp.Diff([]string{"GET " + path + "/w", `GET /api unless "a1"`, `GET /apis unless "b1"`}, s.asked()); d != "" {
			t.Error(d)
		}
		err := errOf(widgets.Get(t.Context(), "w"))
		if want := "get widgets.example.com a/w: not found (404): the server could not find the requested resource"; errText(err) != want {
			t.Errorf("error is %v", err)
		}
		if err := errOf(rest.For[rest.Object](c, "example.com/v2/Widget").In("a").Get(t.Context(), "w")); !errors.Is(err, rest.ErrUnknownKind) {
			t.Errorf("of a version that is known to be gone the error is %v", err)
		}
	})
}

// Objects are not sent twice: a resource that goes away between two pages is an error.
func TestEachResolvesAtItsBeginningOnly(t *testing.T) {
	const path = "/apis/example.com/v2/namespaces/a/widgets"
	answers := usual()
	answers[path] = ok(`{"metadata":{"continue":"next"},"items":[{"metadata":{"name":"w"}},{"metadata":{"name":"x"}}]}`)
	discovering(t, answers, func(t *testing.T, s *apiServer, c *rest.Client) {
		var got []string
		for r := range rest.For[rest.Object](c, "Widget").In("a").Each(t.Context(), rest.ListOptions{}) {
			if r.Err != nil {
				got = append(got, r.Err.Error())
				continue
			}
			if len(got) == 0 { // the second one waits to be sent, and the next page has not been requested
				s.upgrade("example.com/v2", "example.com/v3")
			}
			got = append(got, r.Value.String("metadata", "name"))
		}
		want := []string{"w", "x", "list widgets.example.com a/*: not found (404): the server could not find the requested resource"}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

func TestPending(t *testing.T) {
	discovering(t, usual(), func(t *testing.T, s *apiServer, c *rest.Client) {
		r := rest.For[rest.Object](c, "example.com/v2/Widget")
		bad := (*rest.Object)(nil)
		for want, err := range map[string]error{
			`rest: get example.com/v2/Widget: name "a/b" contains '/' or '%'`:               errOf(r.Get(t.Context(), "a/b")),
			`rest: create example.com/v2/Widget: the object is nil`:                         errOf(r.Create(t.Context(), bad)),
			`rest: create example.com/v2/Widget: the value has no metadata`:                 errOf(r.Create(t.Context(), &rest.Object{})),
			`rest: patch example.com/v2/Widget w: the patch is empty`:                       errOf(r.Patch(t.Context(), "w", rest.MergePatch(""))),
			`rest: example.com/v2/Widget: namespace "a/b" contains '/' or '%'`:              errOf(r.In("a/b").Get(t.Context(), "w")),
			`rest: kind "example.com/v2/Widget" is not resolved yet: use Endpoint.Resolve`:  watchError(t, r.Endpoint()),
			`rest: kind "example.com/v2/Widget" is not resolved yet: use Endpoint.Resolve `: listError(t, r.Endpoint()),
		} {
			if errText(err) != strings.TrimSpace(want) {
				t.Errorf("error is\n\t%v, want\n\t%s", err, want)
			}
		}
		if n := len(s.asked()); n != 0 {
			t.Errorf("%d requests", n)
		}
		if got := (*r.New("w")); got.Name() != "w" {
			t.Errorf("a new one is %v", got)
		}
		_, err := one(t, rest.For[func()](c, "Widget").Get(t.Context(), "w"))
		if err == nil || !strings.HasPrefix(err.Error(), "rest: Widget: ") {
			t.Error(err)
		}
	})
}

// Arguments that need the kind are checked once it is known.
func TestPendingResolved(t *testing.T) {
	discovering(t, usual(), func(t *testing.T, _ *apiServer, c *rest.Client) {
		r := rest.For[rest.Object](c, "example.com/v2/Widget")
		for want, err := range map[string]error{
			`rest: get widgets.example.com w: no namespace: use In`: errOf(r.Get(t.Context(), "w")),
			`rest: create widgets.example.com a/w: the object is of kind "Pod", the resource of kind "Widget"`: errOf(r.In("a").Create(t.Context(),
				&rest.Object{"kind": "Pod", "metadata": map[string]any{"name": "w"}})),
		} {
			if errText(err) != want {
				t.Errorf("error is\n\t%v, want\n\t%s", err, want)
			}
		}
		e := r.In("a").Endpoint()
		if k := e.Kind(); k.Group != "example.com" || k.Version != "v2" || k.Kind != "Widget" || k.Plural != "" {
			t.Errorf("before it is %+v", k)
		}
		resolved, err := one(t, e.Resolve(t.Context()))
		if err != nil || resolved.Kind().Plural != "widgets" || resolved.Namespace() != "a" {
			t.Errorf("%+v, %v", resolved.Kind(), err)
		}
		if again, err := one(t, resolved.Resolve(t.Context())); err != nil || again != resolved {
			t.Error(again, err)
		}
	})
	// The scope is known only from the server.
	answers := usual()
	answers["/api"] = group("", item("", `v1:{"resource":"zones","responseKind":{"kind":"Zone"},"scope":"Cluster"}`))
	discovering(t, answers, func(t *testing.T, _ *apiServer, c *rest.Client) {
		_, err := one(t, rest.For[rest.Object](c, "Zone").In("a").Get(t.Context(), "z"))
		if want := `rest: zones are cluster-scoped; do not use In("a")`; errText(err) != want {
			t.Errorf("error is\n\t%v, want\n\t%s", err, want)
		}
	})
}

func watchError(t *testing.T, e rest.Endpoint) error {
	t.Helper()
	frames, err := e.Watch(t.Context(), rest.WatchOptions{Timeout: time.Second})
	if err == nil {
		frames.Close()
		return errors.New("it is let through")
	}
	return err
}

func listError(t *testing.T, e rest.Endpoint) error {
	t.Helper()
	_, err := e.List(t.Context(), rest.ListOptions{}, everyPage, func(rest.Item) error { return nil })
	if err == nil {
		return errors.New("it is let through")
	}
	return err
}
