package fakeapi_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

// faultKinds are all faults, without a moment.
var faultKinds = map[string]fakeapi.Fault{
	"Refuse": fakeapi.Refuse(503), "Respond": fakeapi.Respond(404, "text/plain", "gone"),
	"Cut": fakeapi.Cut(), "Truncate": fakeapi.Truncate(), "Abort": fakeapi.Abort(), "End": fakeapi.End(),
	"Silence": fakeapi.Silence(), "Freeze": fakeapi.Freeze(),
	"ErrorEvent": fakeapi.ErrorEvent(rest.Status{Code: 500, Message: "no"}), "Expired": fakeapi.Expired(),
	"Delay": fakeapi.Delay(time.Second), "Split": fakeapi.Split(20, time.Millisecond), "Slow": fakeapi.Slow(time.Second),
	"Hold": fakeapi.Hold(100), "Separate": fakeapi.Separate("\n\n"), "Text": fakeapi.Text("text\n"), "Pause": fakeapi.Pause(time.Second),
	"GoAway": fakeapi.GoAway(), "NoBookmarks": fakeapi.NoBookmarks(), "NoMarker": fakeapi.NoMarker(), "Compact": fakeapi.Compact(),
	"Chaos": fakeapi.Chaos(1, fakeapi.ChaosOptions{Refuse: 1}),
}

// faultMoments are all ways to say when a fault happens.
var faultMoments = map[string]func(fakeapi.Fault) fakeapi.Fault{
	"":              func(f fakeapi.Fault) fakeapi.Fault { return f },
	"BeforeHeaders": fakeapi.Fault.BeforeHeaders,
	"AfterEvents":   func(f fakeapi.Fault) fakeapi.Fault { return f.AfterEvents(2) },
	"AfterBytes":    func(f fakeapi.Fault) fakeapi.Fault { return f.AfterBytes(20) },
	"After":         func(f fakeapi.Fault) fakeapi.Fault { return f.After(time.Second) },
}

// faultTargets are verbs and resources, with a request for each that can be asked for.
var faultTargets = []struct{ verb, resource, method, path, body string }{
	{"get", "configmaps", "GET", maps + "/a", ""},
	{"list", "configmaps", "GET", maps, ""},
	{"watch", "configmaps", "GET", maps + watchAll, ""},
	{"create", "configmaps", "POST", maps, `{"metadata":{"name":"new"}}`},
	{"update", "configmaps", "PUT", maps + "/a", `{"metadata":{"name":"a"},"data":{"k":"v"}}`},
	{"patch", "configmaps", "PATCH", maps + "/a", `{"data":{"k":"v"}}`},
	{"delete", "configmaps", "DELETE", maps + "/a", ""},
	{"deletecollection", "configmaps", "DELETE", maps, ""},
	{"*", "configmaps", "GET", maps + watchAll, ""},
	{"", "", "GET", maps + watchAll, ""},
	{"*", "*", "GET", maps + watchAll, ""},
	{"watch", "*", "GET", maps + watchAll, ""},
	{"list", "*", "GET", maps, ""},
	{"get", "configmaps/status", "", "", ""},
	{"get", "deployments.apps/status", "GET", "/apis/apps/v1/namespaces/default/deployments/d/status", ""},
	{"get", "pods/log", "GET", "/api/v1/namespaces/default/pods/p/log", ""},
	{"watch", "deployments.apps/status", "", "", ""},
	{"get", "pods/nothing", "", "", ""},
	{"wach", "configmaps", "", "", ""},
	{"WATCH", "configmaps", "", "", ""},
	{"post", "configmaps", "", "", ""},
	{"get", "Pod", "", "", ""},
	{"get", "deployments", "", "", ""},
	{"watch", "tokenreviews.authentication.k8s.io", "", "", ""},
	{"deletecollection", "namespaces", "", "", ""},
}

const watchAll = "?watch=true&allowWatchBookmarks=true&timeoutSeconds=5&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"

// seen is everything that a client can see of an answer, and the version of the server after it.
type seen struct {
	Code    int
	Header  string
	Chunks  []string // with the time of their arrival
	Err     bool
	Version string
}

// see sends a request, and waits for a minute at most.
func see(t *testing.T, s *fakeapi.Server, method, path, body string) (out seen) {
	t.Helper()
	c := client(t, s)
	c.Timeout = time.Minute
	begin := time.Now()
	req, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if method == "PATCH" {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := c.Do(req)
	out.Err = err != nil
	if err == nil {
		defer resp.Body.Close()
		out.Code = resp.StatusCode
		out.Header = fmt.Sprint(resp.Header.Get("Content-Type"), resp.Close)
		for buf := make([]byte, 1<<20); err == nil; {
			var n int
			n, err = resp.Body.Read(buf)
			if n > 0 {
				out.Chunks = append(out.Chunks, fmt.Sprintf("%v: %s", time.Since(begin), buf[:n]))
			}
		}
		out.Err = err != io.EOF //nolint:errorlint // as Read returns it
	}
	c.CloseIdleConnections()
	synctest.Wait()
	out.Version = s.ResourceVersion()
	return out
}

// injecting returns the panic of an injection, or "".
func injecting(s *fakeapi.Server, f fakeapi.Fault) (why string) {
	defer func() {
		if e := recover(); e != nil {
			why = fmt.Sprint(e)
		}
	}()
	s.Inject(f)
	return ""
}

func faultServer(t *testing.T) *fakeapi.Server {
	return fakeapi.New(t, fakeapi.Options{Objects: []any{
		configMap("default", "a"), configMap("default", "b"), configMap("default", "c"),
		rest.Object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "d"}},
		rest.Object{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p"}},
	}})
}

// cannotHappen reports whether the fault is refused. If it is not, it has to be pending.
func cannotHappen(t *testing.T, s *fakeapi.Server, f fakeapi.Fault, what string) bool {
	t.Helper()
	why := injecting(s, f)
	if why != "" && !strings.HasPrefix(why, "fakeapi: this fault can never happen: ") {
		t.Errorf("%s: panic %q", what, why)
	}
	always := strings.HasPrefix(what, "Chaos ")
	if n := s.PendingFaults(); n > 1 || n == 1 && why != "" || n == 0 && why == "" && !always {
		t.Errorf("%s: %d faults are pending before the request", what, n)
	}
	return why != ""
}

// Every fault at every moment for every verb: either it cannot be injected, or it happens.
func TestEachFaultPanicsOrHappens(t *testing.T) {
	happened, refused := 0, 0
	for _, target := range faultTargets {
		synctest.Test(t, func(t *testing.T) {
			var normal seen
			if target.path != "" {
				s := faultServer(t)
				normal = see(t, s, target.method, target.path, target.body)
				s.Close()
			}
			for name, kind := range faultKinds {
				for moment, at := range faultMoments {
					f := at(kind)
					if target.verb != "" {
						f = f.On(target.verb, target.resource)
					}
					s := faultServer(t)
					what := fmt.Sprintf("%s %s on %s %s", name, moment, target.verb, target.resource)
					if cannotHappen(t, s, f, what) {
						refused++
					} else {
						happened++
						if target.path == "" {
							t.Fatalf("%s: injected, but no request is like this", what)
						}
						got := see(t, s, target.method, target.path, target.body)
						if n := s.PendingFaults(); cmp.Equal(normal, got) || n != 0 {
							t.Errorf("%s: after the request %d faults are pending; the answer: %v", what, n, got)
						}
					}
					s.Close()
				}
			}
		})
	}
	if happened < 200 || refused < 1000 {
		t.Errorf("%d combinations happened, and %d were refused", happened, refused)
	}
}

func TestFaultThatNeverHappensSaysWhatWould(t *testing.T) {
	s := fakeapi.New(t, fakeapi.Options{})
	for _, test := range []struct {
		fault fakeapi.Fault
		want  []string
	}{
		{fakeapi.Fault{}, []string{"made by a function"}},
		{fakeapi.Cut().On("wach", "pods"), []string{`"wach"`, "get, list, watch"}},
		{fakeapi.Cut().On("get", "Pod"), []string{`"Pod"`, "deployments.apps"}},
		{fakeapi.Cut().On("get", "pods/stat"), []string{`"stat"`, "status"}},
		{fakeapi.Cut().On("get", "configmaps/status"), []string{"configmaps has no subresources"}},
		{fakeapi.Cut().On("watch", "pods/status"), []string{`pods/status does not have the verb "watch"`, "get, patch, update"}},
		{fakeapi.Cut().On("list", "subjectaccessreviews.authorization.k8s.io"), []string{"it has create"}},
		{fakeapi.Cut().After(time.Second).On("list", "pods"), []string{"Cut.After", `On("watch"`, "AfterBytes"}},
		{fakeapi.Slow(time.Second).On("list", "pods"), []string{"Slow", `On("watch"`}},
		{fakeapi.Refuse(503).AfterEvents(1), []string{"ErrorEvent"}},
		{fakeapi.Refuse(503).AfterBytes(1), []string{"AfterBytes", "Delay", "Cut"}},
		{fakeapi.Refuse(204), []string{"Refuse(204)", "no body"}},
		{fakeapi.Refuse(101), []string{"Refuse(101)"}},
		{fakeapi.Respond(204, "text/plain", "x"), []string{"Respond(204)", "no body"}},
		{fakeapi.Respond(500, "text/plain", "x").Message("y"), []string{"Message", "Refuse"}},
		{fakeapi.Respond(500, "text/plain", "x").Reason("y"), []string{"Reason", "Refuse"}},
		{fakeapi.Refuse(503).RetryAfter(-time.Second), []string{"RetryAfter"}},
		{fakeapi.Delay(time.Second).AfterEvents(1), []string{"Delay", "AfterEvents"}},
		{fakeapi.End().BeforeHeaders(), []string{"End", "BeforeHeaders", "AfterEvents, AfterBytes, After"}},
		{fakeapi.Cut().BeforeHeaders().AfterEvents(1), []string{"BeforeHeaders already"}},
		{fakeapi.Cut().AfterEvents(-1), []string{"AfterEvents"}},
		{fakeapi.Cut().AfterBytes(-1), []string{"AfterBytes"}},
		{fakeapi.Cut().After(-1), []string{"After"}},
		{fakeapi.Cut().Nth(0), []string{"Nth"}},
		{fakeapi.Cut().Times(0), []string{"Times"}},
		{fakeapi.Delay(0), []string{"Delay"}},
		{fakeapi.Split(0, 0), []string{"Split"}},
		{fakeapi.Slow(0), []string{"Slow"}},
		{fakeapi.Hold(1), []string{"Hold"}},
		{fakeapi.Text(""), []string{"Text"}},
		{fakeapi.Pause(0), []string{"Pause"}},
		{fakeapi.Chaos(1, fakeapi.ChaosOptions{Refuse: 1.5}), []string{"1.5"}},
		{fakeapi.Chaos(1, fakeapi.ChaosOptions{Refuse: 0.6, Cut: 0.6}), []string{"more than all"}},
		{fakeapi.Cut().On("get", "nodes").In("default"), []string{"nodes has no namespaces", "In"}},
		{fakeapi.Cut().On("list", "pods").Named("a"), []string{"list", "When"}},
		{fakeapi.Cut().On("get", "nodes").In("default").Named("a"), []string{"In"}},
	} {
		why := injecting(s, test.fault)
		for _, want := range test.want {
			if !strings.Contains(why, want) {
				t.Errorf("the panic %q does not say %q", why, want)
			}
		}
	}
	if why := injecting(s, fakeapi.Cut().On("create", "pods").Named("a")); why != "" {
		t.Errorf("an eviction names its pod: %s", why)
	}
	func() {
		defer func() { _ = recover() }()
		s.Inject(fakeapi.Cut(), fakeapi.Cut().On("wach", "pods"))
	}()
	if n := s.PendingFaults(); n != 1 {
		t.Errorf("%d faults are pending, want only that of the eviction", n)
	}
}

// A fault that has been taken by a request counts until it has happened; if the request ends
// before, the next one has it.
func TestFaultIsPendingUntilItHasHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := three(t)
		c := client(t, s)
		s.Inject(
			fakeapi.Cut().AfterEvents(4).On("watch", "configmaps"),
			fakeapi.NoMarker().On("watch", "configmaps"),
			fakeapi.Truncate().AfterBytes(100_000).On("list", "configmaps"),
		)
		pending := func(want int) {
			t.Helper()
			synctest.Wait()
			if got := s.PendingFaults(); got != want {
				t.Errorf("%d faults are pending, want %d", got, want)
			}
		}
		pending(3)
		do(t, c, "GET", maps, "")
		w := watch(t, c, maps+"?watch=true&timeoutSeconds=5")
		w.types(3)
		pending(3)
		if got, err := w.rest(); got != nil || err != io.EOF { //nolint:errorlint // as Read returns it
			t.Errorf("%v, %v", got, err)
		}
		pending(3)
		w = watch(t, c, maps+watchAll)
		if diff := cmp.Diff([]string{"ADDED a", "ADDED b", "ADDED c"}, w.types(3)); diff != "" {
			t.Error(diff)
		}
		pending(2)
		must(s.Create(configMap("default", "d")))(t)
		if got, err := w.rest(); err == io.EOF { //nolint:errorlint // as Read returns it
			t.Errorf("not cut: %v, %v", got, err)
		}
		pending(1)
		s.ClearFaults()
		pending(0)
	})
}

// A fault of events does not spend itself on a request that has none.
func TestFaultOfEventsWaitsForAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := three(t)
		c := client(t, s)
		s.Inject(fakeapi.Text("text\n"), fakeapi.End().AfterEvents(1))
		if got := do(t, c, "GET", maps+"/a", "").Code; got != 200 {
			t.Error(got)
		}
		if got := do(t, c, "GET", maps+"?watch=true", "").Body; !strings.HasPrefix(got, "text\n") || strings.Count(got, "\n") != 1 {
			t.Errorf("got %q", got)
		}
	})
}

// pipes is a listener on memory connections that the server under test does not know.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// On a server of the caller's, the faults that need its connection end the answer nevertheless.
func TestFaultsOnAServerOfTheCaller(t *testing.T) {
	for name, fault := range map[string]fakeapi.Fault{
		"cut": fakeapi.Cut(), "truncate": fakeapi.Truncate(), "silence": fakeapi.Silence(), "freeze": fakeapi.Freeze(),
	} {
		synctest.Test(t, func(t *testing.T) {
			s := three(t)
			listener := make(pipes)
			own := &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0)} //nolint:gosec // in memory
			done := make(chan struct{})
			go func() {
				defer close(done)
				_ = own.Serve(listener)
			}()
			tr := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				a, b := net.Pipe()
				listener <- b
				return a, nil
			}}
			s.Inject(fault)
			c := &http.Client{Transport: tr, Timeout: time.Minute}
			begin := time.Now()
			resp, err := try(t, c, maps)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			waits := name == "silence" || name == "freeze"
			if err == nil || waits != (time.Since(begin) == time.Minute) {
				t.Errorf("%s: %v after %v", name, err, time.Since(begin))
			}
			tr.CloseIdleConnections()
			close(listener)
			<-done
			_ = own.Close()
		})
	}
}
