package rest_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// replies are answers of a handler as those of a transport.
func replies(answers ...answer) []reply {
	out := make([]reply, 0, len(answers))
	for _, a := range answers {
		out = append(out, says(a.code, a.body))
	}
	return out
}

// everyPage lets a raw list read all pages.
func everyPage(bool) error { return nil }

// rawList lists, and records "begin" and the names of the items in order.
func rawList(t *testing.T, e rest.Endpoint, o rest.ListOptions) (rest.ListMeta, []string, error) {
	t.Helper()
	var got []string
	meta, err := e.List(t.Context(), o, func(first bool) error {
		if first {
			got = append(got, "begin")
		}
		return nil
	}, func(it rest.Item) error {
		got = append(got, it.Key.Name)
		return nil
	})
	return meta, got, err
}

func TestRawListItems(t *testing.T) {
	e, _ := podsAt(t, rest.CallOptions{}, says(http.StatusOK, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[`+
		`{"metadata":{"name":"web","namespace":"default","uid":"u1","resourceVersion":"7"},"spec":{}}]}`))
	var got []rest.Item
	meta, err := e.List(t.Context(), rest.ListOptions{}, everyPage, func(it rest.Item) error {
		it.JSON = it.JSON.Clone()
		got = append(got, it)
		return nil
	})
	want := []rest.Item{{
		Key: rest.Key{Kind: "Pod", Namespace: "default", Name: "web"}, UID: "u1", ResourceVersion: "7",
		JSON: []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default","uid":"u1","resourceVersion":"7"},"spec":{}}`),
	}}
	if d := cmp.Diff(want, got); d != "" || err != nil || meta.ResourceVersion != "9" {
		t.Errorf("%v, at %q (-want +got)\n%s", err, meta.ResourceVersion, d)
	}
}

// A list that expires between two pages begins again, once, and is then asked for in one piece.
func TestRawListExpires(t *testing.T) {
	first := page("1", "T1", "a", "b")
	for name, tt := range map[string]struct {
		answers []answer
		got     []string
		asked   []string
		expired bool
	}{
		"between two pages": {
			answers: []answer{first, expired(), page("9", "", "b", "c")},
			got:     []string{"begin", "a", "b", "begin", "b", "c"},
			asked:   []string{"GET pods?limit=2", "GET pods?continue=T1&limit=2", "GET pods"},
		},
		"twice": {
			answers: []answer{first, expired(), page("9", "T2", "b"), expired()},
			got:     []string{"begin", "a", "b", "begin", "b"},
			asked:   []string{"GET pods?limit=2", "GET pods?continue=T1&limit=2", "GET pods", "GET pods?continue=T2"},
			expired: true,
		},
		"at the first page": {
			answers: []answer{expired()},
			got:     []string{"begin"},
			asked:   []string{"GET pods?limit=2"},
			expired: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, w := podsAt(t, rest.CallOptions{}, replies(tt.answers...)...)
			meta, got, err := rawList(t, e, rest.ListOptions{Limit: 2})
			if errors.Is(err, rest.ErrExpired) != tt.expired || (err == nil) == tt.expired || (err == nil && meta.ResourceVersion != "9") {
				t.Errorf("it ended with %v, at %q", err, meta.ResourceVersion)
			}
			if d := cmp.Diff(tt.got, got); d != "" {
				t.Errorf("what was called (-want +got)\n%s", d)
			}
			if d := cmp.Diff(tt.asked, w.arrived()); d != "" {
				t.Errorf("what was asked (-want +got)\n%s", d)
			}
		})
	}
}

func TestRawListEndsWithTheErrorOfTake(t *testing.T) {
	e, w := podsAt(t, rest.CallOptions{}, replies(page("1", "T1", "a", "b"), page("1", "", "c"))...)
	stop := errors.New("stop")
	var got []string
	_, err := e.List(t.Context(), rest.ListOptions{Limit: 2}, everyPage, func(it rest.Item) error {
		got = append(got, it.Key.Name)
		return stop
	})
	if err != stop { //nolint:errorlint // the bare one
		t.Errorf("it ended with %v, want the error itself", err)
	}
	if d := cmp.Diff([]string{"a"}, got); d != "" || len(w.arrived()) != 1 {
		t.Errorf("%d requests (-want +got)\n%s", len(w.arrived()), d)
	}
}

// The server has 65 seconds for each page. The time that take needs is not the server's.
func TestRawListOverdue(t *testing.T) {
	const (
		head = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[`
		a, b = `{"metadata":{"name":"a"}}`, `,{"metadata":{"name":"b"}}`
		tail = `]}`
	)
	for name, tt := range map[string]struct {
		answers []reply
		take    time.Duration
		lasts   time.Duration
		overdue bool
	}{
		"no header":          {[]reply{silent}, 0, 65 * time.Second, true},
		"an endless page":    {[]reply{paced(head+a, forever)}, 0, 65 * time.Second, true},
		"a slow page":        {[]reply{paced(head+a, 40*time.Second, b, 40*time.Second, tail)}, 0, 65 * time.Second, true},
		"just in time":       {[]reply{paced(head+a, 40*time.Second, b, 24*time.Second, tail)}, 0, 64 * time.Second, false},
		"two slow pages":     {[]reply{paced(time.Minute, page("1", "T1", "a").body), paced(time.Minute, head+tail)}, 0, 2 * time.Minute, false},
		"a slow reader":      {[]reply{paced(head+a, 40*time.Second, b, 24*time.Second, tail)}, time.Hour, 2*time.Hour + 64*time.Second, false},
		"both of them":       {[]reply{paced(head+a, 40*time.Second, b, 40*time.Second, tail)}, time.Hour, 2*time.Hour + 65*time.Second, true},
		"a reader past time": {[]reply{paced(head+a, forever)}, time.Hour, time.Hour + 65*time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, _ := podsAt(t, rest.CallOptions{}, tt.answers...)
				start := time.Now()
				_, err := e.List(t.Context(), rest.ListOptions{}, everyPage, func(rest.Item) error {
					time.Sleep(tt.take)
					return nil
				})
				if (tt.overdue && err != rest.ErrOverdue) || (!tt.overdue && err != nil) { //nolint:errorlint // the bare one
					t.Errorf("it ended with %v, overdue: %v", err, tt.overdue)
				}
				if d := time.Since(start); d != tt.lasts {
					t.Errorf("it took %v, want %v", d, tt.lasts)
				}
			})
		})
	}
}

// A stream has its own way to try again, so that a list is not sent again whatever the handle says.
func TestRawListIsNotRetried(t *testing.T) {
	for name, first := range map[string]reply{
		"refused":       saysNo(http.StatusServiceUnavailable, "ServiceUnavailable", "Retry-After: 1"),
		"no connection": breaks,
		"breaks off":    breaksOff(`{"kind":"PodList","items":[{"metadata":{"name":"a"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, w := podsAt(t, rest.CallOptions{Retry: stream.Backoff{MaxRetries: 3}}, first, says(http.StatusOK, `{"items":[]}`))
				_, _, err := rawList(t, e, rest.ListOptions{})
				if name == "refused" {
					if refused, ok := errors.AsType[*rest.StatusError](err); !ok || refused.Op != "list" || refused.Resource != "pods" {
						t.Errorf("it ended with %v, want a refusal", err)
					}
				} else if err != errBroken { //nolint:errorlint // the bare one
					t.Errorf("it ended with %v, want the bare cause", err)
				}
				if n := len(w.arrived()); n != 1 {
					t.Errorf("%d requests arrived, want one", n)
				}
			})
		})
	}
}
