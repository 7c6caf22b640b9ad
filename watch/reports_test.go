package watch_test

// Behaviour that users of other clients miss: each test stages the fault that breaks theirs.

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// A dead network path is noticed.
func TestDeadPathIsNoticed(t *testing.T) {
	overBoth(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.Freeze().AfterEvents(1).On("watch", "configmaps"))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Timeout: 2 * time.Second, Backoff: exact})
		expect(t, events, "SYNCED")
		at := must(t)(s.Create(cm("a", "1"))).ResourceVersion()
		expect(t, events, "ADDED a=1")
		start := time.Now()
		failed := expect(t, events, "WATCHFAILED watch ConfigMap failed, retrying in 1s: "+rest.ErrOverdue.Error())[0]
		if !errors.Is(failed.Err, rest.ErrOverdue) {
			t.Errorf("the cause is %v, want ErrOverdue", failed.Err)
		}
		expectQuiet(t, events, 2*time.Second)
		r := s.Records()[2]
		if query(r.Request, "resourceVersion") != at || r.At > 10*time.Second {
			t.Errorf("the next request is %s after %v, want one at %s within 10s (%v)", r.Request, r.At, at, time.Since(start))
		}
	})
}

// A 410 within the stream makes the watch list again. It is not sent as an object.
func TestExpiredEventIsNotAnObject(t *testing.T) {
	for _, reason := range []string{"Expired", "Gone"} {
		for _, timeout := range []time.Duration{0, time.Minute} {
			bubble(t, fakeapi.Options{Objects: []any{cm("a", "1")}}, func(t *testing.T, s *fakeapi.Server) {
				s.Inject(fakeapi.ErrorEvent(rest.Status{
					Kind: "Status", APIVersion: "v1", Status: "Failure", Reason: reason, Code: 410,
					Message: "too old resource version: 5 (9000)",
				}).On("watch", "configmaps"))
				events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, ResourceVersion: "5", Timeout: timeout})
				expect(t, events, "ADDED a=1 replayed", "SYNCED")
				expectQuiet(t, events, time.Hour)
				want := []string{"watch 5", "list", "watch " + s.ResourceVersion()}
				if d := cmp.Diff(want, requests(s)[:3]); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			})
		}
	}
}

// A request that is refused with 410 is not sent again with the same version.
func TestExpiredStatusIsNotRetried(t *testing.T) {
	bubble(t, fakeapi.Options{Objects: []any{cm("a", "1")}}, func(t *testing.T, s *fakeapi.Server) {
		s.Expire()
		s.Inject(fakeapi.Refuse(410).On("watch", "configmaps"))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, ResourceVersion: "5"})
		expect(t, events, "ADDED a=1 replayed", "SYNCED")
		synctest.Wait()
		if d := cmp.Diff([]string{"watch 5", "list", "watch " + s.ResourceVersion()}, requests(s)); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
	t.Run("410 whatever is asked", func(t *testing.T) {
		bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
			s.Inject(fakeapi.Refuse(410).On("*", "configmaps").Always())
			o := watch.Options{PageSize: 500, Backoff: stream.Backoff{Jitter: -1, MaxRetries: 3}}
			var got []string
			for ev := range watch.Events(t.Context(), configMaps(s), o) {
				got = append(got, string(ev.Type))
			}
			if n := len(s.Journal()); len(got) != 4 || n != 4 {
				t.Errorf("%d requests and %q, want four failures", n, got)
			}
		})
	})
}

// There is no storm of requests when the server accepts them and closes at once, or when the
// resource is not installed.
func TestNoReconnectStorm(t *testing.T) {
	for name, fault := range map[string]fakeapi.Fault{
		"200 and the end": fakeapi.End(),
		"plain 404":       fakeapi.Respond(404, "text/plain; charset=utf-8", "404 page not found\n"),
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
				s.Inject(fault.On("*", "configmaps").Always())
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				backoff := stream.Backoff{Initial: 100 * time.Millisecond, Max: time.Second, Jitter: -1}
				failures := 0
				for ev := range watch.Events(ctx, configMaps(s), watch.Options{PageSize: 500, Backoff: backoff, ResourceVersion: "5"}) {
					if ev.Type != watch.WatchFailed {
						t.Errorf("got %s", line(ev))
					}
					failures++
				}
				// At 0, 0.1, 0.3, 0.7, 1.5 s, then each second.
				if n := len(s.Journal()); n != 13 || failures != 13 {
					t.Errorf("%d requests and %d failures in 10s, want 13 of each", n, failures)
				}
				s.ResetJournal()
				backoff.MaxRetries = 3
				events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: backoff, ResourceVersion: "5"})
				var last watch.Event[rest.Object]
				for ev := range events {
					last = ev
				}
				if n := len(s.Journal()); n != 4 || !errors.Is(last.Err, watch.ErrGaveUp) {
					t.Errorf("%d requests and %v, want four and ErrGaveUp", n, last.Err)
				}
			})
		})
	}
}

// Errors other than 410 do not end the watch.
func TestOtherErrorsDoNotEndTheWatch(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(
			fakeapi.End().After(2*time.Second).On("watch", "configmaps"),
			fakeapi.Cut().On("watch", "configmaps"),
			fakeapi.Truncate().AfterEvents(1).On("watch", "configmaps"),
		)
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "SYNCED")
		ten := must(t)(s.Apply(cm("a", "10"))).ResourceVersion()
		expect(t, events, "ADDED a=10")
		if ev := <-events; ev.Type != watch.WatchFailed || !strings.Contains(ev.Err.Error(), "retrying in 1s: ") {
			t.Errorf("got %s, want the reset", line(ev))
		}
		eleven := must(t)(s.Apply(cm("a", "11"))).ResourceVersion()
		expect(t, events, "MODIFIED a=11", "WATCHFAILED watch ConfigMap failed, retrying in 1s: unexpected EOF")
		expectQuiet(t, events, 5*time.Second)
		want := []string{"list", "watch", "watch " + ten, "watch " + ten, "watch " + eleven}
		got := requests(s)
		got[1] = "watch"
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
}

// However often the connection breaks, only one watch is open.
func TestOneWatchAtATime(t *testing.T) {
	overBoth(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.Cut().AfterEvents(1).On("watch", "configmaps").Times(5))
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact})
		expect(t, events, "SYNCED")
		for i := range 5 {
			must(t)(s.Apply(cm("a", string(rune('1'+i)))))
			for ev := range events {
				if ev.Type == watch.WatchFailed {
					break
				}
			}
			time.Sleep(2 * time.Second)
		}
		must(t)(s.Create(cm("marker", "1")))
		expect(t, events, "ADDED marker=1")
		expectQuiet(t, events, time.Hour)
		if s.MaxStreams() != 1 {
			t.Errorf("%d watches were open at once, want one", s.MaxStreams())
		}
	})
}

// A bookmark is not decoded into T, and the watch resumes after it.
func TestBookmarkIsNotDecoded(t *testing.T) {
	const bookmark = `{"type":"BOOKMARK","object":{"kind":"Job","apiVersion":"batch/v1","metadata":{"resourceVersion":"2000",` +
		`"creationTimestamp":null},"spec":{"template":{"metadata":{"creationTimestamp":null},"spec":{"containers":null}}},"status":{}}}` + "\n"
	type job struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers [2]struct{} `json:"containers"` // a strict type that does not accept null
				} `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
	}
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(fakeapi.Text(bookmark).On("watch", "jobs.batch"), fakeapi.Cut().After(time.Second).On("watch", "jobs.batch"))
		events := watch.Events(t.Context(), rest.For[job](s.Client(), "Job"), watch.Options{
			PageSize: 500,
			Backoff:  exact, Keep: []watch.Filter{watch.Names("none"), watch.Types(watch.Added)},
		})
		if ev := <-events; ev.Type != watch.Synced {
			t.Fatalf("got %v, want SYNCED", ev.Type)
		}
		if ev := <-events; ev.Type != watch.WatchFailed {
			t.Fatalf("got %v, want the cut: the bookmark is not an event", ev.Type)
		}
		time.Sleep(2 * time.Second)
		if r := s.Journal()[2]; query(r, "resourceVersion") != "2000" {
			t.Errorf("resumed with %s, want 2000", r)
		}
	})
}

// A character that is cut in two by reads arrives whole.
func TestCutCharacter(t *testing.T) {
	const value = "é漢😀"
	for _, n := range []int{1, 2, 3} {
		overBoth(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
			s.Inject(fakeapi.Split(n, time.Millisecond).On("watch", "configmaps"))
			events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500})
			expect(t, events, "SYNCED")
			must(t)(s.Create(cm("a", value)))
			expect(t, events, "ADDED a="+value)
		})
	}
	t.Run("invalid byte", func(t *testing.T) {
		bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
			const raw = `{"type":"ADDED","object":{"metadata":{"name":"a","namespace":"default","resourceVersion":"1005"},"data":{"v":"x` + "\xd4" + `y"}}}` + "\n"
			s.Inject(fakeapi.Text(raw).On("watch", "configmaps"))
			events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500})
			expect(t, events, "SYNCED", "ADDED a=x\ufffdy")
			must(t)(s.Create(rest.Object{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "x"}})) // uses up 1005
			must(t)(s.Create(cm("b", "1")))
			expect(t, events, "ADDED b=1")
		})
	})
}

// A large object does not end the stream.
func TestLargeObject(t *testing.T) {
	t.Parallel()
	overBoth(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Timeout: 10 * time.Second})
		expect(t, events, "SYNCED")
		large := strings.Repeat("x", 3<<20)
		must(t)(s.Create(cm("a", large)))
		must(t)(s.Apply(cm("a", "small")))
		if ev := <-events; ev.Type != watch.Added || ev.Object.String("data", "v") != large {
			t.Errorf("got %v, want the large object", ev.Type)
		}
		expect(t, events, "MODIFIED a=small")
		expectQuiet(t, events, time.Minute)
		for _, r := range s.Journal()[2:] {
			if query(r, "resourceVersion") != s.ResourceVersion() {
				t.Errorf("resumed with %s, want %s", r, s.ResourceVersion())
			}
		}
	})
}

// Events are independent of the chunks that carry them.
func TestChunksAreNotEvents(t *testing.T) {
	frame := func(name string) string {
		return `{"type":"ADDED","object":{"metadata":{"name":"` + name + `","namespace":"default","resourceVersion":"9000"}}}`
	}
	overBoth(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		third := frame("c")
		s.Inject(
			fakeapi.Text(frame("a")+"\n"+frame("b")+"\n\n"+third[:9]).On("watch", "configmaps"),
			fakeapi.Text(third[9:]+"\n"+frame("d")+"\r\n").AfterEvents(0).On("watch", "configmaps"),
			fakeapi.Split(len(frame("a"))*5/2, 200*time.Millisecond).On("watch", "configmaps"),
			fakeapi.End().After(5*time.Second).On("watch", "configmaps"),
		)
		start := time.Now()
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500})
		expect(t, events, "SYNCED", "ADDED a", "ADDED b")
		if d := time.Since(start); d >= 200*time.Millisecond {
			t.Errorf("the first two came after %v, with the slow one", d)
		}
		expect(t, events, "ADDED c", "ADDED d")
		expectQuiet(t, events, time.Minute)
	})
}

// A refusal with 429 does not stop the watch, and its delay is respected.
func TestTooManyRequests(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		s.Inject(
			fakeapi.Refuse(429).Message("wait").RetryAfter(2*time.Second).On("watch", "configmaps").Times(3),
			fakeapi.ErrorEvent(rest.Status{Kind: "Status", Status: "Failure", Code: 429, Reason: "TooManyRequests", Message: "wait"}).On("watch", "configmaps"),
		)
		events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: stream.Backoff{Jitter: -1, MaxRetries: 4}})
		const refused = "WATCHFAILED watch ConfigMap failed, retrying in %: HTTP 429 TooManyRequests: wait"
		expect(t, events, "SYNCED",
			strings.ReplaceAll(refused, "%", "2s"), strings.ReplaceAll(refused, "%", "2s"), strings.ReplaceAll(refused, "%", "4s"),
			"ERROR watch configmaps default/*: too many requests (429): wait",
			"WATCHFAILED watch ConfigMap failed, retrying in 8s: the stream ended on an error: 429 TooManyRequests: wait")
		must(t)(s.Create(cm("a", "1")))
		expect(t, events, "ADDED a=1")
		want := []time.Duration{0, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}
		if d := cmp.Diff(want, arrivals(s, "watch")); d != "" {
			t.Errorf("the requests came at (-want +got)\n%s", d)
		}
	})
}

// A watch survives the rotation of its token.
func TestRotatedToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write := func(t *testing.T, token string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overBoth(t, fakeapi.Options{Tokens: map[string]string{"old": "system:admin"}}, func(t *testing.T, s *fakeapi.Server) {
		write(t, "old")
		config := s.Config()
		config.Token, config.TokenFile = "", file
		c, err := rest.New(config, rest.Options{Dial: s.Dial})
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseIdle()
		s.Inject(fakeapi.End().After(10*time.Second).On("watch", "configmaps"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		events := watch.Events(ctx, rest.For[rest.Object](c, "ConfigMap").In("default"), watch.Options{PageSize: 500, Backoff: exact})
		synced := expect(t, events, "SYNCED")[0].ResourceVersion
		synctest.Wait()
		write(t, "new")
		s.AllowToken("new", "system:admin")
		s.RevokeToken("old")
		time.Sleep(11 * time.Second) // the server has ended the watch in the meantime
		must(t)(s.Create(cm("a", "1")))
		expect(t, events, "ADDED a=1") // by a second try of the transport, which has read the file again
		if r := s.Journal()[3]; query(r, "resourceVersion") != synced {
			t.Errorf("resumed with %s, want %s", r, synced)
		}
		cancel()
		expectClosed(t, events)
	})
}
