package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tideway-go/tideway/fakeapi/conformance"
)

// transcriptsEnv names a folder in which the transcripts of both servers are kept, for people to
// compare.
const transcriptsEnv = "TIDEWAY_TRANSCRIPTS"

var table = slices.Concat(objectRows, writeRows, refusalRows, listRows, eventRows, autoscalerRows, statusRows, customRows, strategicRows, subRows, optionRows, httpRows, watchRows, discoveryRows, historyRows,
	metadataRows, namespaceRows, dataRows, oddRows, rbacRows, escalationRows, impersonationRows, reviewRows)

func TestTable(t *testing.T) {
	if conformance.Off() {
		t.Skip("there is nothing to compare fakeapi with")
	}
	seen := map[string]bool{}
	for _, r := range table {
		if seen[r.name] {
			t.Fatalf("two rows are called %q", r.name)
		}
		seen[r.name] = true
	}
	t.Run("together", func(t *testing.T) {
		for _, r := range table {
			if !r.alone {
				t.Run(r.name, func(t *testing.T) {
					t.Parallel()
					r.compare(t)
				})
			}
		}
	})
	t.Run("alone", func(t *testing.T) {
		for _, r := range table {
			if r.alone {
				t.Run(r.name, r.compare)
			}
		}
	})
}

// tries is how many times a row may run until the servers agree. A few answers of the real server
// depend on time: on the state of its cache, and on whether it had to make a change twice. A real
// difference shows up every time.
const tries = 3

// compare runs the row on both servers and reports the differences.
func (r row) compare(t *testing.T) {
	lines := r.once(t)
	for try := 1; len(lines) > 0 && r.lacks == "" && try < tries; try++ {
		t.Logf("run %d of %d:\n%s", try, tries, strings.Join(lines, "\n"))
		lines = r.once(t)
	}
	switch {
	case len(lines) > 0 && r.lacks != "":
		t.Skipf("%s", r.lacks)
	case r.lacks != "":
		t.Errorf("the servers agree: remove %q from the row", r.lacks)
	case len(lines) > 0:
		t.Error(strings.Join(lines, "\n"))
	}
}

// once runs the row on both servers and returns the differences.
func (r row) once(t *testing.T) []string {
	t.Helper()
	ns := r.namespace()
	servers := r.servers
	if servers == nil {
		servers = func(t *testing.T) (real, fake conformance.Server) { return conformance.Real(t), conformance.Fake(t) }
	}
	realServer, fakeServer := servers(t)
	want, got := r.transcript(t, realServer, ns), r.transcript(t, fakeServer, ns)
	var all []string
	for i := range max(len(want), len(got)) {
		var real, fake exchange
		if i < len(want) {
			real = want[i]
		}
		if i < len(got) {
			fake = got[i]
		}
		if lines := r.differences(real, fake); len(lines) > 0 {
			all = append(all, fmt.Sprintf("step %d, %s:\n%s", i+1, real.Request, strings.Join(lines, "\n")))
		}
	}
	return all
}

// differences returns the differences between two exchanges. For answers with different codes it
// compares only codes and messages.
func (r row) differences(real, fake exchange) []string {
	want, got := real.flat(), fake.flat()
	paths := slices.Sorted(maps.Keys(want))
	for path := range got {
		if _, ok := want[path]; !ok {
			paths = append(paths, path)
		}
	}
	var lines []string
	for _, path := range paths {
		if want[path] == got[path] {
			continue
		}
		if (real.Code != fake.Code || real.Request != fake.Request) && path != "code" && path != "request" && path != "body.message" {
			continue
		}
		lines = append(lines, fmt.Sprintf("\t%s\n\t\tkube-apiserver: %s\n\t\tfakeapi:        %s", path, orNothing(want[path]), orNothing(got[path])))
	}
	return lines
}

// runs counts the runs in this process (go test -count), all of which share the real server.
var runs struct {
	sync.Mutex
	of map[string]int
}

// slug returns the name of the row in a form that Kubernetes accepts.
func (r row) slug() string {
	return "row-" + strings.Trim(notInNames.ReplaceAllString(strings.ToLower(r.name), "-"), "-")
}

// namespace returns a different namespace for each run.
func (r row) namespace() string {
	runs.Lock()
	defer runs.Unlock()
	if runs.of == nil {
		runs.of = map[string]int{}
	}
	runs.of[r.name]++
	return fmt.Sprintf("%s-%d", r.slug(), runs.of[r.name])
}

// transcript runs the row in a new namespace of one server.
func (r row) transcript(t *testing.T, server conformance.Server, ns string) []exchange {
	s := newScript(t, server, ns)
	if a, _ := s.send("POST", "/api/v1/namespaces", namespace(ns, "")); a.code != 201 {
		t.Fatalf("%s: namespace for the row: %d %s", server.Name(), a.code, a.raw)
	}
	r.run(s)
	if r.shown != nil {
		for i := range s.log {
			s.log[i].Body = r.shown(s.log[i].Body)
		}
	}
	log := normalise(s.log, ns)
	if dir := os.Getenv(transcriptsEnv); dir != "" {
		text, err := json.MarshalIndent(log, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, r.slug()+"."+server.Name()+".json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return log
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// flat lists everything in an exchange by path.
func (e exchange) flat() map[string]string {
	out := map[string]string{"request": e.Request}
	flatten("body", e.Body, out)
	flatten("code", e.Code, out)
	for name, value := range e.Header {
		out["header "+name] = value
	}
	return out
}

func orNothing(v string) string {
	if v == "" {
		return "nothing"
	}
	return v
}
