package watch

import (
	"testing"

	"github.com/tideway-go/tideway/rest"
)

// Pages shrink as far as they must and grow again, to what the options say and never past it.
func TestPageSizes(t *testing.T) {
	for _, most := range []int{-1, 1, 7, 500, 1_000_000} {
		p := pageSize{most: most}
		for range 100 {
			p.begin()
			p.done(rest.ErrOverdue)
			if n := p.limit(); n < 1 || most > 0 && n > most {
				t.Fatalf("most %d: a page of %d", most, n)
			}
		}
		if n := p.limit(); n != 1 {
			t.Errorf("most %d: the smallest page is %d", most, n)
		}
		for range 100 {
			p.done(nil)
			if n := p.limit(); n != most && (n < 1 || most > 0 && n > most) {
				t.Fatalf("most %d: a page of %d", most, n)
			}
		}
		if n := p.limit(); n != most {
			t.Errorf("most %d: pages have grown to %d", most, n)
		}
	}
}
