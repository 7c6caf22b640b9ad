package watch_test

import (
	"errors"
	"fmt"
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

// exact is the default backoff without jitter, so that delays can be compared.
var exact = stream.Backoff{Jitter: -1}

// bubble runs a test against a server in memory, both inside a bubble where time is fake.
func bubble(t *testing.T, o fakeapi.Options, test func(t *testing.T, s *fakeapi.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, fakeapi.New(t, o)) })
}

// overBoth runs a test with HTTP/1.1 and with HTTP/2.
func overBoth(t *testing.T, o fakeapi.Options, test func(t *testing.T, s *fakeapi.Server)) {
	t.Helper()
	for _, o.HTTP1 = range []bool{true, false} {
		t.Run(fmt.Sprintf("HTTP2=%v", !o.HTTP1), func(t *testing.T) { bubble(t, o, test) })
	}
}

// configMaps is the resource that most tests watch.
func configMaps(s *fakeapi.Server) rest.Resource[rest.Object] {
	return rest.For[rest.Object](s.Client(), "ConfigMap").In("default")
}

// cm returns a ConfigMap with a value that distinguishes its versions.
func cm(name, value string) rest.Object {
	return rest.Object{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name, "namespace": "default"},
		"data":     map[string]any{"v": value},
	}
}

// must returns the object, or fails the test.
func must(t *testing.T) func(rest.Object, error) rest.Object {
	t.Helper()
	return func(o rest.Object, err error) rest.Object {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
}

// line formats an event as "ADDED a=1", "DELETED b=2 inferred", "SYNCED", "WATCHFAILED watch
// ConfigMap failed...".
func line(ev watch.Event[rest.Object]) string {
	s := string(ev.Type)
	if ev.Key.Name != "" {
		s += " " + ev.Key.Name
	}
	if ev.Object != nil {
		if v := ev.Object.String("data", "v"); v != "" {
			s += "=" + v
		}
	}
	if ev.Inferred {
		s += " inferred"
	}
	if ev.Replayed {
		s += " replayed"
	}
	if ev.Recovery != nil {
		s += fmt.Sprintf(" after %v and %d", ev.Recovery.Away, ev.Recovery.Attempts)
	}
	if ev.Err != nil {
		s += " " + ev.Err.Error()
	}
	return s
}

// expect reads one event for each line, and compares them. Recovered is skipped where no line wants
// it; TestRecovered holds when it comes.
func expect(t *testing.T, events <-chan watch.Event[rest.Object], want ...string) []watch.Event[rest.Object] {
	t.Helper()
	var got []string
	var all []watch.Event[rest.Object]
	for _, w := range want {
		ev, ok := stream.Recv(t.Context(), events)
		for ev.Type == watch.Recovered && !strings.HasPrefix(w, "RECOVERED") {
			ev, ok = stream.Recv(t.Context(), events)
		}
		if !ok {
			got = append(got, "closed")
			break
		}
		got, all = append(got, line(ev)), append(all, ev)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("(-want +got)\n%s", d)
	}
	return all
}

// expectClosed fails the test unless the channel is closed and empty.
func expectClosed(t *testing.T, events <-chan watch.Event[rest.Object]) {
	t.Helper()
	if ev, ok := <-events; ok {
		t.Fatalf("got %s, want a closed channel", line(ev))
	}
}

// expectQuiet fails the test if, within d, an event other than Recovered comes or the channel is
// closed.
func expectQuiet(t *testing.T, events <-chan watch.Event[rest.Object], d time.Duration) {
	t.Helper()
	for over := time.After(d); ; {
		select {
		case ev, ok := <-events:
			if ev.Type != watch.Recovered {
				t.Fatalf("got %s (open: %v), want nothing for %v", line(ev), ok, d)
			}
		case <-over:
			return
		}
	}
}

// next returns the next event but Recovered.
func next(events <-chan watch.Event[rest.Object]) watch.Event[rest.Object] {
	ev := <-events
	for ev.Type == watch.Recovered {
		ev = <-events
	}
	return ev
}

// attempt returns the error of a WatchFailed.
func attempt(t *testing.T, ev watch.Event[rest.Object]) *watch.AttemptError {
	t.Helper()
	e, ok := errors.AsType[*watch.AttemptError](ev.Err)
	if ev.Type != watch.WatchFailed || !ok {
		t.Fatalf("got %s, want a WatchFailed with an AttemptError", line(ev))
	}
	return e
}

// requests returns the server's journal as lines: "list", "list 0" with a version, "continue" for a
// later page, "watch 12".
func requests(s *fakeapi.Server) []string {
	journal := s.Journal()
	lines := make([]string, 0, len(journal))
	for _, r := range journal {
		lines = append(lines, strings.TrimSuffix(verbOf(r)+" "+query(r, "resourceVersion"), " "))
	}
	return lines
}

// verbs returns the journal without versions.
func verbs(s *fakeapi.Server) []string {
	journal := s.Journal()
	verbs := make([]string, 0, len(journal))
	for _, r := range journal {
		verbs = append(verbs, verbOf(r))
	}
	return verbs
}

func verbOf(r fakeapi.Request) string {
	switch {
	case query(r, "watch") == "true":
		return "watch"
	case query(r, "continue") != "":
		return "continue"
	default:
		return "list"
	}
}

func query(r fakeapi.Request, name string) string {
	for part := range strings.SplitSeq(r.Query, "&") {
		if v, ok := strings.CutPrefix(part, name+"="); ok {
			return v
		}
	}
	return ""
}
