package watch_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// two is met by a ConfigMap a=2.
var two = watch.FieldIs[rest.Object]("2", "data", "v")

// waited is how a wait ended.
func waited(ev watch.Event[rest.Object], err error) string {
	if err != nil {
		return err.Error()
	}
	return line(ev)
}

// untilRow is a wait on a watch of the ConfigMap a.
type untilRow struct {
	objects   []any
	faults    []fakeapi.Fault
	o         watch.Options
	condition watch.Condition[rest.Object]
	change    func(t *testing.T, s *fakeapi.Server) // happens a second after the start
	want      string
	is        []error // what the error matches
	lasts     time.Duration
}

func removed(t *testing.T, s *fakeapi.Server) {
	t.Helper()
	must(t)(s.Remove("ConfigMap", "default", "a"))
}

func recreated(t *testing.T, s *fakeapi.Server) {
	t.Helper()
	removed(t, s)
	must(t)(s.Create(cm("a", "2")))
}

func changed(t *testing.T, s *fakeapi.Server) {
	t.Helper()
	must(t)(s.Apply(cm("a", "2")))
}

var errCause = errors.New("the program ends")

var untilRows = map[string]untilRow{
	"it is so already": {objects: []any{cm("a", "2")}, condition: two, want: "ADDED a=2"},
	"it changes":       {objects: []any{cm("a", "1")}, condition: two, change: changed, want: "MODIFIED a=2", lasts: time.Second},
	"it is created": {condition: two, change: func(t *testing.T, s *fakeapi.Server) {
		t.Helper()
		must(t)(s.Create(cm("a", "2")))
	}, want: "ADDED a=2", lasts: time.Second},
	"it is deleted": {
		objects: []any{cm("a", "1")}, condition: two, change: removed, lasts: time.Second,
		want: "wait: it can no longer come true: ConfigMap default/a was deleted, or no longer matches the selectors", is: []error{watch.ErrNever},
	},
	"it is created again": {
		objects: []any{cm("a", "1")}, condition: two, change: recreated, lasts: time.Second,
		want: "wait: it can no longer come true: ConfigMap default/a was deleted, or no longer matches the selectors", is: []error{watch.ErrNever},
	},
	"it is created again, with patience": {
		objects: []any{cm("a", "1")}, condition: watch.Patient(two), change: recreated, want: "ADDED a=2", lasts: time.Second,
	},
	"it is created again, found by a relist": {
		objects: []any{cm("a", "1")}, condition: two, change: func(t *testing.T, s *fakeapi.Server) {
			t.Helper()
			recreated(t, s)
			s.Expire()
		},
		faults: []fakeapi.Fault{fakeapi.Cut().After(time.Second/2).On("watch", "configmaps"), fakeapi.Expired().On("watch", "configmaps")}, lasts: -1,
		want: "wait: it can no longer come true: ConfigMap default/a was deleted, or no longer matches the selectors", is: []error{watch.ErrNever},
	},
	"it changes unseen": {
		objects: []any{cm("a", "1")}, condition: two, change: changed, want: "MODIFIED a=2", lasts: -1,
		faults: []fakeapi.Fault{fakeapi.Cut().After(time.Second/2).On("watch", "configmaps"), fakeapi.Expired().On("watch", "configmaps").Nth(2)},
	},
	"it was so before, and is replayed": {
		objects: []any{cm("a", "2")}, condition: two, o: watch.Options{ResourceVersion: "1"}, want: "ADDED a=2 replayed", lasts: -1,
		faults: []fakeapi.Fault{fakeapi.Expired().On("watch", "configmaps")},
	},
	"gone":                 {objects: []any{cm("a", "1")}, condition: watch.Gone[rest.Object], change: removed, want: "DELETED a=1", lasts: time.Second},
	"gone, and back":       {objects: []any{cm("a", "1")}, condition: watch.Gone[rest.Object], change: recreated, want: "DELETED a=1", lasts: time.Second},
	"gone before":          {condition: watch.Gone[rest.Object], want: "SYNCED"},
	"gone, others are not": {objects: []any{cm("b", "1")}, condition: watch.Gone[rest.Object], want: "SYNCED"},
	"gone, found by a relist": {
		objects: []any{cm("a", "1")}, condition: watch.Gone[rest.Object], change: removed, want: "DELETED a inferred", lasts: -1,
		faults: []fakeapi.Fault{fakeapi.Cut().After(time.Second/2).On("watch", "configmaps"), fakeapi.Expired().On("watch", "configmaps")},
	},
	"the condition fails later": {
		objects: []any{cm("a", "1")}, change: changed, lasts: time.Second,
		condition: func(ev watch.Event[rest.Object]) watch.Answer {
			return watch.Answer{Never: map[bool]error{true: errCause}[ev.Type == watch.Modified]}
		},
		want: "wait: it can no longer come true: the program ends", is: []error{watch.ErrNever, errCause},
	},
	"failures do not end it": {
		objects: []any{cm("a", "1")}, condition: two, change: changed, want: "MODIFIED a=2", lasts: -1,
		faults: []fakeapi.Fault{fakeapi.Cut().After(time.Second/2).On("watch", "configmaps"), fakeapi.Refuse(403).On("watch", "configmaps")},
	},
	"the watch gives up": {
		condition: two, o: watch.Options{Backoff: stream.Backoff{MaxRetries: stream.NoRetries}},
		faults: []fakeapi.Fault{fakeapi.Refuse(403).Message(forbidden).On("list", "configmaps")},
		want: "wait: the watch ended first; last seen: WATCHFAILED watch ConfigMap failed, giving up after 0 retries: " +
			"HTTP 403 Forbidden: configmaps is forbidden",
		is: []error{watch.ErrEnded, watch.ErrGaveUp, rest.ErrForbidden},
	},
	"the watch cannot begin": {
		condition: two, o: watch.Options{LabelSelector: "("},
		want: "wait: the watch ended first; last seen: WATCHFAILED watch ConfigMap cannot begin: option LabelSelector: ",
		is:   []error{watch.ErrEnded, rest.ErrInvalidArgument},
	},
	"the reading is over": {
		objects: []any{cm("a", "1")}, condition: two, o: watch.Options{Once: true, Timeout: 30 * time.Second}, lasts: -1,
		want: "wait: the watch ended first; last seen: ConfigMap default/a: data.v has another value", is: []error{watch.ErrEnded},
	},
	"the version expires in a reading": {
		condition: two, o: watch.Options{Once: true, ResourceVersion: "1"},
		faults: []fakeapi.Fault{fakeapi.Expired().On("watch", "configmaps")},
		want:   "wait: the watch ended first; last seen: ERROR watch configmaps default/*: expired (410): ", is: []error{watch.ErrEnded, rest.ErrExpired},
	},
	"the time is up": {
		objects: []any{cm("a", "1")}, condition: two, lasts: time.Minute,
		want: "wait: the program ends; last seen: ConfigMap default/a: data.v has another value", is: []error{errCause, context.DeadlineExceeded},
	},
	"the time is up, and nothing exists": {
		condition: two, lasts: time.Minute, want: "wait: the program ends; last seen: SYNCED at ", is: []error{errCause, context.DeadlineExceeded},
	},
	"the time is up while the watch fails": {
		objects: []any{cm("a", "1")}, condition: two, lasts: time.Minute,
		faults: []fakeapi.Fault{fakeapi.Refuse(403).Message(forbidden).On("watch", "configmaps").Always()},
		want:   "wait: the program ends; last seen: WATCHFAILED watch ConfigMap failed, retrying in 30s: HTTP 403 Forbidden",
		is:     []error{errCause, context.DeadlineExceeded, rest.ErrForbidden},
	},
	"the time is up after the watch has failed": {
		objects: []any{cm("a", "1")}, condition: two, lasts: time.Minute,
		faults: []fakeapi.Fault{fakeapi.Refuse(403).Message(forbidden).On("list", "configmaps")},
		want:   "wait: the program ends; last seen: ConfigMap default/a: data.v has another value", is: []error{errCause},
	},
}

func TestUntil(t *testing.T) {
	for name, tt := range untilRows {
		t.Run(name, func(t *testing.T) {
			bubble(t, fakeapi.Options{Objects: tt.objects}, func(t *testing.T, s *fakeapi.Server) {
				s.Inject(tt.faults...)
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errCause)
				defer cancel()
				if tt.o.PageSize, tt.o.Name = 500, "a"; tt.o.Backoff == (stream.Backoff{}) {
					tt.o.Backoff = exact
				}
				if tt.change != nil {
					time.AfterFunc(time.Second, func() { tt.change(t, s) })
				}
				start := time.Now()
				ev, err := stream.Await(watch.Until(ctx, watch.Events(ctx, configMaps(s), tt.o), tt.condition))
				if got := waited(ev, err); got != tt.want && (err == nil || !strings.HasPrefix(got, tt.want)) {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
				if d := time.Since(start); tt.lasts >= 0 && d != tt.lasts {
					t.Errorf("it lasted %v, want %v", d, tt.lasts)
				}
				tt.matches(t, err)
			})
		})
	}
}

// matches holds the error of a wait against what it is to match.
func (tt *untilRow) matches(t *testing.T, err error) {
	t.Helper()
	if e, ok := errors.AsType[*watch.UntilError](err); (err != nil) != ok || ok && strings.Contains(e.Error(), "\n") {
		t.Errorf("%T, want an UntilError on one line", err)
	}
	for _, is := range tt.is {
		if !errors.Is(err, is) {
			t.Errorf("%v does not match %v", err, is)
		}
	}
	for _, not := range []error{watch.ErrNever, watch.ErrEnded, rest.ErrForbidden} {
		if !slices.Contains(tt.is, not) && errors.Is(err, not) {
			t.Errorf("%v matches %v", err, not)
		}
	}
}

// Until takes no event after the one that it answers with, and none of the answer is lost if nobody
// reads it.
func TestUntilReadsNoFurther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := make(chan watch.Event[rest.Object], 3)
		for range 3 {
			events <- watch.Event[rest.Object]{Type: watch.Synced}
		}
		n := 0
		second := func(watch.Event[rest.Object]) watch.Answer { n++; return watch.Answer{Met: n == 2} }
		answer := watch.Until(t.Context(), events, second)
		synctest.Wait()
		if len(events) != 1 || len(answer) != 1 {
			t.Errorf("%d events and %d answers are left, want one each", len(events), len(answer))
		}
		<-answer
		if _, ok := <-answer; ok {
			t.Error("a second answer")
		}
	})
}

// A deletion counts although the last state does not decode; an object of another kind does not.
func TestDeletionThatDoesNotDecode(t *testing.T) {
	type strict struct {
		Data map[string]int `json:"data"`
	}
	broken := func(raw string, typ watch.Type) watch.Event[strict] {
		key := rest.Key{Kind: "ConfigMap", Namespace: "default", Name: "a"}
		return watch.Event[strict]{
			Type: watch.Error, Key: key, Raw: []byte(raw), Err: &watch.DecodeError{Type: typ, Key: key, Err: errors.New("no")},
		}
	}
	for name, tt := range map[string]struct {
		ev   watch.Event[strict]
		gone bool
	}{
		"deleted":         {broken(`{"data":{"a":"x"}}`, watch.Deleted), true},
		"modified":        {broken(`{"data":{"a":"x"}}`, watch.Modified), false},
		"of another kind": {broken(`{"kind":"Pod"}`, watch.Deleted), false},
	} {
		if a := watch.Gone(tt.ev); a.Met != tt.gone {
			t.Errorf("%s: met is %v", name, a.Met)
		}
		if a := watch.HasCondition[strict]("a", "b")(tt.ev); (a.Never != nil) != tt.gone {
			t.Errorf("%s: %v", name, a.Never)
		}
	}
}

// Synced is Empty if nothing exists of what the watch selects.
func TestEmpty(t *testing.T) {
	for name, tt := range map[string]struct {
		objects []any
		o       watch.Options
		empty   bool
	}{
		"nothing":           {empty: true},
		"one":               {objects: []any{cm("a", "1")}},
		"another name":      {objects: []any{cm("a", "1")}, o: watch.Options{Name: "b"}, empty: true},
		"a filter of names": {objects: []any{cm("a", "1")}, o: watch.Options{Keep: []watch.Filter{watch.Names("b")}}, empty: true},
		"a filter of types": {objects: []any{cm("a", "1")}, o: watch.Options{Keep: []watch.Filter{watch.Types(watch.Deleted)}}},
		"a selector":        {objects: []any{cm("a", "1")}, o: watch.Options{LabelSelector: "app"}, empty: true},
		"known, and gone":   {o: watch.Options{Known: map[rest.Key]watch.Version{{Namespace: "default", Name: "a"}: {}}}, empty: true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, tt.o.PageSize = range []int{0, 500, -1} {
				bubble(t, fakeapi.Options{Objects: tt.objects}, func(t *testing.T, s *fakeapi.Server) {
					for ev := range watch.Events(t.Context(), configMaps(s), tt.o) {
						if ev.Type != watch.Synced {
							continue
						}
						if ev.Empty != tt.empty {
							t.Errorf("pages of %d: empty is %v", tt.o.PageSize, ev.Empty)
						}
						break
					}
				})
			}
		})
	}
}

// What a server or a condition says is shown on one line of bounded length.
func TestUntilErrorIsOneLine(t *testing.T) {
	long := strings.Repeat("a\nb\x1b[31m", 2000)
	object := rest.Object{"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "False", "message": long}}}}
	const most = 4<<10 + len("...")
	for name, condition := range map[string]watch.Condition[rest.Object]{
		"missing": watch.HasCondition[rest.Object]("Ready", "True"),
		"never":   func(watch.Event[rest.Object]) watch.Answer { return watch.Answer{Never: errors.New(long)} },
	} {
		events := make(chan watch.Event[rest.Object], 1)
		events <- watch.Event[rest.Object]{Type: watch.Added, Key: rest.Key{Kind: "Pod", Name: "web"}, Object: &object}
		close(events)
		_, err := stream.Await(watch.Until(t.Context(), events, condition))
		if text := err.Error(); len(text) > most || strings.ContainsAny(text, "\n\x1b") || !strings.Contains(text, "a b") {
			t.Errorf("%s: %d bytes: %.80q", name, len(text), text)
		}
		if e, ok := errors.AsType[*watch.UntilError](err); !ok || len(e.Last) > most || strings.Contains(e.Last, "\n") {
			t.Errorf("%s: Last is %.80q", name, e.Last)
		}
	}
}
