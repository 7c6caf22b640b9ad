package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/fakeapi/conformance/mergetable"
)

// TestMergeKeys holds the table that strategic merge patches go by against what a server with all its APIs switched on
// says of its types.
func TestMergeKeys(t *testing.T) {
	if conformance.Off() {
		t.Skip("there is nothing to compare fakeapi with")
	}
	t.Parallel()
	want, err := mergetable.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "internal", "patch", "types_table.go"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("go run ./cmd/mergekeys writes it anew (-served +fakeapi):\n%s", diff)
	}
}
