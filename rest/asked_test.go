package rest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// askingVerbs are the verbs whose answer is the object called web.
func askingVerbs() map[string]func(context.Context, rest.Resource[rest.Object]) error {
	object := func() *rest.Object {
		return &rest.Object{"metadata": map[string]any{"name": "web", "resourceVersion": "1"}}
	}
	return map[string]func(context.Context, rest.Resource[rest.Object]) error{
		"get":    func(ctx context.Context, r rest.Resource[rest.Object]) error { return value(r.Get(ctx, "web")) },
		"create": func(ctx context.Context, r rest.Resource[rest.Object]) error { return value(r.Create(ctx, object())) },
		"update": func(ctx context.Context, r rest.Resource[rest.Object]) error { return value(r.Update(ctx, object())) },
		"update of the status": func(ctx context.Context, r rest.Resource[rest.Object]) error {
			return value(r.UpdateStatus(ctx, object()))
		},
		"patch": func(ctx context.Context, r rest.Resource[rest.Object]) error {
			return value(r.Patch(ctx, "web", rest.NewPatch("{}")))
		},
		"patch of the status": func(ctx context.Context, r rest.Resource[rest.Object]) error {
			return value(r.PatchStatus(ctx, "web", rest.NewPatch("{}")))
		},
		"apply": func(ctx context.Context, r rest.Resource[rest.Object]) error { return value(r.Apply(ctx, object())) },
		"modify": func(ctx context.Context, r rest.Resource[rest.Object]) error {
			return value(r.Modify(ctx, "web", func(o *rest.Object) error { (*o)["spec"] = map[string]any{}; return nil }))
		},
		"modify of the status": func(ctx context.Context, r rest.Resource[rest.Object]) error {
			return value(r.ModifyStatus(ctx, "web", func(o *rest.Object) error { (*o)["status"] = map[string]any{}; return nil }))
		},
	}
}

// value returns the error of an answer, which must not be one without a value.
func value[T any](in <-chan stream.Result[*T]) error {
	r := <-in
	if r.Err == nil && r.Value == nil {
		return errors.New("an answer without a value")
	}
	return r.Err
}

// An answer is the object that was asked for, or an error of the verb, never another value.
func TestAnswerIsWhatWasAskedFor(t *testing.T) {
	pod := func(members string) string { return `{"kind":"Pod","apiVersion":"v1",` + members + `}` }
	taken := []string{
		pod(`"metadata":{"name":"web","namespace":"default","resourceVersion":"1"}`),
		pod(`"metadata":{"name":"web","resourceVersion":"1"}`),
		`{"metadata":{"name":"web","namespace":"default","resourceVersion":"1"}}`,
		`{"kind":"","apiVersion":null,"metadata":{"name":"web","resourceVersion":"1"}}`,
		`{"kind":"Pod","metadata":{"name":"web","resourceVersion":"1"}}`,
	}
	refused := map[string]string{
		`null`:   "null, not an object",
		`[ ]`:    "an array, not an object",
		`"text"`: "a string, not an object",
		`true`:   "a bool, not an object",
		`-1`:     "a number, not an object",
		`{}`:     `an object without a name, not "web"`,
		`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`:                            "a v1/PodList, not a v1/Pod",
		`{"metadata":{},"items":[{"metadata":{"name":"web"}}]}`:                                    `an object without a name, not "web"`,
		`{"kind":"Service","apiVersion":"v1","metadata":{"name":"web"}}`:                           "a v1/Service, not a v1/Pod",
		`{"kind":"Pod","apiVersion":"example.com/v1","metadata":{"name":"web"}}`:                   "a example.com/v1/Pod, not a v1/Pod",
		`{"apiVersion":"example.com/v1","metadata":{"name":"web"}}`:                                "a object of example.com/v1, not a v1/Pod",
		`{"kind":"Service","metadata":{"name":"web"}}`:                                             "a Service, not a v1/Pod",
		`{"kind":"Status","apiVersion":"v1","status":"Success"}`:                                   "a v1/Status, not a v1/Pod",
		`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"web"}}`: "a meta.k8s.io/v1/PartialObjectMetadata, not a v1/Pod",
		pod(`"metadata":{"name":"db","namespace":"default"}`):                                      `"db", not "web"`,
		pod(`"metadata":{"name":"web","namespace":"kube-system"}`):                                 `an object in namespace "kube-system", not in "default"`,
		pod(`"metadata":{}`):         `an object without a name, not "web"`,
		pod(`"metadata":null`):       `an object without a name, not "web"`,
		pod(`"spec":{}`):             `an object without a name, not "web"`,
		pod(`"metadata":{"name":7}`): "a part of the identity has the wrong type",
		pod(`"metadata":[]`):         "metadata has the wrong type",
	}
	for verb, do := range askingVerbs() {
		run := func(body string) (int, error) {
			c, s := scripted(t, ok(body), ok(body))
			pods := rest.For[rest.Object](c, "Pod").In("default").With(rest.CallOptions{FieldManager: "test"})
			err := do(t.Context(), pods)
			return len(s.requests()), err
		}
		for _, body := range taken {
			if _, err := run(body); err != nil && !strings.Contains(err.Error(), "ModifyStatus") {
				t.Errorf("%s: %s: %v", verb, body, err)
			}
		}
		for body, want := range refused {
			n, err := run(body)
			if !errors.Is(err, rest.ErrAnswer) || !strings.HasSuffix(strings.TrimSuffix(err.Error(), " (the write may have been carried out)"), " default/web: decoding the answer: "+want) || n != 1 {
				t.Errorf("%s: %s: error after %d requests is\n\t%v, want one and\n\t%s", verb, body, n, err, want)
			}
		}
	}
}

// A cluster-scoped object has no namespace, and an object that the server names may have any name.
func TestAnswerWithoutANameToExpect(t *testing.T) {
	c, _ := scripted(t,
		ok(`{"kind":"Node","apiVersion":"v1","metadata":{"name":"n","namespace":"x"}}`),
		ok(pod("web-x7k2p", "1")), ok(pod("a", "1")),
		ok(`{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"status":{"allowed":true}}`),
	)
	ctx := t.Context()
	if err := errOf(rest.For[rest.Object](c, "Node").Get(ctx, "n")); !errors.Is(err, rest.ErrAnswer) {
		t.Error(err)
	}
	pods := rest.For[rest.Object](c, "Pod").In("default")
	got, err := one(t, pods.Create(ctx, &rest.Object{"metadata": map[string]any{"generateName": "web-"}}))
	if err != nil || got.Name() != "web-x7k2p" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := one(t, pods.Create(ctx, &rest.Object{"metadata": map[string]any{"name": "a", "generateName": "web-"}})); err != nil {
		t.Error(err)
	}
	review, err := one(t, rest.For[rest.Object](c, "SelfSubjectAccessReview").Create(ctx, &rest.Object{"metadata": map[string]any{}}))
	if err != nil || !review.Bool("status", "allowed") {
		t.Errorf("got %v, %v", review, err)
	}
}

// Only some subresources answer with a Status, and their objects are of their own kind.
func TestAnswerOfASubresource(t *testing.T) {
	const success = `{"kind":"Status","apiVersion":"v1","status":"Success"}`
	const scale = `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web"},"spec":{"replicas":1}}`
	named := &rest.Object{"metadata": map[string]any{"name": "web"}}
	for _, test := range []struct {
		resource, sub, body string
		taken               bool
	}{
		{"Pod", "binding", success, true},
		{"Pod", "eviction", success, true},
		{"ServiceAccount", "token", success, false},
		{"ServiceAccount", "token", `{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","metadata":{},"status":{}}`, true},
		{"ServiceAccount", "token", `{"kind":"ServiceAccount","apiVersion":"v1","metadata":{"name":"web"}}`, false},
		{"Deployment", "scale", scale, true},
		{"Deployment", "scale", `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web"}}`, false},
		{"Deployment", "scale", strings.Replace(scale, "web", "db", 1), false},
		{"Deployment", "scale", `{}`, false},
		{"Pod", "mine", success, true},
		{"Pod", "mine", `{"any":1}`, true},
		{"Pod", "mine", `{}`, false},
		{"Pod", "mine", `null`, false},
		{"Pod", "ephemeralcontainers", success, false},
	} {
		c, _ := scripted(t, ok(test.body))
		_, err := one(t, rest.Sub[rest.Object](rest.For[rest.Object](c, test.resource).In("default"), test.sub).Create(t.Context(), named))
		if test.taken != (err == nil) || err != nil && !errors.Is(err, rest.ErrAnswer) {
			t.Errorf("%s/%s: %s: %v", test.resource, test.sub, test.body, err)
		}
	}
}

// A delete answers with a Status or the object, an eviction with a Status.
func TestAnswerOfADelete(t *testing.T) {
	const success = `{"kind":"Status","apiVersion":"v1","status":"Success"}`
	service := `{"kind":"Service","apiVersion":"v1","metadata":{"name":"web"}}`
	list := func(kind, item string) string {
		return `{"kind":"` + kind + `","apiVersion":"v1","items":[` + item + `]}`
	}
	type pods = rest.Resource[rest.Object]
	ctx := t.Context()
	one := func(r pods) error { return errOf(r.Delete(ctx, "web", rest.DeleteOptions{})) }
	object := func(r pods) error {
		return errOf(r.DeleteObject(ctx, &rest.Object{"metadata": map[string]any{"name": "web"}}, rest.DeleteOptions{}))
	}
	evict := func(r pods) error { return errOf(rest.Evict(ctx, r, "web", rest.DeleteOptions{})) }
	all := func(r pods) error { return errOf(r.DeleteAll(ctx, rest.ListOptions{}, rest.DeleteOptions{})) }
	for _, test := range []struct {
		name  string
		do    func(pods) error
		taken []string
		not   []string
	}{
		{"delete", one, []string{success, pod("web", "1")}, []string{pod("db", "1"), service, `{}`, `null`, `[]`, list("PodList", "")}},
		{"delete of an object", object, []string{success, pod("web", "1")}, []string{pod("db", "1"), service, `{}`, `null`, `"x"`}},
		{"evict", evict, []string{success}, []string{pod("web", "1"), `{}`, `null`, `[]`, service}},
		{"delete of all", all, []string{success, list("PodList", pod("a", "1")), list("List", "")}, []string{
			pod("web", "1"), `{}`, `null`, `[]`, list("ServiceList", ""), list("PodList", service), list("PodList", "1"),
		}},
	} {
		for i, body := range append(test.taken, test.not...) {
			c, _ := scripted(t, ok(body))
			err := test.do(rest.For[rest.Object](c, "Pod").In("default"))
			if taken := i < len(test.taken); taken != (err == nil) || err != nil && !errors.Is(err, rest.ErrAnswer) {
				t.Errorf("%s: %s: %v", test.name, body, err)
			}
		}
	}
}

// A list is one of the kind that was asked for, and so are its items.
func TestListIsWhatWasAskedFor(t *testing.T) {
	widget := rest.Kind{Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets", Namespaced: true}
	list := func(kind, version, items string) string {
		return `{"kind":"` + kind + `","apiVersion":"` + version + `","metadata":{"resourceVersion":"1"},"items":` + items + `}`
	}
	item := func(kind, version, name string) string {
		return `[{"kind":"` + kind + `","apiVersion":"` + version + `","metadata":{"name":"` + name + `","namespace":"default"}}]`
	}
	const bare = `[{"metadata":{"name":"web","namespace":"default"}}]`
	partial := list("PartialObjectMetadataList", "meta.k8s.io/v1", item("PartialObjectMetadata", "meta.k8s.io/v1", "web"))
	for _, test := range []struct {
		body                  string
		pods, widgets, partly bool
	}{
		{`{"items":[]}`, true, true, true},
		{list("PodList", "v1", bare), true, false, true},
		{list("PodList", "v1", "null"), true, false, true},
		{list("List", "v1", bare), true, true, true},
		{list("WidgetList", "example.com/v1", bare), false, true, false},
		{list("WidgetCollection", "example.com/v1", bare), false, true, false},
		{list("Widget", "example.com/v1", bare), false, false, false},
		{list("PodList", "v1", item("Pod", "v1", "web")), true, false, true},
		{list("PodList", "v1", item("Service", "v1", "web")), false, false, false},
		{list("PodList", "v1", item("Pod", "v1", "db")), false, false, false},
		{list("PodList", "v1", strings.Replace(bare, "default", "other", 1)), false, false, false},
		{list("PodList", "v1", "[null]"), false, false, false},
		{list("PodList", "v1", `["x"]`), false, false, false},
		{list("PodList", "example.com/v1", bare), false, true, false},
		{list("ServiceList", "v1", bare), false, false, false},
		{`{"items":` + bare + `,"kind":"ServiceList","apiVersion":"v1"}`, false, false, false},
		{list("Pod", "v1", bare), false, false, false},
		{partial, false, false, true},
		{pod("web", "1"), false, false, false},
		{`{}`, false, false, false},
		{`null`, false, false, false},
		{`[]`, false, false, false},
		{`"text"`, false, false, false},
		{`{"kind":"Status","apiVersion":"v1","status":"Success"}`, false, false, false},
		{`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}`, false, false, false},
	} {
		o := rest.ListOptions{Name: "web"}
		for name, check := range map[string]struct {
			taken bool
			of    func(c *rest.Client) (rest.Endpoint, error, error)
		}{
			"pods": {test.pods, func(c *rest.Client) (rest.Endpoint, error, error) {
				r := rest.For[rest.Object](c, "Pod").In("default")
				_, err := stream.Collect(t.Context(), r.Each(t.Context(), o))
				return r.Endpoint(), errOf(r.List(t.Context(), o)), err
			}},
			"widgets": {test.widgets, func(c *rest.Client) (rest.Endpoint, error, error) {
				r := rest.ForKind[rest.Object](c, widget).In("default")
				_, err := stream.Collect(t.Context(), r.Each(t.Context(), o))
				return r.Endpoint(), errOf(r.List(t.Context(), o)), err
			}},
			"metadata": {test.partly, func(c *rest.Client) (rest.Endpoint, error, error) {
				r := rest.MetadataOnly(rest.For[rest.Object](c, "Pod")).In("default")
				_, err := stream.Collect(t.Context(), r.Each(t.Context(), o))
				return r.Endpoint(), errOf(r.List(t.Context(), o)), err
			}},
		} {
			c, _ := scripted(t, ok(test.body), ok(test.body), ok(test.body))
			e, listed, each := check.of(c)
			_, raw := e.List(t.Context(), o, everyPage, func(rest.Item) error { return nil })
			for how, err := range map[string]error{"List": listed, "Each": each, "Endpoint.List": raw} {
				if check.taken != (err == nil) || err != nil && !errors.Is(err, rest.ErrAnswer) {
					t.Errorf("%s by %s: %s: %v", name, how, test.body, err)
				}
			}
		}
	}
}

// A frame whose object is not what the watch asked for says so, and what came.
func TestFrameIsWhatWasAskedFor(t *testing.T) {
	frame := func(typ, kind, version, name, namespace string) string {
		return `{"type":"` + typ + `","object":{"kind":"` + kind + `","apiVersion":"` + version + `","metadata":{"name":"` + name +
			`","namespace":"` + namespace + `","uid":"u","resourceVersion":"7"}}}`
	}
	key := func(group, kind, namespace, name string) rest.Key {
		return rest.Key{Group: group, Kind: kind, Namespace: namespace, Name: name}
	}
	for _, test := range []struct {
		body string
		key  rest.Key
		err  string
	}{
		{frame("ADDED", "Pod", "v1", "web", "default"), key("", "Pod", "default", "web"), ""},
		{frame("ADDED", "", "", "web", "default"), key("", "Pod", "default", "web"), ""},
		{`{"type":"ADDED","object":{"metadata":{"name":"web"}}}`, key("", "Pod", "", "web"), ""},
		{`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"7"}}}`, key("", "Pod", "", ""), ""},
		{frame("ADDED", "Service", "v1", "web", "default"), key("", "Service", "default", "web"), "ADDED: a v1/Service, not a v1/Pod"},
		{frame("DELETED", "Pod", "example.com/v1", "web", "default"), key("example.com", "Pod", "default", "web"), "DELETED: a example.com/v1/Pod, not a v1/Pod"},
		{frame("BOOKMARK", "Service", "v1", "", ""), key("", "Service", "", ""), "BOOKMARK: a v1/Service, not a v1/Pod"},
		{frame("MODIFIED", "Status", "v1", "", ""), key("", "Status", "", ""), "MODIFIED: a v1/Status, not a v1/Pod"},
		{frame("MODIFIED", "Pod", "v1", "db", "default"), key("", "Pod", "default", "db"), `MODIFIED: "db", not "web"`},
		{frame("MODIFIED", "Pod", "v1", "", "default"), key("", "Pod", "default", ""), "MODIFIED: an object without a name"},
		{frame("MODIFIED", "Pod", "v1", "web", "other"), key("", "Pod", "other", "web"), `MODIFIED: an object in namespace "other", not in "default"`},
	} {
		e, _ := podsAt(t, rest.CallOptions{}, says(http.StatusOK, test.body))
		frames, err := e.Watch(t.Context(), rest.WatchOptions{Name: "web", Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		f, err := frames.Next()
		if err != nil {
			t.Errorf("%s: %v", test.body, err)
		}
		if d := cmp.Diff(test.key, f.Key); d != "" || (f.Err == nil) != (test.err == "") || f.Err != nil && f.Err.Error() != test.err || f.Err != nil && !errors.Is(f.Err, rest.ErrAnswer) {
			t.Errorf("%s: error is %v, want %s\n%s", test.body, f.Err, test.err, d)
		}
		frames.Close()
	}
}

// An answer of success that is not JSON is described by its status, its type and its beginning, in
// one line, whoever asked for it.
func TestAnswerThatIsNotJSON(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(pod("web", "1")))
	_ = z.Close()
	ctx := t.Context()
	doing := askingVerbs()
	type pods = rest.Resource[rest.Object]
	doing["list"] = func(ctx context.Context, r pods) error { return errOf(r.List(ctx, rest.ListOptions{})) }
	doing["each"] = func(ctx context.Context, r pods) error {
		_, err := stream.Collect(ctx, r.Each(ctx, rest.ListOptions{}))
		return err
	}
	doing["raw list"] = func(ctx context.Context, r pods) error {
		_, err := r.Endpoint().List(ctx, rest.ListOptions{}, everyPage, func(rest.Item) error { return nil })
		return err
	}
	doing["delete"] = func(ctx context.Context, r pods) error { return errOf(r.Delete(ctx, "web", rest.DeleteOptions{})) }
	doing["delete of all"] = func(ctx context.Context, r pods) error {
		return errOf(r.DeleteAll(ctx, rest.ListOptions{}, rest.DeleteOptions{}))
	}
	doing["evict"] = func(ctx context.Context, r pods) error { return errOf(rest.Evict(ctx, r, "web", rest.DeleteOptions{})) }
	doing["watch"] = func(ctx context.Context, r pods) error {
		frames, err := r.Endpoint().Watch(ctx, rest.WatchOptions{Timeout: time.Second})
		if err != nil {
			return err
		}
		defer frames.Close()
		_, err = frames.Next()
		return err
	}
	doing["discovery"] = func(ctx context.Context, r pods) error {
		return errOf(rest.For[rest.Object](r.Endpoint().Client(), "Gadget").In("default").Get(ctx, "web"))
	}
	page := "\n<!DOCTYPE html>\r\n<html>\x1b[31m\n<title>Sign in</title>" + strings.Repeat("é", 100<<10)
	for _, test := range []struct{ media, body, want string }{
		{"text/html; charset=utf-8", page, "not JSON (200, text/html; charset=utf-8): <!DOCTYPE html> <html>[31m <title>Sign in</title>éé"},
		{"text/plain", "ok", "not JSON (200, text/plain): ok"},
		{"application/json", packed.String(), "not JSON (200, application/json): not a text"},
		{"application/octet-stream", "\x00\x01", "not JSON (200, application/octet-stream): not a text"},
		{"", "yes", "not JSON (200): yes"},
		{"application/json", "", "not JSON (200, application/json): empty"},
	} {
		for verb, do := range doing {
			if test.body == "" && (strings.HasPrefix(verb, "delete") || verb == "watch") {
				continue // deletes need no answer, and a watch may end without an event
			}
			w := &wire{}
			for range 2 {
				w.answers = append(w.answers, says(http.StatusOK, test.body, "Content-Type: "+test.media))
			}
			c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{
				Transport: w, Discovery: true, Defaults: rest.CallOptions{FieldManager: "test", Retry: stream.Backoff{MaxRetries: 1}},
			})
			if err != nil {
				t.Fatal(err)
			}
			err = do(ctx, rest.For[rest.Object](c, "Pod").In("default"))
			if !errors.Is(err, rest.ErrAnswer) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %q: error is\n\t%v, want\n\t%s", verb, test.want, err, test.want)
			}
			if text := errText(err); len(text) > 500 || strings.ContainsFunc(text, unicode.IsControl) {
				t.Errorf("%s: the error has %d bytes: %q", verb, len(text), text)
			}
			if n := len(w.arrived()); n != 1 {
				t.Errorf("%s: %d requests were sent", verb, n)
			}
		}
	}
}
