package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/rest/internal/files"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const limit = 1 << 10

// A file may be as large as the limit. What is larger is refused by name, and so is a directory.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		size int
		want string // at the end of the error
	}{
		"empty": {0, ""},
		"full":  {limit, ""},
		"over":  {limit + 1, "over is larger than 1 KiB"},
		"huge":  {64 * limit, "huge is larger than 1 KiB"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.Repeat("x", test.size)), 0o600); err != nil {
			t.Fatal(err)
		}
		content, err := files.Read(path, limit, files.Patience)
		switch {
		case test.want == "" && (err != nil || len(content) != test.size):
			t.Errorf("%s: %d bytes, %v", name, len(content), err)
		case test.want != "" && (err == nil || !strings.HasSuffix(err.Error(), test.want)):
			t.Errorf("%s: the error is %v, want %s", name, err, test.want)
		}
	}
	if _, err := files.Read(dir, limit, files.Patience); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a directory: %v", err)
	}
	if err := files.Stat(filepath.Join(dir, "missing"), files.Patience); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// What is not accepted leaves the content as it was, and so does a file that has not changed.
func TestContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	bad := errors.New("bad")
	f := files.New(path, limit, func(content []byte) error {
		if string(content) == "bad" {
			return bad
		}
		return nil
	})
	for _, step := range []struct {
		write, want string
		version     int
		err         error
	}{{"", "", 1, nil}, {"one", "one", 2, nil}, {"bad", "one", 2, bad}, {"one", "one", 2, nil}, {"two", "two", 3, nil}} {
		if err := os.WriteFile(path, []byte(step.write), 0o600); err != nil {
			t.Fatal(err)
		}
		err := f.Look(nil, files.Patience)
		content, version := f.Content()
		if !errors.Is(err, step.err) || string(content) != step.want || version != step.version {
			t.Errorf("after %q: %q, version %d, %v", step.write, content, version, err)
		}
	}
}
