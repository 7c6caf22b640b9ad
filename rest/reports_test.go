package rest_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// page answers with a list of pods as servers send it: the items have neither kind nor apiVersion.
func page(version, more string, names ...string) answer {
	type item struct {
		Metadata Meta `json:"metadata"`
	}
	list := map[string]any{"kind": "PodList", "apiVersion": "v1", "metadata": rest.ListMeta{ResourceVersion: version, Continue: more}}
	items := make([]item, 0, len(names))
	for _, n := range names {
		items = append(items, item{Meta{Name: n, Namespace: "default"}})
	}
	list["items"] = items
	raw, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return ok(string(raw))
}

func expired() answer {
	return answer{code: http.StatusGone, body: `{"kind":"Status","apiVersion":"v1","metadata":{"continue":"T2"},"status":"Failure","message":"The provided continue parameter is too old","reason":"Expired","code":410}`}
}

func names(items []Pod) []string {
	out := make([]string, 0, len(items))
	for _, p := range items {
		out = append(out, p.Metadata.Name)
	}
	return out
}

func uris(s *script) []string {
	out := make([]string, 0, len(s.requests()))
	for _, r := range s.requests() {
		out = append(out, r.URI)
	}
	return out
}

// A paged list that expires half-way starts over once, and does not mix the old items with the new
// ones.
func TestPagedListExpires(t *testing.T) {
	o := rest.ListOptions{LabelSelector: "a in (b,c),!d", FieldSelector: "spec.nodeName=n", Limit: 2, ResourceVersion: "90", ResourceVersionMatch: "Exact"}
	selectors := "fieldSelector=spec.nodeName%3Dn&labelSelector=a+in+%28b%2Cc%29%2C%21d"
	const pods = "/api/v1/namespaces/default/pods?"

	t.Run("list starts again", func(t *testing.T) {
		c, s := scripted(t, page("100", "T1", "a", "b"), expired(), page("200", "", "b", "c", "d"))
		got, err := one(t, rest.For[Pod](c, "Pod").In("default").List(t.Context(), o))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"b", "c", "d"}, names(got.Items)); d != "" {
			t.Error(d)
		}
		if got.Meta.ResourceVersion != "200" {
			t.Errorf("version of the list is %q", got.Meta.ResourceVersion)
		}
		if d := cmp.Diff([]string{
			pods + selectors + "&limit=2&resourceVersion=90&resourceVersionMatch=Exact",
			pods + "continue=T1&" + selectors + "&limit=2",
			pods + selectors + "&resourceVersion=90&resourceVersionMatch=Exact",
		}, uris(s)); d != "" {
			t.Error(d)
		}
	})
	t.Run("list starts again once", func(t *testing.T) {
		c, s := scripted(t, page("100", "T1", "a", "b"), expired(), expired())
		_, err := one(t, rest.For[Pod](c, "Pod").In("default").List(t.Context(), o))
		if !errors.Is(err, rest.ErrExpired) {
			t.Errorf("error is %v", err)
		}
		if n := len(s.requests()); n != 3 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("list does not start again for the first page", func(t *testing.T) {
		c, s := scripted(t, expired())
		_, err := one(t, rest.For[Pod](c, "Pod").In("default").List(t.Context(), o))
		if !errors.Is(err, rest.ErrExpired) || len(s.requests()) != 1 {
			t.Errorf("error is %v after %d requests", err, len(s.requests()))
		}
	})
	t.Run("each tells it", func(t *testing.T) {
		c, _ := scripted(t, page("100", "T1", "a", "b"), expired())
		var got []string
		var last error
		for r := range rest.For[Pod](c, "Pod").In("default").Each(t.Context(), o) {
			if last = r.Err; last == nil {
				got = append(got, r.Value.Metadata.Name)
			}
		}
		if d := cmp.Diff([]string{"a", "b"}, got); d != "" {
			t.Error(d)
		}
		const want = "list pods default/*: expired (410): The provided continue parameter is too old"
		if !errors.Is(last, rest.ErrExpired) || last.Error() != want {
			t.Errorf("last error is %v, want %s", last, want)
		}
	})
}

// A delete accepts both answers of servers: a Status, and the object.
func TestDeleteAnswers(t *testing.T) {
	const success = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"web","kind":"pods","uid":"u"}}`
	const terminating = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{},"status":{"phase":"Running"}}`
	status := rest.Status{Kind: "Status", APIVersion: "v1", Status: "Success", Details: &rest.StatusDetails{Name: "web", Kind: "pods", UID: "u"}}
	object := &Pod{Kind: "Pod", APIVersion: "v1", Metadata: Meta{Name: "web", DeletionTimestamp: "2026-01-01T00:00:00Z"}}
	for name, test := range map[string]struct {
		answer answer
		want   rest.Deletion[Pod]
	}{
		"200 Status":      {ok(success), rest.Deletion[Pod]{Status: status}},
		"202 Status":      {answer{code: http.StatusAccepted, body: success}, rest.Deletion[Pod]{Status: status}},
		"200 terminating": {ok(terminating), rest.Deletion[Pod]{Object: object, Terminating: true}},
		"200 gone": {ok(`{"metadata":{"name":"web"},"spec":{}}`), rest.Deletion[Pod]{
			Object: &Pod{Kind: "Pod", APIVersion: "v1", Metadata: Meta{Name: "web"}},
		}},
		"200 empty": {ok(""), rest.Deletion[Pod]{}},
	} {
		t.Run(name, func(t *testing.T) {
			c, s := scripted(t, test.answer)
			got, err := one(t, rest.For[Pod](c, "Pod").In("default").Delete(t.Context(), "web", rest.DeleteOptions{}))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff([]call{{"DELETE", "/api/v1/namespaces/default/pods/web", "", ""}}, s.requests()); d != "" {
				t.Error(d)
			}
		})
	}
}

// Items of a list get their kind and apiVersion, so that they can be sent back.
func TestItemsHaveKind(t *testing.T) {
	answer := page("1", "", "web")
	t.Run("struct", func(t *testing.T) {
		items := listed[Pod](t, answer)
		want := []Pod{{Kind: "Pod", APIVersion: "v1", Metadata: Meta{Name: "web", Namespace: "default"}}}
		if d := cmp.Diff(want, items); d != "" {
			t.Error(d)
		}
		c, s := scripted(t, ok(pod("web", "2")))
		if err := errOf(rest.For[Pod](c, "Pod").With(rest.CallOptions{Replace: true}).Update(t.Context(), &items[0])); err != nil {
			t.Fatal(err)
		}
		if got, want := s.requests()[0].URI, "/api/v1/namespaces/default/pods/web"; got != want {
			t.Errorf("update went to %s, want %s", got, want)
		}
	})
	type types struct {
		Kind       string `json:"kind"`
		APIVersion string `json:"apiVersion"`
	}
	type embedding struct {
		types
		Metadata Meta `json:"metadata"`
	}
	t.Run("embedded", func(t *testing.T) {
		want := []embedding{{types{"Pod", "v1"}, Meta{Name: "web", Namespace: "default"}}}
		if d := cmp.Diff(want, listed[embedding](t, answer), cmp.AllowUnexported(embedding{})); d != "" {
			t.Error(d)
		}
	})
	meta := map[string]any{"name": "web", "namespace": "default"}
	whole := map[string]any{"kind": "Pod", "apiVersion": "v1", "metadata": meta}
	t.Run("Object", func(t *testing.T) {
		if d := cmp.Diff([]rest.Object{whole}, listed[rest.Object](t, answer)); d != "" {
			t.Error(d)
		}
	})
	t.Run("map", func(t *testing.T) {
		if d := cmp.Diff([]map[string]any{whole}, listed[map[string]any](t, answer)); d != "" {
			t.Error(d)
		}
	})
	t.Run("any", func(t *testing.T) {
		if d := cmp.Diff([]any{whole}, listed[any](t, answer)); d != "" {
			t.Error(d)
		}
	})
	t.Run("text", func(t *testing.T) {
		const want = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default"}}`
		if d := cmp.Diff([]jsontext.Value{jsontext.Value(want)}, listed[jsontext.Value](t, answer)); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]json.RawMessage{json.RawMessage(want)}, listed[json.RawMessage](t, answer)); d != "" {
			t.Error(d)
		}
	})
	t.Run("map of text", func(t *testing.T) {
		want := []map[string]jsontext.Value{{
			"kind": jsontext.Value(`"Pod"`), "apiVersion": jsontext.Value(`"v1"`),
			"metadata": jsontext.Value(`{"name":"web","namespace":"default"}`),
		}}
		if d := cmp.Diff(want, listed[map[string]jsontext.Value](t, answer)); d != "" {
			t.Error(d)
		}
	})
	t.Run("each", func(t *testing.T) {
		c, _ := scripted(t, answer)
		r := <-rest.For[Pod](c, "Pod").Each(t.Context(), rest.ListOptions{})
		if r.Err != nil || r.Value.Kind != "Pod" || r.Value.APIVersion != "v1" {
			t.Errorf("got %+v, %v", r.Value, r.Err)
		}
	})
	t.Run("an item keeps its own", func(t *testing.T) {
		mixed := ok(`{"kind":"List","apiVersion":"v1","items":[{"kind":"Pod","apiVersion":"v2","metadata":{}},{"kind":"","metadata":{}}]}`)
		want := []Pod{{Kind: "Pod", APIVersion: "v2"}, {Kind: "Pod", APIVersion: "v1"}}
		if d := cmp.Diff(want, listed[Pod](t, mixed)); d != "" {
			t.Error(d)
		}
	})
}

func listed[T any](t *testing.T, a answer) []T {
	t.Helper()
	c, _ := scripted(t, a)
	list, err := stream.Await(rest.For[T](c, "Pod").List(t.Context(), rest.ListOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// A patch is sent unchanged: null in a merge patch removes a field.
func TestPatchIsSentUnchanged(t *testing.T) {
	const doc = `{"metadata":{"labels":{"a":null}},"spec":{"replicas":0,"x":""}}`
	value := map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"a": nil}},
		"spec":     map[string]any{"replicas": 0, "x": ""},
	}
	const spaced = `{ "b": null,  "a":"<&>" }`
	for name, test := range map[string]struct {
		doc  any
		want string
	}{
		"string": {doc, doc},
		"bytes":  {[]byte(doc), doc},
		"text":   {jsontext.Value(doc), doc},
		"raw":    {json.RawMessage(spaced), spaced},
		"spaced": {spaced, spaced},
		"map":    {value, doc},
		"object": {rest.Object(value), doc},
	} {
		t.Run(name, func(t *testing.T) {
			c, s := scripted(t, ok(pod("web", "1")))
			if err := errOf(rest.For[Pod](c, "Pod").In("default").Patch(t.Context(), "web", rest.MergePatch(test.doc))); err != nil {
				t.Fatal(err)
			}
			want := []call{{"PATCH", "/api/v1/namespaces/default/pods/web", "application/merge-patch+json", test.want}}
			if d := cmp.Diff(want, s.requests()); d != "" {
				t.Error(d)
			}
		})
	}
}

// Names are escaped or refused, so that none reaches another path. Names like system:node work.
func TestNamesAndSelectorsArriveAsGiven(t *testing.T) {
	for name, want := range map[string]string{
		"system:node": "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node",
		"a?x=1":       "/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Fx=1",
		"a b":         "/apis/rbac.authorization.k8s.io/v1/clusterroles/a%20b",
		"a#b;c":       "/apis/rbac.authorization.k8s.io/v1/clusterroles/a%23b%3Bc",
		"é":           "/apis/rbac.authorization.k8s.io/v1/clusterroles/%C3%A9",
		// refused
		"a/b": "", "..": "", ".": "", "a%2Fb": "", "": "", "a\x00": "", "a\r\nb": "", "a\u0085": "",
	} {
		c, s := scripted(t, ok(`{"metadata":{"name":"`+name+`"}}`))
		err := errOf(rest.For[Pod](c, "ClusterRole").Get(t.Context(), name))
		if want == "" {
			if err == nil || len(s.requests()) > 0 {
				t.Errorf("%q: error %v after %d requests", name, err, len(s.requests()))
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got := s.requests()[0].URI; got != want {
			t.Errorf("%q went to %s, want %s", name, got, want)
		}
		if u, err := url.ParseRequestURI(s.requests()[0].URI); err != nil || u.Path != "/apis/rbac.authorization.k8s.io/v1/clusterroles/"+name || u.RawQuery != "" {
			t.Errorf("%q arrives as %v, %v", name, u, err)
		}
	}
	const labels, fields = "k in (a,b),!c", "metadata.name=x"
	c, s := scripted(t, page("1", ""))
	if err := errOf(rest.For[Pod](c, "Pod").List(t.Context(), rest.ListOptions{LabelSelector: labels, FieldSelector: fields})); err != nil {
		t.Fatal(err)
	}
	u, err := url.ParseRequestURI(s.requests()[0].URI)
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{"labelSelector": {labels}, "fieldSelector": {fields}, "limit": {"500"}}
	if d := cmp.Diff(want, u.Query()); d != "" {
		t.Error(d)
	}
}
