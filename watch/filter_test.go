package watch_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// sample are events of every type.
func sample() []watch.Event[rest.Object] {
	key := func(name string) rest.Key { return rest.Key{Kind: "Pod", Namespace: "default", Name: name} }
	return []watch.Event[rest.Object]{
		{Type: watch.Added, Key: key("nginx-1")},
		{Type: watch.Added, Key: key("redis")},
		{Type: watch.Modified, Key: key("nginx-1")},
		{Type: watch.Deleted, Key: key("redis")},
		{Type: watch.Deleted, Key: key("my-nginx-2")},
		{Type: watch.Synced},
		{Type: watch.Bookmark},
		{Type: watch.Error},
		{Type: watch.WatchFailed},
		{Type: watch.Ended},
		{Type: watch.AllSynced},
	}
}

const passing = "SYNCED BOOKMARK ERROR WATCHFAILED ENDED ALLSYNCED" // events that no filter of names drops

func TestKeep(t *testing.T) {
	for _, tt := range []struct {
		name    string
		filters []watch.Filter
		want    string
	}{
		{"none", nil, "ADDED/nginx-1 ADDED/redis MODIFIED/nginx-1 DELETED/redis DELETED/my-nginx-2 " + passing},
		{"zero", []watch.Filter{{}}, "ADDED/nginx-1 ADDED/redis MODIFIED/nginx-1 DELETED/redis DELETED/my-nginx-2 " + passing},
		{"exact", []watch.Filter{watch.Names("redis")}, "ADDED/redis DELETED/redis " + passing},
		{"exact is not a prefix", []watch.Filter{watch.Names("nginx")}, passing},
		{"glob", []watch.Filter{watch.Names("nginx-*")}, "ADDED/nginx-1 MODIFIED/nginx-1 " + passing},
		{"question mark", []watch.Filter{watch.Names("redi?")}, "ADDED/redis DELETED/redis " + passing},
		{"any of the patterns", []watch.Filter{watch.Names("nginx-?", "redis")}, "ADDED/nginx-1 ADDED/redis MODIFIED/nginx-1 DELETED/redis " + passing},
		{
			"expressions are searched",
			[]watch.Filter{watch.NamesMatching(regexp.MustCompile("nginx"))},
			"ADDED/nginx-1 MODIFIED/nginx-1 DELETED/my-nginx-2 " + passing,
		},
		{"anchored expression", []watch.Filter{watch.NamesMatching(regexp.MustCompile("^nginx"))}, "ADDED/nginx-1 MODIFIED/nginx-1 " + passing},
		{"types", []watch.Filter{watch.Types(watch.Added)}, "ADDED/nginx-1 ADDED/redis SYNCED WATCHFAILED ENDED ALLSYNCED"},
		{"types and bookmark", []watch.Filter{watch.Types(watch.Deleted, watch.Bookmark)}, "DELETED/redis DELETED/my-nginx-2 SYNCED BOOKMARK WATCHFAILED ENDED ALLSYNCED"},
		{"a list is a conjunction", []watch.Filter{watch.Types(watch.Added, watch.Error), watch.Names("redis")}, "ADDED/redis SYNCED ERROR WATCHFAILED ENDED ALLSYNCED"},
		{
			"or",
			[]watch.Filter{watch.Or(watch.Names("redis"), watch.Types(watch.Modified))},
			"ADDED/redis MODIFIED/nginx-1 DELETED/redis " + passing,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []string
				for ev := range watch.Keep(t.Context(), source(t.Context(), sample()), tt.filters...) {
					got = append(got, strings.TrimSuffix(fmt.Sprintf("%s/%s", ev.Type, ev.Key.Name), "/"))
				}
				if d := cmp.Diff(strings.Fields(tt.want), got); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			})
		})
	}
}

func source[T any](ctx context.Context, values []T) <-chan T {
	out := make(chan T)
	go func() {
		defer close(out)
		for _, v := range values {
			select {
			case out <- v:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func TestFilterErrors(t *testing.T) {
	for want, f := range map[string]watch.Filter{
		`Names needs at least one pattern`:          watch.Names(),
		`Names: the pattern "a[*" is malformed`:     watch.Names("ok", "a[*"),
		`Names: "" is not a valid name or glob`:     watch.Names("a", ""),
		`Names: "default/web" is not a valid name`:  watch.Names("default/web"),
		`NamesMatching needs at least one expre`:    watch.NamesMatching(),
		`NamesMatching needs at least one express`:  watch.NamesMatching(nil),
		`Types needs at least one of ADDED, MODIFI`: watch.Types(),
		`Types: SYNCED passes every filter; use`:    watch.Types(watch.Added, watch.Synced),
		`Types: "added" is not a type; use ADDED,`:  watch.Types("added"),
		`Or needs at least one filter`:              watch.Or(),
		`Names: the pattern "[?" is malformed`:      watch.Or(watch.Names("a"), watch.Names("[?")),
	} {
		t.Run(want, func(t *testing.T) {
			in := make(chan watch.Event[rest.Object])
			var got []watch.Event[rest.Object]
			for ev := range watch.Keep(t.Context(), in, f) {
				got = append(got, ev)
			}
			if len(got) != 1 || got[0].Type != watch.WatchFailed || !strings.Contains(got[0].Err.Error(), want) {
				t.Errorf("got %+v, want one WatchFailed with %q", got, want)
			} else if !errors.Is(got[0].Err, rest.ErrInvalidArgument) {
				t.Errorf("%v does not match ErrInvalidArgument", got[0].Err)
			}
		})
	}
}
