package fakeapi_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// A server ends with its context, whatever its clients do.
func TestContextEndsServer(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		ctx, cancel := context.WithCancel(t.Context())
		s, err := fakeapi.Start(ctx, fakeapi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := connect(s)
		w := watch(t, c, maps+"?watch=true")
		s.Inject(fakeapi.Freeze().On("watch", "pods"), fakeapi.Delay(time.Hour).On("list", "pods"))
		frozen := watch(t, c, "/api/v1/pods?watch=true")
		go func() {
			if resp, err := try(t, c, "/api/v1/pods"); err == nil {
				resp.Body.Close()
			}
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if _, err := w.rest(); err == nil {
			t.Error("the watch goes on")
		}
		frozen.resp.Body.Close()
		s.Close() // once more
		if resp, err := try(t, c, "/version"); err == nil {
			resp.Body.Close()
			t.Error("a closed server answers")
		}
	})
}

// Start refuses wrong options.
func TestStartRefuses(t *testing.T) {
	for name, o := range map[string]fakeapi.Options{
		"a kind without a group": {Kinds: []rest.Served{{Kind: rest.Kind{Version: "v1", Kind: "A", Plural: "as"}}}},
		"a kind twice":           {Kinds: []rest.Served{widget, widget}},
		"an object of no kind":   {Objects: []any{rest.Object{"metadata": map[string]any{"name": "x"}}}},
		"an object twice":        {Objects: []any{configMap("default", "a"), configMap("default", "a")}},
		"no such namespace":      {Objects: []any{configMap("none", "a")}},
		"no JSON":                {Objects: []any{func() {}}},
	} {
		if s, err := fakeapi.Start(t.Context(), o); err == nil {
			s.Close()
			t.Errorf("%s: started", name)
		} else if !strings.HasPrefix(err.Error(), "fakeapi: start: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The journal lists each request in order, with the status of its answer.
func TestJournal(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server, c *http.Client) {
		do(t, c, "GET", maps+"?limit=5&fieldSelector=metadata.name%3Dx", "")
		time.Sleep(time.Minute)
		do(t, c, "POST", maps, `{"metadata":{"name":"a"}}`, "X-Test", "yes")
		watch(t, c, maps+"?watch=true")
		do(t, c, "GET", maps+"/none", "")
		want := []fakeapi.Request{
			{Method: "GET", Path: maps, Query: "fieldSelector=metadata.name%3Dx&limit=5", Status: 200},
			{Method: "POST", Path: maps, Status: 201},
			{Method: "GET", Path: maps, Query: "watch=true", Status: 200},
			{Method: "GET", Path: maps + "/none", Status: 404},
		}
		if diff := cmp.Diff(want, s.Journal()); diff != "" {
			t.Error(diff)
		}
		r := s.Records()[1]
		if r.At != time.Minute || string(r.Body) != `{"metadata":{"name":"a"}}` || r.Header.Get("X-Test") != "yes" || r.User != "admin" {
			t.Errorf("%+v", r)
		}
		if got := want[0].String(); got != "GET "+maps+"?fieldSelector=metadata.name%3Dx&limit=5 200" {
			t.Error(got)
		}
		s.ResetJournal()
		if got := s.Journal(); len(got) != 0 {
			t.Errorf("%v", got)
		}
	})
}

// Tokens and rules decide who may do what, in the words of a real server.
func TestAuth(t *testing.T) {
	o := fakeapi.Options{
		Tokens: map[string]string{"t-admin": "admin", "t-jane": "jane"},
		Allow:  func(a fakeapi.Access) bool { return a.User == "admin" || a.Verb == "get" && a.Namespace == "default" },
	}
	bubble(t, o, func(t *testing.T, s *fakeapi.Server, c *http.Client) {
		status := func(code int, reason, message, details string) answer {
			return answer{code, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"` + message + `","reason":"` + reason + `",` +
				details + `"code":` + statusCode(code) + `}`}
		}
		get := func(path, token string) answer {
			if token == "" {
				return do(t, c, "GET", path, "")
			}
			return do(t, c, "GET", path, "", "Authorization", "Bearer "+token)
		}
		for name, test := range map[string]struct{ want, got answer }{
			"another token": {status(401, "Unauthorized", "Unauthorized", ""), get(maps, "t-other")},
			"no token": {
				status(403, "Forbidden", `pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API group \"\" at the cluster scope`,
					`"details":{"kind":"pods"},`), get("/api/v1/pods", ""),
			},
			"list": {
				status(403, "Forbidden", `configmaps is forbidden: User \"jane\" cannot list resource \"configmaps\" in API group \"\" in the namespace \"default\"`,
					`"details":{"kind":"configmaps"},`), get(maps, "t-jane"),
			},
			"a subresource": {
				status(403, "Forbidden", `deployments.apps \"d\" is forbidden: User \"jane\" cannot get resource \"deployments/status\" in API group \"apps\" in the namespace \"kube-system\"`,
					`"details":{"name":"d","group":"apps","kind":"deployments"},`), get("/apis/apps/v1/namespaces/kube-system/deployments/d/status", "t-jane"),
			},
			"a path": {
				status(403, "Forbidden", `forbidden: User \"jane\" cannot get path \"/metrics\"`, `"details":{},`), get("/metrics", "t-jane"),
			},
			"health": {answer{200, "ok"}, get("/healthz", "")},
		} {
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		if got := get(maps+"/x", "t-jane").Code; got != 404 {
			t.Errorf("allowed: %d", got)
		}
		r := rest.For[rest.Object](s.Client(), "ConfigMap").In("default")
		if _, err := stream.Await(r.Create(t.Context(), new(configMap("default", "a")))); err != nil {
			t.Errorf("the server's own client: %v", err)
		}
		s.RevokeToken("t-admin")
		if got := get(maps, "t-admin").Code; got != 401 {
			t.Errorf("revoked: %d", got)
		}
		s.AllowToken("t-new", "admin")
		if got := get(maps, "t-new").Code; got != 200 {
			t.Errorf("new: %d", got)
		}
	})
}

// Any client can use the port with the kubeconfig.
func TestListen(t *testing.T) {
	s := fakeapi.New(t, fakeapi.Options{Objects: []any{configMap("default", "a")}})
	path, err := s.Listen(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	cfg, err := kubeconfig.Load(kubeconfig.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	for _, http1 := range []bool{false, true} {
		c, err := rest.New(cfg, rest.Options{HTTP1: http1})
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseIdle()
		got, err := stream.Await(rest.For[rest.Object](c, "ConfigMap").In("default").Get(t.Context(), "a"))
		if err != nil || got.Name() != "a" {
			t.Errorf("%v, %v", got, err)
		}
		s.Inject(fakeapi.Cut().AfterBytes(20))
		if _, err := stream.Await(rest.For[rest.Object](c, "ConfigMap").In("default").Get(t.Context(), "a")); err == nil {
			t.Error("it was not cut")
		}
	}
	s.Close()
	if _, err := s.Listen(t.Context(), t.TempDir()); err == nil {
		t.Error("a closed server listens")
	}
}

// Discovery lists what is served, in both forms.
func TestDiscovery(t *testing.T) {
	bubble(t, fakeapi.Options{Kinds: []rest.Served{widget}}, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
		for path, want := range map[string]string{
			"/api":                 `"versions":["v1"]`,
			"/apis":                `{"name":"example.com","preferredVersion":{"groupVersion":"example.com/v1","version":"v1"},"versions":[{"groupVersion":"example.com/v1","version":"v1"}]}`,
			"/apis/apps":           `"kind":"APIGroup"`,
			"/apis/example.com/v1": `{"kind":"Widget","name":"widgets/status","namespaced":true,"singularName":"","verbs":["get","patch","update"]}`,
			"/api/v1":              `"name":"pods"`,
			"/version":             `"gitVersion":"v1.37.2"`,
			"/readyz":              `ok`,
			"/openapi/v3":          `"apis/example.com/v1":{"serverRelativeURL":"/openapi/v3/apis/example.com/v1"}`,
			"/openapi/v3/api/v1":   `"/api/v1/nodes/{name}":{"patch":`,
		} {
			if got := do(t, c, "GET", path, ""); got.Code != 200 || !strings.Contains(got.Body, want) {
				t.Errorf("%s: %v", path, got)
			}
		}
		const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
		for path, want := range map[string]string{
			"/api":  `{"metadata":{},"versions":[{"freshness":"Current","resources":[{`,
			"/apis": `{"group":"example.com","kind":"Widget","version":"v1"}`,
		} {
			resp := send(t, c, "GET", path, "", "Accept", accept)
			raw, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if ct := resp.Header.Get("Content-Type"); !strings.HasSuffix(ct, "as=APIGroupDiscoveryList") || !strings.Contains(string(raw), want) {
				t.Errorf("%s: %s %s", path, ct, raw)
			}
		}
		for path, want := range map[string]int{"/apis/none": 404, "/apis/apps/v9": 404, "/nothing": 404, "/apis/none/v1/things": 404, "/api/v1/things": 404} {
			if got := do(t, c, "GET", path, ""); got.Code != want {
				t.Errorf("%s: %v", path, got)
			}
		}
		if got := do(t, c, "POST", "/version", "{}"); got.Code != 405 {
			t.Errorf("%v", got)
		}
	})
}

// Whatever goes wrong, a client that tries again gets through.
func TestChaos(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := three(t)
		c := connect(s)
		c.Timeout = time.Minute
		s.Inject(fakeapi.Chaos(7, fakeapi.ChaosOptions{Refuse: 0.2, Cut: 0.2, End: 0.5, Expire: 0.1, Delay: 0.2}))
		codes := map[int]int{}
		for range 200 {
			for _, path := range []string{maps, maps + "?watch=true&timeoutSeconds=40"} {
				resp, err := try(t, c, path)
				if err != nil {
					codes[0]++
					continue
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					codes[-1]++
				}
				resp.Body.Close()
				codes[resp.StatusCode]++
			}
		}
		for _, code := range []int{0, -1, 200, 429, 500, 503} {
			if codes[code] == 0 {
				t.Errorf("code %d never came: %v", code, codes)
			}
		}
		s.ClearFaults()
		if got := do(t, c, "GET", maps, "").Code; got != 200 {
			t.Errorf("after it: %d", got)
		}
	})
}

// Kinds that are off by default are served only on request. Those that are only listed in discovery
// say so.
func TestKindsOnRequest(t *testing.T) {
	candidate := rest.Kind{Group: "coordination.k8s.io", Version: "v1beta1", Kind: "LeaseCandidate", Plural: "leasecandidates", Namespaced: true}
	for _, test := range []struct {
		kinds []rest.Served
		path  string
		want  int
	}{
		{nil, "/apis/coordination.k8s.io/v1beta1/leasecandidates", 404},
		{[]rest.Served{{Kind: candidate}}, "/apis/coordination.k8s.io/v1beta1/leasecandidates", 200},
		{nil, "/apis/networking.k8s.io/v1/ipaddresses", 200},
		{nil, "/api/v1/componentstatuses", 501},
		{nil, "/api/v1/namespaces/default/bindings", 405},
		{nil, "/apis/authentication.k8s.io/v1", 200},
	} {
		bubble(t, fakeapi.Options{Kinds: test.kinds}, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
			if got := do(t, c, http.MethodGet, test.path, ""); got.Code != test.want {
				t.Errorf("%s: %d, want %d", test.path, got.Code, test.want)
			}
		})
	}
}
