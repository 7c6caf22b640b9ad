package fakeapi_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

// three is a server with three ConfigMaps.
func three(t *testing.T) *fakeapi.Server {
	return fakeapi.New(t, fakeapi.Options{Objects: []any{configMap("default", "a"), configMap("default", "b"), configMap("default", "c")}})
}

// try sends a GET that may fail.
func try(t *testing.T, c *http.Client, path string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(req)
}

func TestRefuse(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := three(t)
		c := connect(s)
		s.Inject(
			fakeapi.Refuse(429).RetryAfter(2*time.Second).On("watch", "configmaps").Times(2),
			fakeapi.Respond(404, "text/plain; charset=utf-8", "404 page not found\n").On("*", "configmaps").Nth(2),
			fakeapi.Refuse(403).Message("no").Reason("Nope").On("get", "configmaps").In("default").Named("a"),
		)
		if got := s.PendingFaults(); got != 3 {
			t.Errorf("%d faults are pending", got)
		}
		list := do(t, c, "GET", maps, "") // the first that the second fault could be of
		if list.Code != 200 {
			t.Errorf("list: %v", list)
		}
		resp := send(t, c, "GET", maps+"?watch=true", "")
		raw, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		want := `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Too many requests, please try again later.",` +
			`"reason":"TooManyRequests","details":{"retryAfterSeconds":2},"code":429}` + "\n"
		if string(raw) != want || resp.Header.Get("Retry-After") != "2" || resp.StatusCode != 429 {
			t.Errorf("%d %v: %s", resp.StatusCode, resp.Header, raw)
		}
		if got := do(t, c, "GET", maps+"?watch=true", "").Code; got != 429 {
			t.Errorf("second watch: %d", got)
		}
		if diff := cmp.Diff(answer{404, "404 page not found"}, do(t, c, "GET", maps, "")); diff != "" {
			t.Error(diff)
		}
		if got := do(t, c, "GET", maps+"/b", "").Code; got != 200 {
			t.Errorf("another object: %d", got)
		}
		wantGet := answer{403, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":"Nope","code":403}`}
		if diff := cmp.Diff(wantGet, do(t, c, "GET", maps+"/a", "")); diff != "" {
			t.Error(diff)
		}
		if got := s.PendingFaults(); got != 0 {
			t.Errorf("%d faults are left", got)
		}
	})
}

// Each way to end a watch, when it happens, and what the client sees of it.
func TestStops(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := three(t)
		c := connect(s)
		isH2 := strings.Contains(t.Name(), "HTTP/2")
		for _, test := range []struct {
			name  string
			fault fakeapi.Fault
			want  []string
			err   error // over HTTP/1.1
		}{
			{"end at once", fakeapi.End(), nil, io.EOF},
			{"end after events", fakeapi.End().AfterEvents(2), []string{"ADDED a", "ADDED b"}, io.EOF},
			{"end after time", fakeapi.End().After(3 * time.Second), []string{"ADDED a", "ADDED b", "ADDED c"}, io.EOF},
			{"cut at once", fakeapi.Cut(), nil, syscall.ECONNRESET},
			{"cut after events", fakeapi.Cut().AfterEvents(1), []string{"ADDED a"}, syscall.ECONNRESET},
			{"cut after time", fakeapi.Cut().After(time.Second), []string{"ADDED a", "ADDED b", "ADDED c"}, syscall.ECONNRESET},
			{"cut in a frame", fakeapi.Cut().AfterBytes(300), []string{"ADDED a"}, syscall.ECONNRESET},
			{"truncate", fakeapi.Truncate().AfterEvents(2), []string{"ADDED a", "ADDED b"}, io.ErrUnexpectedEOF},
			{"abort", fakeapi.Abort().AfterEvents(2), []string{"ADDED a", "ADDED b"}, io.ErrUnexpectedEOF},
			{"expired", fakeapi.Expired(), []string{"ERROR too old resource version: 5 (9000)"}, io.EOF},
			{
				"error event", fakeapi.ErrorEvent(rest.Status{Code: 429, Reason: "TooManyRequests", Message: "later"}).AfterEvents(1),
				[]string{"ADDED a", "ERROR later"},
				io.EOF,
			},
		} {
			s.Inject(test.fault.On("watch", "configmaps"))
			got, err := watch(t, c, maps+"?watch=true").rest()
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: %s", test.name, diff)
			}
			switch {
			case isH2 && !errors.Is(test.err, io.EOF):
				if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s: ends with %v", test.name, err)
				}
			case !errors.Is(err, test.err):
				t.Errorf("%s: ends with %v", test.name, err)
			}
		}
		if s.Streams() != 0 || s.PendingFaults() != 0 {
			t.Errorf("%d streams and %d faults are left", s.Streams(), s.PendingFaults())
		}
	})
}

// Faults that end a request before its headers.
func TestBeforeHeaders(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := three(t)
		c := connect(s)
		s.Inject(
			fakeapi.Cut().BeforeHeaders().When(func(r *http.Request) bool { return r.URL.Query().Get("try") == "cut" }).Always(),
			fakeapi.Delay(time.Minute).On("get", "configmaps"),
		)
		if resp, err := try(t, c, maps+"?watch=true&try=cut"); err == nil {
			resp.Body.Close()
			t.Error("a request was answered that should have been cut")
		}
		s.ClearFaults()
		s.Inject(fakeapi.Delay(time.Minute).On("get", "configmaps"))
		begin := time.Now()
		if got := do(t, c, "GET", maps+"/a", "").Code; got != 200 || time.Since(begin) != time.Minute {
			t.Errorf("%d after %v", got, time.Since(begin))
		}
		last := s.Journal()
		if diff := cmp.Diff(fakeapi.Request{Method: "GET", Path: maps + "/a", Status: 200}, last[len(last)-1]); diff != "" {
			t.Error(diff)
		}
	})
}

// A silent or half-open connection only ends when the client loses patience.
func TestSilenceAndFreeze(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		for _, fault := range []fakeapi.Fault{
			fakeapi.Silence().AfterEvents(2), fakeapi.Freeze().AfterEvents(2), fakeapi.Silence().BeforeHeaders(), fakeapi.Freeze().BeforeHeaders(),
		} {
			s := three(t)
			c := connect(s)
			c.Timeout = 90 * time.Second
			s.Inject(fault.On("watch", "configmaps"))
			begin := time.Now()
			resp, err := try(t, c, maps+"?watch=true&timeoutSeconds=5")
			if err == nil {
				w := &watching{t, resp, nil}
				w.r = newReader(resp.Body)
				var got []string
				got, err = w.rest()
				if diff := cmp.Diff([]string{"ADDED a", "ADDED b"}, got); diff != "" {
					t.Error(diff)
				}
				resp.Body.Close()
			}
			if since := time.Since(begin); err == nil || since != 90*time.Second {
				t.Errorf("%v after %v", err, since)
			}
			c.CloseIdleConnections()
			synctest.Wait()
			if n := s.Streams(); n != 0 {
				t.Errorf("%d streams are left", n)
			}
			s.Close()
		}
	})
}

// What a client reads is not cut where events end.
func TestShapes(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := three(t)
		c := connect(s)
		want := do(t, c, "GET", maps+"?watch=true&timeoutSeconds=1", "").Body
		lines := strings.Split(want, "\n")
		for _, test := range []struct {
			name   string
			faults []fakeapi.Fault
			want   string
		}{
			{"byte by byte", []fakeapi.Fault{fakeapi.Split(1, 0)}, want},
			{"with pauses", []fakeapi.Fault{fakeapi.Split(100, 10*time.Millisecond)}, want},
			{"slow", []fakeapi.Fault{fakeapi.Slow(100 * time.Millisecond)}, want},
			{"all in one write", []fakeapi.Fault{fakeapi.Hold(3)}, want},
			{"held until it ends", []fakeapi.Fault{fakeapi.Hold(4)}, want},
			{"held until it is ended", []fakeapi.Fault{fakeapi.Hold(4), fakeapi.End().After(500 * time.Millisecond)}, want},
			{"blank lines", []fakeapi.Fault{fakeapi.Separate("\n\n")}, strings.ReplaceAll(want, "\n", "\n\n")},
			{"carriage returns", []fakeapi.Fault{fakeapi.Separate("\r\n")}, strings.ReplaceAll(want, "\n", "\r\n")},
			{"nothing between", []fakeapi.Fault{fakeapi.Separate("")}, strings.ReplaceAll(want, "\n", "")},
			{
				"in pieces",
				[]fakeapi.Fault{
					fakeapi.Text(`{"type":"ADDED",`), fakeapi.Pause(2 * time.Second), fakeapi.Text("\"object\":{}}\r\n"),
					fakeapi.Pause(time.Second).AfterEvents(3),
				},
				"{\"type\":\"ADDED\",\"object\":{}}\r\n" + want,
			},
			{
				"garbage",
				[]fakeapi.Fault{fakeapi.Text("first\n"), fakeapi.Text("{\"type\":\n").AfterEvents(2)},
				"first\n" + lines[0] + "\n" + lines[1] + "\n{\"type\":\n" + lines[2],
			},
		} {
			begin := time.Now()
			for i := range test.faults {
				s.Inject(test.faults[i].On("watch", "configmaps"))
			}
			got := do(t, c, "GET", maps+"?watch=true&timeoutSeconds=1", "").Body
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: %s", test.name, diff)
			}
			if since := time.Since(begin); test.name == "in pieces" && since != 4*time.Second {
				t.Errorf("%s: it took %v", test.name, since)
			}
		}
	})
}

// An abort ends one stream; the HTTP/2 connection lives on.
func TestAbortLeavesConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := three(t)
		c := h2(t, s)
		other := watch(t, c, maps+"?watch=true")
		other.types(3)
		s.Inject(fakeapi.Abort().AfterEvents(1).On("watch", "configmaps"))
		if got, err := watch(t, c, maps+"?watch=true").rest(); len(got) != 1 || err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%v, %v", got, err)
		}
		must(s.Create(configMap("default", "d")))(t)
		if diff := cmp.Diff([]string{"ADDED d"}, other.types(1)); diff != "" {
			t.Error(diff)
		}
		if got := s.Connections(); got != 1 {
			t.Errorf("%d connections are open", got)
		}
	})
}

// GOAWAY lets the streams of a connection end, and sends new ones elsewhere.
func TestGoAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := three(t)
		c := h2(t, s)
		s.Inject(fakeapi.GoAway().On("watch", "configmaps"))
		w := watch(t, c, maps+"?watch=true&timeoutSeconds=5")
		w.types(3)
		must(s.Create(configMap("default", "d")))(t)
		if diff := cmp.Diff([]string{"ADDED d"}, w.types(1)); diff != "" {
			t.Error(diff)
		}
		if got := do(t, c, "GET", maps+"/d", "").Code; got != 200 {
			t.Errorf("a new request after GOAWAY: %d", got)
		}
		if got, err := w.rest(); len(got) != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("the old stream: %v, %v", got, err)
		}
	})
}

// Disconnect resets all connections.
func TestDisconnect(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := three(t)
		c := connect(s)
		w := watch(t, c, maps+"?watch=true")
		w.types(3)
		s.Disconnect()
		if got, err := w.rest(); len(got) != 0 || err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%v, %v", got, err)
		}
		if got := do(t, c, "GET", maps+"/a", "").Code; got != 200 {
			t.Errorf("after it: %d", got)
		}
	})
}

// A list can be cut in the middle, and history compacted between its pages.
func TestListFaults(t *testing.T) {
	both(t, func(t *testing.T, connect func(*fakeapi.Server) *http.Client) {
		s := three(t)
		c := connect(s)
		s.Inject(fakeapi.Truncate().AfterBytes(100).On("list", "configmaps"))
		resp := send(t, c, "GET", maps, "")
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if len(raw) != 100 || err == nil {
			t.Errorf("%d bytes, %v", len(raw), err)
		}
		s.Inject(fakeapi.End().AfterBytes(50).On("list", "configmaps"), fakeapi.End().On("list", "configmaps"))
		for _, n := range []int{50, 0} {
			if got := do(t, c, "GET", maps, ""); got.Code != 200 || len(got.Body) != n {
				t.Errorf("ended after %d bytes: %v", n, got)
			}
		}
		s.Inject(fakeapi.Compact().On("list", "configmaps").Nth(2))
		var list struct{ Metadata rest.ListMeta }
		first := do(t, c, "GET", maps+"?limit=1", "")
		decode(t, first.Body, &list)
		second := do(t, c, "GET", maps+"?limit=1&continue="+list.Metadata.Continue, "")
		if second.Code != 410 {
			t.Fatalf("second page: %v", second)
		}
		decode(t, second.Body, &list)
		third := do(t, c, "GET", maps+"?limit=1&continue="+list.Metadata.Continue, "")
		if third.Code != 200 || !strings.Contains(third.Body, `"name":"b"`) {
			t.Errorf("the inconsistent rest: %v", third)
		}
	})
}

// By default a fault hits the next request, once.
func TestNextRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := three(t)
		c := client(t, s)
		s.Inject(fakeapi.Refuse(500), fakeapi.Refuse(503).From("kubectl").Always())
		got := make([]int, 0, 4)
		for _, agent := range []string{"x", "x", "kubectl/v1", "kubectl/v2"} {
			got = append(got, do(t, c, "GET", maps, "", "User-Agent", agent).Code)
		}
		if diff := cmp.Diff([]int{500, 200, 503, 503}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestInjectOnNothing(t *testing.T) {
	s := fakeapi.New(t, fakeapi.Options{})
	defer func() {
		if e := recover(); e == nil || !strings.Contains(fmt.Sprint(e), `"Pod"`) {
			t.Errorf("got %v, want a panic that names what is not served", e)
		}
		s.Inject(fakeapi.Cut().On("get", "pods"), fakeapi.Cut().On("*", "*"), fakeapi.Cut().On("get", "deployments.apps"))
	}()
	s.Inject(fakeapi.Cut().On("get", "Pod"))
}
