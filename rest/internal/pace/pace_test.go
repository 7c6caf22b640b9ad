package pace_test

import (
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/rest/internal/pace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The burst comes at once, then one in each interval; a rest frees the burst again, and no more.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pace.Pace{Burst: 3, Every: 10 * time.Second}
		taken := func() (n int) {
			for p.Take() {
				n++
			}
			return n
		}
		for _, step := range []struct {
			rest time.Duration
			want int
		}{{0, 3}, {9 * time.Second, 0}, {time.Second, 1}, {20 * time.Second, 2}, {time.Hour, 3}} {
			time.Sleep(step.rest)
			if got := taken(); got != step.want {
				t.Errorf("after a rest of %v it may happen %d times, want %d", step.rest, got, step.want)
			}
		}
	})
}
