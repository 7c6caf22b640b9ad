package watch_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

type objectEvent = watch.Event[rest.Object]

// of returns an event of an object.
func of(typ watch.Type, name, version string) objectEvent {
	return objectEvent{Type: typ, Key: rest.Key{Kind: "ConfigMap", Namespace: "default", Name: name}, UID: name, ResourceVersion: version}
}

// brief returns events as lines.
func brief(events []objectEvent) []string {
	lines := make([]string, len(events))
	for i, ev := range events {
		lines[i] = string(ev.Type) + " " + ev.Key.Name + ev.ResourceVersion
		if ev.Listed {
			lines[i] += " listed"
		}
		if ev.Replayed {
			lines[i] += " replayed"
		}
	}
	return lines
}

// Events of the same object merge into what a reader needs to know.
func TestLatestMerges(t *testing.T) {
	listed := func(ev objectEvent) objectEvent { ev.Listed = true; return ev }
	replayed := func(ev objectEvent) objectEvent { ev.Listed, ev.Replayed = true, true; return ev }
	a := func(v string) objectEvent { return of(watch.Added, "a", v) }
	m := func(v string) objectEvent { return of(watch.Modified, "a", v) }
	d := func(v string) objectEvent { return of(watch.Deleted, "a", v) }
	synced, failed := objectEvent{Type: watch.Synced}, objectEvent{Type: watch.WatchFailed, Err: errors.New("x")}
	other := of(watch.Added, "a", "1")
	other.Source = "other"
	for name, test := range map[string]struct {
		events []objectEvent
		want   []string
	}{
		"changed while it is new":        {[]objectEvent{a("1"), m("2"), m("3")}, []string{"ADDED a3"}},
		"changed twice":                  {[]objectEvent{m("2"), m("3")}, []string{"MODIFIED a3"}},
		"deleted while it is new":        {[]objectEvent{a("1"), d("2")}, []string{"DELETED a2"}},
		"deleted":                        {[]objectEvent{m("1"), d("2")}, []string{"DELETED a2"}},
		"taken again":                    {[]objectEvent{m("1"), d("2"), a("3"), m("4")}, []string{"DELETED a2", "ADDED a4"}},
		"taken again and deleted":        {[]objectEvent{m("1"), d("2"), a("3"), d("4")}, []string{"DELETED a2"}},
		"taken again twice":              {[]objectEvent{d("2"), a("3"), d("4"), a("5")}, []string{"DELETED a2", "ADDED a5"}},
		"changed after its list":         {[]objectEvent{listed(a("1")), synced, m("2")}, []string{"ADDED a2 listed", "SYNCED "}},
		"changed after a replay":         {[]objectEvent{replayed(a("1")), synced, m("2")}, []string{"ADDED a2 listed replayed", "SYNCED "}},
		"deleted after its list":         {[]objectEvent{listed(a("1")), synced, d("2")}, []string{"DELETED a2 listed", "SYNCED "}},
		"two lists":                      {[]objectEvent{a("1"), synced, of(watch.Added, "b", "1"), synced}, []string{"ADDED a1", "SYNCED ", "ADDED b1", "SYNCED "}},
		"a list that fails in between":   {[]objectEvent{a("1"), failed, failed, of(watch.Added, "b", "1"), synced}, []string{"ADDED a1", "WATCHFAILED ", "WATCHFAILED ", "ADDED b1", "SYNCED "}},
		"an event of an unknown type":    {[]objectEvent{{Type: "RECOVERED"}, {Type: "RECOVERED"}}, []string{"RECOVERED ", "RECOVERED "}},
		"bookmarks":                      {[]objectEvent{{Type: watch.Bookmark, ResourceVersion: "1"}, a("2"), {Type: watch.Bookmark, ResourceVersion: "3"}}, []string{"ADDED a2", "BOOKMARK 3"}},
		"the same object of two sources": {[]objectEvent{a("1"), other, d("2")}, []string{"DELETED a2", "ADDED a1"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := make(chan objectEvent)
				out := watch.Latest(t.Context(), in)
				for _, ev := range test.events {
					in <- ev
				}
				close(in)
				var got []objectEvent
				for ev := range out {
					got = append(got, ev)
				}
				if d := cmp.Diff(test.want, brief(got)); d != "" {
					t.Error(d)
				}
			})
		})
	}
}

// model is what a reader holds, and what it was told besides.
type model struct {
	versions map[string]string
	notes    []string
}

func (m *model) apply(ev objectEvent) {
	switch key := ev.Source + "/" + ev.Key.Name; ev.Type {
	case watch.Added, watch.Modified:
		m.versions[key] = ev.ResourceVersion
	case watch.Deleted:
		delete(m.versions, key)
	case watch.Bookmark:
	default:
		m.notes = append(m.notes, string(ev.Type)+ev.ResourceVersion)
	}
}

// randomEvent returns an event that may follow in the model.
func randomEvent(random *rand.Rand, m *model, n int) objectEvent {
	version := strconv.Itoa(n)
	switch random.IntN(30) {
	case 0:
		return objectEvent{Type: watch.WatchFailed, ResourceVersion: version}
	case 1:
		return objectEvent{Type: watch.Synced, ResourceVersion: version}
	case 2:
		return objectEvent{Type: watch.Bookmark, ResourceVersion: version}
	}
	ev := of(watch.Added, strconv.Itoa(random.IntN(20)), version)
	ev.Source = []string{"", "x"}[random.IntN(2)]
	if _, ok := m.versions[ev.Source+"/"+ev.Key.Name]; ok {
		ev.Type = []watch.Type{watch.Modified, watch.Deleted}[random.IntN(2)]
	}
	return ev
}

// Whatever comes and however slowly it is read, the reader ends with what it would have with every
// event; no note is lost, and a Synced or a Bookmark comes after everything that came before it.
func TestLatestLikeItsModel(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			in := make(chan objectEvent)
			out := watch.Latest(t.Context(), in)
			sent, got := &model{versions: map[string]string{}}, &model{versions: map[string]string{}}
			var history sync.Map // by version, what held at each Synced and Bookmark
			read := make(chan struct{})
			go func() {
				defer close(read)
				random := rand.New(rand.NewPCG(seed, 2))
				for ev := range out {
					got.apply(ev)
					if n, _ := strconv.Atoi(ev.ResourceVersion); ev.Type == watch.Synced || ev.Type == watch.Bookmark {
						then, _ := history.Load(n)
						if missing := behind(got.versions, then.(map[string]string), n); missing != "" {
							t.Errorf("at %s %d: %s", ev.Type, n, missing)
						}
					}
					<-time.After(time.Duration(random.IntN(int(seed)+1)) * time.Second)
				}
			}()
			for n := range 3000 {
				ev := randomEvent(random, sent, n)
				sent.apply(ev)
				if ev.Type == watch.Synced || ev.Type == watch.Bookmark {
					history.Store(n, maps.Clone(sent.versions))
				}
				in <- ev
				<-time.After(time.Duration(random.IntN(3)) * time.Second)
			}
			close(in)
			<-read
			if d := cmp.Diff(sent.versions, got.versions); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(sent.notes, got.notes); d != "" {
				t.Error(d)
			}
		})
	}
}

// behind says which object of the reader is older than it was at version n.
func behind(got, then map[string]string, n int) string {
	number := func(s string) int { v, _ := strconv.Atoi(s); return v }
	for key, v := range then {
		// An object that is missing was deleted after that.
		if have, ok := got[key]; ok && number(have) < number(v) {
			return fmt.Sprintf("%s is at %s, not at %s", key, have, v)
		}
	}
	for key, v := range got {
		if _, ok := then[key]; !ok && number(v) < n {
			return fmt.Sprintf("%s is there, at %s", key, v)
		}
	}
	return ""
}

// However much comes, at most two events wait for each object, and 64 others. Nothing is received
// while those wait.
func TestLatestIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		in := make(chan objectEvent)
		out := watch.Latest(ctx, in)
		for n := range 10_000 {
			for _, typ := range []watch.Type{watch.Added, watch.Modified, watch.Deleted, watch.Bookmark} {
				in <- of(typ, "a", strconv.Itoa(n))
			}
		}
		in <- of(watch.Added, "a", "last")
		taken := 0
		for ; taken < 1000; taken++ {
			select {
			case in <- objectEvent{Type: watch.WatchFailed}:
				continue
			case <-time.After(time.Second):
			}
			break
		}
		if taken != 64 {
			t.Errorf("%d failures wait, want 64", taken)
		}
		for range 4 { // the object, the bookmark, and one failure
			<-out
		}
		in <- objectEvent{Type: watch.WatchFailed}
		close(in)
		n := 0
		for range out {
			n++
		}
		if n != 64 {
			t.Errorf("%d events are left, want 64", n)
		}
	})
}

// Latest ends with its context, whatever waits, and refuses what cannot be used.
func TestLatestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in := make(chan objectEvent)
		out := watch.Latest(ctx, in)
		in <- of(watch.Added, "a", "1")
		synctest.Wait()
		cancel()
		synctest.Wait()
		expectClosed(t, out)
	})
	for want, f := range map[string]func(){
		"watch: Latest of a nil channel": func() { watch.Latest[rest.Object](t.Context(), nil) },
		"watch: Latest of a nil context": func() { watch.Latest(nil, make(chan objectEvent)) }, //nolint:staticcheck // it is refused
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("it panics with %v, want %s", got, want)
				}
			}()
			f()
		}()
	}
}

// Over a list that fails in the middle, a reader that comes late gets the objects, the failure, and
// then Synced.
func TestLatestOverAListThatFails(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		for _, name := range []string{"a", "b", "c"} {
			must(t)(s.Create(cm(name, "1")))
		}
		s.Inject(fakeapi.Cut().AfterBytes(400).On("list", "configmaps"))
		events := watch.Latest(t.Context(), watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Backoff: exact}))
		time.Sleep(time.Minute)
		const all = 6
		got := make([]string, 0, all)
		for range all {
			ev := <-events
			got = append(got, strings.TrimSpace(string(ev.Type)+" "+ev.Key.Name))
		}
		if d := cmp.Diff([]string{"ADDED a", "WATCHFAILED", "ADDED b", "ADDED c", "RECOVERED", "SYNCED"}, got); d != "" {
			t.Error(d)
		}
	})
}
