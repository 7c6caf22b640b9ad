package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// TestScaleOfREADME checks that the README's program that sends requests and exits does what the
// README says, in twenty lines.
func TestScaleOfREADME(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var source string
	for _, match := range program.FindAllSubmatch(text, -1) {
		if strings.Contains(string(match[1]), "rest.ScaleTo") {
			source = string(match[1])
		}
	}
	_, body, _ := strings.Cut(source, "func main() {\n")
	if n := strings.Count(strings.TrimSuffix(body, "}\n"), "\n"); n == 0 || n > 20 {
		t.Errorf("its main has %d lines", n)
	}
	deployment := func(namespace, name string, replicas int) rest.Object {
		return rest.Object{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": name, "namespace": namespace},
			"spec": map[string]any{
				"replicas": replicas, "selector": map[string]any{"matchLabels": map[string]any{"app": name}},
				"template": map[string]any{
					"metadata": map[string]any{"labels": map[string]any{"app": name}},
					"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}},
				},
			},
		}
	}
	server := fakeapi.New(t, fakeapi.Options{Objects: []any{deployment("default", "web", 1), deployment("kube-system", "dns", 2)}})
	path, err := server.Listen(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "go", "run", file)
	run.Env = append(os.Environ(), "KUBECONFIG="+path)
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if d := cmp.Diff("default web 1\nkube-system dns 2\n", string(out)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	web, err := stream.Await(rest.For[rest.Object](server.Client(), "Deployment").In("default").Get(t.Context(), "web"))
	if err != nil || web.Int("spec", "replicas") != 3 {
		t.Errorf("%v, %v", web, err)
	}
}
