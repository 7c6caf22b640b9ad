package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/fakeapi/conformance/kindtable"
)

// TestKinds holds the table of rest against what a server with all its APIs switched on, and one with none switched on,
// say that they serve.
func TestKinds(t *testing.T) {
	if conformance.Off() {
		t.Skip("there is nothing to compare rest with")
	}
	t.Parallel()
	want, err := kindtable.Generate(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", "rest", "kinds_table.go"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("go run ./cmd/kinds writes it anew (-served +rest):\n%s", diff)
	}
}
