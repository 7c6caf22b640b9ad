package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/fakeapi/conformance/mergetable"
)

// TestMergeKeys compares the table for strategic merge patches with the types of a server that has
// all its APIs switched on.
func TestMergeKeys(t *testing.T) {
	if conformance.Off() {
		t.Skip("there is nothing to compare fakeapi with")
	}
	t.Parallel()
	want, err := mergetable.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "mergekeys.go"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the table is out of date; go run ./cmd/mergekeys rewrites it (-served +fakeapi):\n%s", diff)
	}
}
