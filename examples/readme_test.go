// Package examples_test checks that the programs in the README and the docs compile and that their
// tests pass.
package examples_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

var program = regexp.MustCompile("(?s)```go\n(package main\n.*?)```")

func TestPrograms(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range program.FindAllSubmatch(text, -1) {
			n++
			file, verb := filepath.Join(t.TempDir(), "main.go"), "vet"
			if bytes.Contains(match[1], []byte("func Test")) {
				file, verb = filepath.Join(t.TempDir(), "main_test.go"), "test"
			}
			if err := os.WriteFile(file, match[1], 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), "go", verb, file).CombinedOutput(); err != nil {
				t.Errorf("%s: a program fails: %v\n%s", page, err, out)
			}
		}
	}
	if n < 2 {
		t.Errorf("%d programs were found, want those of the README and of the docs", n)
	}
}
