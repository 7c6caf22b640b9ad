package conformance_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/tideway-go/tideway/fakeapi/conformance"
)

const (
	widgets  = "/apis/example.com/v1/namespaces/$ns/widgets"
	others   = "/apis/example.net/v1/namespaces/$ns/widgets" // another group with the same Kind
	gadgets  = "/apis/example.com/v1/gadgets"
	strategy = "application/strategic-merge-patch+json"
)

// customRows are custom resources: Widgets live in namespaces and have a status subresource,
// Gadgets neither.
var customRows = []row{
	{name: "life of a custom resource", run: func(s *script) {
		s.define()
		life(s, widgets, widget("a"), "spec.size", 2)
	}},
	{name: "list of custom resources", run: func(s *script) {
		s.define()
		s.get(widgets)
		s.post(widgets, widget("b"))
		s.post(widgets, widget("a"))
		s.get(widgets) // here items do have a type
		s.get(widgets + "?limit=1")
		s.names(widgets + "?labelSelector=x")
		s.names(widgets + "?fieldSelector=metadata.name%3Da")
		s.get(widgets + "?fieldSelector=spec.size%3D1")
	}},
	{name: "generation of custom resources", run: func(s *script) {
		s.define()
		s.post(widgets, widget("a"))
		s.merge(widgets+"/a", `{"metadata":{"labels":{"x":"y"}}}`)
		s.merge(widgets+"/a", `{"spec":{"size":2}}`)
		s.merge(widgets+"/a", `{"other":true}`) // not only the spec counts
		s.merge(widgets+"/a", `{"status":{"ready":true}}`)
		s.merge(widgets+"/a/status", `{"status":{"ready":true},"spec":{"size":9},"metadata":{"labels":{"x":"z"}}}`)
		s.get(widgets + "/a")
		s.delete(widgets+"/a", "")
	}},
	{name: "custom resource without a status subresource", run: func(s *script) {
		s.define()
		s.post(gadgets, `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a-$ns"},"spec":{"size":1},"status":{"ready":false}}`)
		s.merge(gadgets+"/a-$ns", `{"status":{"ready":true}}`)
		s.get(gadgets + "/a-$ns/status")
		s.delete(gadgets+"/a-$ns", "")
	}},
	{name: "update of a custom resource without a version", run: func(s *script) {
		s.define()
		created := s.post(widgets, widget("a"))
		s.put(widgets+"/a", created.with("metadata.resourceVersion", nil))
		s.put(widgets+"/a", created.with("metadata.resourceVersion", "0"))
		s.put(widgets+"/a", created.with("spec.size", 2))
		s.put(widgets+"/a", created.with("spec.size", 3))
		s.put(widgets+"/none", created.with("metadata.name", "none", "metadata.resourceVersion", nil))
	}},
	{name: "custom resource refused", run: func(s *script) {
		s.define()
		s.post(widgets, `{"metadata":{"name":"a"}}`)
		s.post(widgets, `{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"}}`)
		s.post(widgets, `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a"}}`)
		s.post(widgets, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
		s.post(widgets, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"A"}}`)
		s.post(widgets, `{"apiVersion":"example.com/v1","kind":"Widget"}`)
		s.post(widgets, widget("a"))
		s.patch(widgets+"/a", strategy, `{"spec":{"size":2}}`)
		s.get(widgets+"/a", header("Accept", "application/vnd.kubernetes.protobuf,application/json"))
		s.post("/apis/example.com/v1/widgets", widget("b"))
		s.get("/apis/example.com/v2/widgets")
		s.get(widgets + "/a/scale")
	}},
	{name: "two groups with the same kind", run: func(s *script) {
		s.define()
		const other = `{"apiVersion":"example.net/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1},"status":{"ready":false}}`
		s.post(widgets, widget("a"))
		s.post(others, widget("a"))
		s.get(others)
		w := s.watch(others + "?watch=true")
		s.post(others, other)
		w.next(1)
		s.get(others + "/a")
		s.merge(widgets+"/a", `{"spec":{"size":2}}`)
		s.merge(others+"/a", `{"status":{"ready":true}}`) // here it is no subresource
		w.next(1)
		s.get(others + "/a/status")
		s.patch(others+"/a", jsonPatch, `[{"op":"replace","path":"/apiVersion","value":"example.com/v1"}]`)
		s.byName("/apis/example.net/v1", "resources")
		s.delete(others+"/a", "")
		w.next(1)
		w.close()
		s.get(widgets + "/a")
	}},
	{name: "status of a custom resource", run: func(s *script) {
		s.define()
		created := s.post(widgets, widget("a"))
		s.get(widgets + "/a/status")
		changed := s.put(widgets+"/a/status", created.with("status.ready", true, "spec.size", 9, "metadata.labels.x", "z", "metadata.annotations.a", "b"))
		s.put(widgets+"/a/status", created.with("status.ready", false)) // stale
		s.put(widgets+"/a/status", changed.with("status.ready", false, "metadata.resourceVersion", nil))
		s.put(widgets+"/a", changed.with("status.ready", false, "spec.size", 3))
		s.put(widgets+"/a", changed.with("status", nil, "metadata.resourceVersion", nil))
		s.patch(widgets+"/a/status", jsonPatch, `[{"op":"test","path":"/status/ready","value":false},{"op":"add","path":"/status/more","value":1}]`)
		s.patch(widgets+"/a/status", strategy, `{"status":{"ready":false}}`)
		s.merge(widgets+"/a/status", `{"status":null}`, dryRun)
		s.merge(widgets+"/a/status", `{"status":null}`)
		s.merge(widgets+"/none/status", `{"status":null}`)
		s.post(widgets+"/a/status", widget("a"))
		s.delete(widgets+"/a/status", "")
		s.merge(widgets+"/a", `{"metadata":{"finalizers":["example.org/a"]}}`)
		s.delete(widgets+"/a", "")
		s.merge(widgets+"/a/status", `{"status":{"ready":true},"metadata":{"finalizers":null}}`) // which are not of the status
		s.merge(widgets+"/a", `{"metadata":{"finalizers":null}}`)
		s.get(widgets + "/a")
	}},
	{name: "delete of custom resources by options", run: func(s *script) {
		s.define()
		created := s.post(widgets, widget("a"))
		s.delete(widgets+"/a", `{"preconditions":{"uid":"00000000-0000-4000-8000-000000000000"}}`)
		s.delete(widgets+"/a", `{"preconditions":{"resourceVersion":"1"}}`)
		s.delete(widgets+"/a", `{"propagationPolicy":"Background","dryRun":["All"]}`)
		s.delete(widgets+"/a", `{"propagationPolicy":"Foreground","preconditions":{"uid":"`+created.uid()+`"}}`)
		s.delete(widgets+"/a", `{"propagationPolicy":"Orphan"}`)
		s.merge(widgets+"/a", `{"metadata":{"finalizers":[]}}`)
		s.get(widgets + "/a")
		s.post(widgets, widget("b"))
		s.post(widgets, widget("c"))
		s.delete(widgets+"?labelSelector=x%3Db", "")
		s.delete(widgets, `{"propagationPolicy":"Orphan"}`)
		s.get(widgets)
	}},
	{name: "watch of custom resources", run: func(s *script) {
		s.define()
		first := s.post(widgets, widget("a"))
		w := s.watch(widgets + "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")
		w.next(2)
		s.merge(widgets+"/a", `{"spec":{"size":2}}`)
		w.next(1)
		s.merge(widgets+"/a/status", `{"status":{"ready":true}}`)
		w.next(1)
		s.delete(widgets+"/a", "")
		w.next(1)
		w.close()
		again := s.watch(widgets + "?watch=true&resourceVersion=" + first.rv())
		again.next(3)
		again.close()
	}},
}

func widget(name string) string {
	return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"` + name + `","labels":{"x":"` + name + `"}},` +
		`"spec":{"size":1,"parts":[{"name":"p"}],"big":9007199254740993,"ratio":0.5}}`
}

const crd = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"%plural.example.com"},"spec":{
	"group":"example.com","scope":"%scope","names":{"plural":"%plural","singular":"%singular","kind":"%kind","listKind":"%kindList"},
	"versions":[{"name":"v1","served":true,"storage":true,"subresources":%sub,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`

// define makes the kinds known to the real server; fakeapi has been told when it started.
func (s *script) define() {
	s.t.Helper()
	if s.server.Name() != conformance.RealName {
		return
	}
	for _, body := range []string{
		expand(crd, "%plural", "widgets", "%singular", "widget", "%kind", "Widget", "%scope", "Namespaced", "%sub", `{"status":{}}`),
		expand(crd, "%plural", "gadgets", "%singular", "gadget", "%kind", "Gadget", "%scope", "Cluster", "%sub", `null`),
		expand(strings.ReplaceAll(crd, "example.com", "example.net"), "%plural", "widgets", "%singular", "widget", "%kind", "Widget", "%scope", "Namespaced", "%sub", `null`),
	} {
		if a, _ := s.send(http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body); a.code != http.StatusCreated && a.code != http.StatusConflict {
			s.t.Fatalf("define: %s", a.raw)
		}
	}
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for _, path := range []string{widgets, gadgets, others, "/apis"} {
		for {
			a, _ := s.send(http.MethodGet, path, "", header("Accept", aggregated))
			// Discovery hears of a definition on its own.
			if text := string(a.raw); a.code == http.StatusOK && (path != "/apis" || strings.Contains(text, `"gadgets"`) && strings.Contains(text, `"example.net"`)) {
				break
			}
			select {
			case <-tick.C:
			case <-deadline.C:
				s.t.Fatal("the custom resources are not served")
			}
		}
	}
}
