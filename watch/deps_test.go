package watch_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What a program that only watches takes in beside this library: few modules, and none of Kubernetes.
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
