package watch

import (
	"errors"

	"github.com/tideway-go/tideway/rest"
)

const (
	defaultPage = 500     // the default of Options.PageSize
	largestPage = 100_000 // pages do not grow further: then a list in one piece is tried again
)

// pageSize finds a size of the pages of a list that the server can send in time.
type pageSize struct {
	most int  // Options.PageSize, with -1 for a list in one piece
	now  int  // 0 means most
	got  int  // the items of the page that is read
	idle bool // the page that is read has brought nothing new yet
	odd  bool // the last list did not end: the next one is asked for in one piece

	dropped string // the greatest key so far of the list's objects that filters drop
}

// limit returns the limit of the next list.
func (p *pageSize) limit() int {
	switch {
	case p.odd:
		return -1
	case p.now == 0:
		return p.most
	}
	return p.now
}

// begin starts a page.
func (p *pageSize) begin() { p.got, p.idle = 0, true }

// isNew reports whether a key that filters drop is new in its list. These keys are not remembered;
// but lists are sorted, so a new one is greater than all before.
func (p *pageSize) isNew(key rest.Key) bool {
	k := key.Namespace + "/" + key.Name
	if k <= p.dropped {
		return false
	}
	p.dropped = k
	return true
}

// item counts an item.
func (p *pageSize) item(isNew bool) {
	p.got++
	p.idle = p.idle && !isNew
}

// done learns from how a list ended. A page that was not complete in time is asked for with half of
// what arrived; after a complete list, pages grow again.
func (p *pageSize) done(err error) {
	p.odd = errors.Is(err, rest.ErrEndless) && !p.odd
	switch {
	case err == nil && p.now > 0:
		most := p.most
		if most < 0 {
			most = largestPage
		}
		if p.now *= 2; p.now >= most {
			p.now = 0
		}
	case errors.Is(err, rest.ErrOverdue):
		size := p.limit()
		if size < 0 {
			size = 2 * defaultPage
		}
		if p.got > 0 {
			size = min(size, p.got)
		}
		p.now = max(size/2, 1)
	}
}
