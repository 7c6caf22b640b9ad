package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/fakeapi/conformance/kindtable"
)

// TestKinds compares the table of rest with what two servers say that they serve: one with all its
// APIs switched on, and one with the defaults.
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
		t.Errorf("the table is out of date; go run ./cmd/kinds rewrites it (-served +rest):\n%s", diff)
	}
}
