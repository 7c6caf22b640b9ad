package watch_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/watch"
)

// A version that has expired is known by the code or the reason of an ERROR event, whatever else
// the Status holds.
func TestExpiredStatusWithOddMembers(t *testing.T) {
	for _, members := range []string{
		`"code":410,"reason":"Expired","message":"too old"`,
		`"code":410`,
		`"reason":"Gone"`,
		`"code":410,"details":"none"`,
		`"code":410,"details":{"retryAfterSeconds":"1"}`,
		`"code":410,"message":{"text":"too old"}`,
		`"code":410,"metadata":[]`,
		`"code":"410","reason":"Expired"`,
		`"code":410,"reason":7`,
		`"code":410,"details":{"causes":{}}`,
		`"code":410,"details":{"retryAfterSeconds":1e400}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := inTurn(func() *reply { return page("10", "", "a@5") },
				func() *reply {
					return streams(11*time.Second, `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure",`+members+"}}\n")
				},
				func() *reply { return streams(hour) })
			events := watch.Events(t.Context(), s.pods(t), watch.Options{PageSize: 500})
			expect(t, events, "ADDED a", "SYNCED", "SYNCED")
			synctest.Wait()
			got := slices.Collect(func(yield func(string) bool) {
				for _, a := range s.requests() {
					yield(a.verb)
				}
			})
			if d := cmp.Diff([]string{"list", "watch", "list", "watch"}, got); d != "" {
				t.Errorf("%s (-want +got)\n%s", members, d)
			}
		})
	}
}
