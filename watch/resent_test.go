package watch_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// resentRow is a row of the table of the requests that a watch sends again.
type resentRow struct {
	faults  []fakeapi.Fault
	objects int           // the number of ConfigMaps in the list
	streams bool          // lists are asked for as streams
	widgets bool          // watches a kind that discovery resolves instead
	lasts   time.Duration // until the requests are compared; 0 means a minute
	want    []string      // the requests
	failed  int           // the number of WatchFailed events
	dials   int32         // the number of connections; 0 if it does not matter
}

// onWatch puts faults on the watches, one after the other.
func onWatch(faults ...fakeapi.Fault) []fakeapi.Fault {
	for i := range faults {
		faults[i] = faults[i].On("watch", "configmaps")
	}
	return faults
}

var resentRows = map[string]resentRow{
	"the server ends the stream": {
		lasts: 301 * time.Second, want: []string{"list", "watch", "watch"},
	},
	"the stream or its connection breaks, or the request is refused": {
		faults: onWatch(fakeapi.Cut().After(5*time.Second), fakeapi.Truncate().After(5*time.Second), fakeapi.Refuse(http.StatusForbidden)),
		want:   []string{"list", "watch", "watch", "watch", "watch"}, failed: 3,
	},
	"the server is silent past its own timeout": {
		faults: onWatch(fakeapi.Freeze()), lasts: 310 * time.Second, dials: 2,
		want: []string{"list", "watch", "watch"}, failed: 1,
	},
	"410, the version is forgotten": {
		faults: onWatch(fakeapi.Text(newer), fakeapi.Expired().After(11*time.Second)),
		want:   []string{"list", "watch", "list", "watch"},
	},
	"410 within ten seconds of a list": {
		faults: onWatch(fakeapi.Text(newer), fakeapi.Expired().After(9*time.Second), fakeapi.Expired()),
		want:   []string{"list", "watch", "list", "watch", "list", "watch"}, failed: 2,
	},
	"a list: its pages do not end": {
		faults: []fakeapi.Fault{fakeapi.Respond(http.StatusOK, "application/json", `{"kind":"ConfigMapList","metadata":{"resourceVersion":"5","continue":"t"},"items":[]}`).
			On("list", "configmaps").Times(2)},
		want: []string{"list", "continue", "list", "watch"}, failed: 1,
	},
	"a list: a page does not arrive within 65 s": {
		faults:  []fakeapi.Fault{fakeapi.Silence().AfterBytes(500).On("list", "configmaps")},
		objects: 3, lasts: 2 * time.Minute, want: []string{"list", "list", "continue", "continue", "watch"}, failed: 1,
	},
	"404, 400 or 422, or a storage error: the version may be gone": {
		faults: onWatch(
			fakeapi.Refuse(http.StatusNotFound), fakeapi.Refuse(http.StatusBadRequest), fakeapi.Refuse(http.StatusUnprocessableEntity),
			fakeapi.ErrorEvent(rest.Status{Kind: "Status", Status: "Failure", Code: 500, Reason: rest.ReasonStorageReadError}),
		),
		want: []string{"list", "watch", "list", "watch", "list", "watch", "list", "watch", "list", "watch"}, failed: 4,
	},
	"whatever was answered, 60 requests in a minute": {
		faults: restless(), lasts: 59 * time.Second,
		want: append([]string{"list"}, slices.Repeat([]string{"watch"}, 58)...), failed: 50,
	},
	"a list fails": {
		faults:  []fakeapi.Fault{fakeapi.Cut().AfterBytes(500).On("list", "configmaps"), fakeapi.Refuse(http.StatusInternalServerError).On("list", "configmaps")},
		objects: 3, want: []string{"list", "list", "list", "watch"}, failed: 2,
	},
	"a list: 410 between two pages": {
		faults:  []fakeapi.Fault{fakeapi.Refuse(http.StatusGone).When(func(r *http.Request) bool { return r.URL.Query().Has("continue") })},
		objects: 501, want: []string{"list", "continue", "list", "watch"},
	},
	"an object without a version, or one that is too large": {
		faults: onWatch(
			fakeapi.Text(`{"type":"ADDED","object":{"metadata":{"name":"x","namespace":"default"}}}`+"\n"),
			fakeapi.Text(`{"type":"ADDED","object":{"metadata":{"name":"x"},"data":{"v":"`+strings.Repeat("x", 5000)+`"}}}`+"\n").Nth(2),
		),
		want: []string{"list", "watch", "list", "watch", "list", "watch"}, failed: 2,
	},
	"the server is behind the version": {
		faults: onWatch(fakeapi.Refuse(http.StatusGatewayTimeout).Message("Too large resource version: 5, current: 3")),
		want:   []string{"list", "watch", "list", "watch"}, failed: 1,
	},
	"a stream ends within `MinDuration`, without a new event": {
		faults: onWatch(fakeapi.End()), want: []string{"list", "watch", "watch"}, failed: 1,
	},
	"two streams in a row end within a tenth of their timeout, without a new event": {
		faults: onWatch(fakeapi.End().After(5*time.Second), fakeapi.End().After(5*time.Second)),
		want:   []string{"list", "watch", "watch", "list", "watch"}, failed: 1,
	},
	"a streamed list: the server cannot do it (422, 400, no end within a minute)": {
		streams: true, faults: onWatch(fakeapi.Silence()), lasts: 2 * time.Minute,
		want: []string{"stream", "list", "watch"},
	},
	"a streamed list breaks off": {
		streams: true, objects: 3, faults: onWatch(fakeapi.Cut().AfterEvents(2)),
		want: []string{"stream", "list", "watch"}, failed: 1,
	},
	"a streamed list is refused": {
		streams: true, faults: onWatch(fakeapi.Refuse(http.StatusForbidden), fakeapi.Refuse(http.StatusServiceUnavailable)),
		want: []string{"stream", "stream", "stream"}, failed: 2,
	},
	"404, where discovery has resolved the kind": {
		faults:  []fakeapi.Fault{fakeapi.Refuse(http.StatusNotFound).On("watch", "widgets.example.com")},
		widgets: true, want: []string{"/api", "/apis", "list", "watch", "/api", "/apis", "list", "watch"}, failed: 1,
	},
}

// newer is an event with a version that no list has given.
const newer = `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9000"}}}` + "\n"

// restless ends each watch after a new event.
func restless() []fakeapi.Fault {
	const ends = 100
	faults := make([]fakeapi.Fault, 0, ends)
	for i := range ends {
		text := fmt.Sprintf(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"%d"}}}`, 9000+i)
		faults = append(faults, fakeapi.Respond(http.StatusOK, "application/json", text))
	}
	return onWatch(faults...)
}

// The page lists all requests that a watch sends again, and no others: each row is tested.
func TestResent(t *testing.T) {
	if d := cmp.Diff(slices.Sorted(maps.Keys(resentRows)), resentTable(t)); d != "" {
		t.Errorf("the rows of the page differ (-test +page)\n%s", d)
	}
	for name, row := range resentRows {
		t.Run(name, func(t *testing.T) {
			o := fakeapi.Options{Kinds: []rest.Served{{Kind: widgets}}}
			for i := range row.objects {
				o.Objects = append(o.Objects, cm(fmt.Sprintf("object-%d", i), "1"))
			}
			bubble(t, o, func(t *testing.T, s *fakeapi.Server) { row.hold(t, s) })
		})
	}
}

// hold watches while the faults happen.
func (row *resentRow) hold(t *testing.T, s *fakeapi.Server) {
	t.Helper()
	s.Inject(row.faults...)
	var dials atomic.Int32
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		dials.Add(1)
		return s.Dial(ctx, network, address)
	}
	client, err := rest.New(s.Config(), rest.Options{
		Dial: dial, UnencryptedHTTP2: true, PingInterval: -1, Discovery: row.widgets, Defaults: rest.CallOptions{MaxObject: 4096},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	kind := "ConfigMap"
	if row.widgets {
		kind = "Widget"
	}
	events := watch.Events(t.Context(), rest.For[rest.Object](client, kind).In("default"), watch.Options{PageSize: row.pageSize(), Backoff: exact})
	seen := map[rest.Key]int{}
	failed := 0
	if row.lasts == 0 {
		row.lasts = time.Minute
	}
	for end := time.After(row.lasts); end != nil; {
		select {
		case ev := <-events:
			switch ev.Type {
			case watch.WatchFailed:
				failed++
			case watch.Added, watch.Modified:
				seen[ev.Key]++
			default:
			}
		case <-end:
			end = nil
		}
	}
	if d := cmp.Diff(row.want, arrived(s)); d != "" {
		t.Errorf("what arrives (-want +got)\n%s", d)
	}
	if failed != row.failed {
		t.Errorf("%d failures were reported, want %d", failed, row.failed)
	}
	if n := dials.Load(); row.dials != 0 && n != row.dials {
		t.Errorf("%d connections were made, want %d", n, row.dials)
	}
	for key, n := range seen {
		if n > 1 {
			t.Errorf("%v was sent %d times", key, n)
		}
	}
}

func (row *resentRow) pageSize() int {
	if row.streams {
		return 0
	}
	return 500
}

// arrived returns the requests as requests does, but without the versions, and those of discovery
// by their path.
func arrived(s *fakeapi.Server) []string {
	var lines []string
	for _, r := range s.Journal() {
		if strings.HasPrefix(r.Path, "/api") && strings.Count(r.Path, "/") == 1 {
			lines = append(lines, r.Path)
			continue
		}
		lines = append(lines, askOf(r))
	}
	return lines
}

// resentTable returns the first column of the table in the docs, sorted.
func resentTable(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "\n### Watches\n")
	if !found {
		t.Fatal("the page has no table of watches")
	}
	table, _, _ = strings.Cut(table, "\n#")
	var names []string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| ") && len(cells) == 3 {
			names = append(names, strings.TrimPrefix(cells[0], "| "))
		}
	}
	names = names[1:] // the head
	slices.Sort(names)
	return names
}
