package conformance_test

import (
	"regexp"
	"strings"
	"sync"
	"testing"
)

// difference is an intended difference: something that fakeapi leaves out on purpose.
type difference struct {
	row     string // the row, or "" for all
	request string // part of the request, or "" for all
	path    string // expression for the path in the flat exchange
	reason  string
}

// differences lists all differences that are allowed; one that no row needs any more fails the
// test.
var differences = []difference{
}

var used = struct {
	sync.Mutex
	by map[int]bool
}{by: map[int]bool{}}

// intended reports whether the servers may differ at a path of an exchange.
func intended(rowName, request, path string) bool {
	found := false
	for i, d := range differences {
		if (d.row == "" || d.row == rowName) && strings.Contains(request, d.request) && regexp.MustCompile(d.path).MatchString(path) {
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
