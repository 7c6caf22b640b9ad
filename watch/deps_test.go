package watch_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A program that only watches depends on few modules besides this library, and on none of
// Kubernetes.
func TestModules(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	modules := strings.Fields(string(out))
	slices.Sort(modules)
	modules = slices.Compact(modules)
	if len(modules) > 6 || len(modules) < 2 {
		t.Errorf("%d modules, want at most six: %q", len(modules), modules)
	}
	for _, m := range modules {
		if strings.Contains(m, "k8s.io") {
			t.Errorf("the library depends on %s", m)
		}
	}
}

// HTTP is the business of package rest: the state machine does not see it.
func TestNoHTTP(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{join .Imports "\n"}}`, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	imports := strings.Fields(string(out))
	if !slices.Contains(imports, "github.com/tideway-go/tideway/rest") || slices.Contains(imports, "net/http") {
		t.Errorf("package watch imports %q, want rest, and not net/http", imports)
	}
}
