package conformance_test

import (
	"strings"
	"sync"
	"testing"
)

// difference is one that is meant to be: fakeapi does less there, on purpose.
type difference struct {
	row     string // the row, or "" for all
	request string // part of the request, or "" for all
	path    string // part of the path in the flat exchange
	reason  string
}

// differences are all that is allowed; one that no row needs any more fails the test.
var differences = []difference{}

var used = struct {
	sync.Mutex
	by map[int]bool
}{by: map[int]bool{}}

// intended tells whether servers may differ at a path of an exchange.
func intended(rowName, request, path string) bool {
	found := false
	for i, d := range differences {
		if (d.row == "" || d.row == rowName) && strings.Contains(request, d.request) && strings.Contains(path, d.path) {
			used.Lock()
			used.by[i] = true
			used.Unlock()
			found = true
		}
	}
	return found
}

func reportUnused(t *testing.T) {
	used.Lock()
	defer used.Unlock()
	for i, d := range differences {
		if !used.by[i] {
			t.Errorf("nothing differs any more in row %q, request %q, path %q: remove it from the differences", d.row, d.request, d.path)
		}
	}
}
