package rest_test

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// apiServer answers by path, and records the requests.
type apiServer struct {
	mu      sync.Mutex
	answers map[string]answer // by path, after the verb if that is not GET
	calls   []string
	hold    func(*http.Request) // called before each answer

	refuseAggregated bool // with 406, like servers that do not know the type
}

func (c *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	line := r.Method + " " + r.URL.RequestURI()
	if tag := r.Header.Get("If-None-Match"); tag != "" {
		line += " unless " + tag
	}
	if len(body) > 0 {
		line += " " + string(body)
	}
	c.mu.Lock()
	c.calls = append(c.calls, line)
	a, found := c.answers[r.Method+" "+r.URL.Path]
	if !found {
		a, found = c.answers[r.URL.Path]
	}
	if aggregated := a.header["Content-Type"] == aggregatedType; aggregated && !strings.Contains(r.Header.Get("Accept"), "v=v2;as=APIGroupDiscoveryList,application/json") {
		a = refuse(http.StatusNotAcceptable, "NotAcceptable", "")
	}
	if c.refuseAggregated && strings.Contains(r.Header.Get("Accept"), "APIGroupDiscoveryList") {
		a = refuse(http.StatusNotAcceptable, "NotAcceptable", "")
	}
	hold := c.hold
	c.mu.Unlock()
	if hold != nil {
		hold(r)
	}
	switch tag := a.header["Etag"]; {
	case !found:
		a = refuse(http.StatusNotFound, "NotFound", "the server could not find the requested resource")
	case tag != "" && tag == r.Header.Get("If-None-Match"):
		a.code, a.body = http.StatusNotModified, ""
	}
	w.Header().Set("Content-Type", "application/json")
	for k, v := range a.header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(a.code)
	_, _ = io.WriteString(w, a.body)
}

// put changes answers.
func (c *apiServer) put(answers map[string]answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.answers, answers)
}

// upgrade moves everything from one version to another.
func (c *apiServer) upgrade(from, to string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, old, _ := strings.Cut(from, "/")
	_, now, _ := strings.Cut(to, "/")
	groups := c.answers["/apis"]
	groups.body = strings.ReplaceAll(groups.body, `"version":"`+old+`"`, `"version":"`+now+`"`)
	groups.header = map[string]string{"Content-Type": aggregatedType, "Etag": `"changed"`}
	moved := map[string]answer{"/apis": groups}
	for path, a := range c.answers {
		if !strings.Contains(path, from) {
			continue
		}
		delete(c.answers, path)
		a.body = strings.ReplaceAll(a.body, from, to)
		moved[strings.ReplaceAll(path, from, to)] = a
	}
	maps.Copy(c.answers, moved)
}

// drop stops serving a path.
func (c *apiServer) drop(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.answers, path)
}

// asked returns the requests since the last call.
func (c *apiServer) asked() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := slices.Clone(c.calls)
	c.calls = c.calls[:0]
	return calls
}

// discovering runs a test in a bubble with a client that uses discovery.
func discovering(t *testing.T, answers map[string]answer, test func(t *testing.T, s *apiServer, c *rest.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{answers: map[string]answer{}}
		s.put(answers)
		c, end := inMemory(t, s, kubeconfig.Config{}, rest.Options{Discovery: true})
		defer end()
		test(t, s, c)
	})
}

// group is a document of aggregated discovery with a tag.
func group(tag string, items ...string) answer {
	return answer{code: http.StatusOK, header: map[string]string{"Content-Type": aggregatedType, "Etag": tag}, body: `{"kind":"APIGroupDiscoveryList",` +
		`"apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[` + strings.Join(items, ",") + `]}`}
}

// item returns one group of such a document with its versions: "v1" or "Stale v1", followed by the
// JSON of the resources.
func item(name string, versions ...string) string {
	out := make([]string, 0, len(versions))
	for _, v := range versions {
		version, resources, _ := strings.Cut(v, ":")
		freshness := "Current"
		if v, stale := strings.CutPrefix(version, "Stale "); stale {
			freshness, version = "Stale", v
		}
		out = append(out, `{"version":"`+version+`","freshness":"`+freshness+`","resources":[`+resources+`]}`)
	}
	return `{"metadata":{"name":"` + name + `"},"versions":[` + strings.Join(out, ",") + `]}`
}

// served returns a resource in such a document.
func served(kind, plural, short string) string {
	return `{"resource":"` + plural + `","responseKind":{"group":"","version":"","kind":"` + kind + `"},"scope":"Namespaced","singularResource":"x",` +
		`"verbs":["create","get","list","watch"],"shortNames":["` + short + `"],"subresources":[{"subresource":"status"},{"subresource":"scale"}]}`
}

// usual returns the documents of a cluster with some groups.
func usual() map[string]answer {
	return map[string]answer{
		"/api": group(`"a1"`, item("", "v1:"+served("Pod", "pods", "po")+","+served("Event", "events", "ev"))),
		"/apis": group(`"b1"`,
			item("events.k8s.io", "v1:"+served("Event", "events", "ev")),
			item("apps", "v1:"+served("Deployment", "deployments", "deploy")),
			item("extensions", "v1beta1:"+served("Deployment", "deployments", "deploy")+","+served("Gizmo", "gizmos", "giz")),
			item("metrics.k8s.io", "v1beta1:"+served("PodMetrics", "pods", "pm")),
			item("example.com", "v2:"+served("Widget", "widgets", "wd"), "v1:"+served("Widget", "widgets", "wd")+","+served("Gizmo", "gizmos", "giz")),
			item("a.example", "v1:"+served("Thing", "things", "th")),
			item("b.example", "v1:"+served("Thing", "stuff", "th")),
		),
	}
}
