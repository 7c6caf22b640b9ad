package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/fakeapi/conformance/tables"
)

// TestTables compares the generated tables with what a server with all its APIs switched on, and
// one with none switched on, say about themselves.
func TestTables(t *testing.T) {
	if conformance.Off() {
		t.Skip("there is nothing to compare the tables with")
	}
	t.Parallel()
	files, err := tables.Generate(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(f.Path)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(f.Source), string(got)); diff != "" {
			t.Errorf("%s: go generate ./fakeapi writes it again (-served +is):\n%s", f.Path, diff)
		}
	}
}
