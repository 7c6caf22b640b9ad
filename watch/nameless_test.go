package watch_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// An object that the reader could not tell from others is an Error. Without a version, nobody knows
// what came: a list finds out. In a list it is a failed attempt.
func TestObjectWithoutAName(t *testing.T) {
	long := strings.Repeat("x", 4097)
	for name, c := range map[string]struct{ metadata, want string }{
		"no name":                 {`{"uid":"u","resourceVersion":"11"}`, "ADDED: an object without a name"},
		"a name that is too long": {`{"name":"` + long + `","resourceVersion":"11"}`, "longer than 4096 bytes"},
		"no metadata":             {`null`, "no resource version"},
	} {
		t.Run(name, func(t *testing.T) {
			object := `{"kind":"Pod","apiVersion":"v1","metadata":` + c.metadata + `}`
			synctest.Test(t, func(t *testing.T) {
				s := inTurn(func() *reply { return page("10", "") },
					func() *reply { return streams(`{"type":"ADDED","object":`+object+"}\n", "ADDED a@12", hour) },
					func() *reply { return streams("ADDED a@12", hour) })
				events := watch.Events(t.Context(), s.pods(t), watch.Options{PageSize: 500})
				expect(t, events, "SYNCED")
				ev := <-events
				switch {
				case ev.Object != nil || ev.Err == nil || !strings.Contains(ev.Err.Error(), c.want):
					t.Errorf("got %s, want %s", line(ev), c.want)
				case c.metadata == "null":
					_ = attempt(t, ev)
					expect(t, events, "SYNCED")
				case ev.Type != watch.Error || !errors.Is(ev.Err, rest.ErrAnswer):
					t.Errorf("got %s, want an Error that matches ErrAnswer", line(ev))
				}
				expect(t, events, "ADDED a")
			})
			if c.metadata == "null" {
				return
			}
			synctest.Test(t, func(t *testing.T) {
				items := `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[` + object + `]}`
				s := inTurn(func() *reply { return &reply{pieces: []any{items}} }, func() *reply { return streams(hour) })
				ev := <-watch.Events(t.Context(), s.pods(t), watch.Options{PageSize: 500})
				if e := attempt(t, ev); !errors.Is(e, rest.ErrAnswer) {
					t.Errorf("in a list: %s", line(ev))
				}
			})
		})
	}
}
