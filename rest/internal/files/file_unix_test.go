//go:build unix

package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest/internal/files"
)

// fifo makes a FIFO. The function opens it for writing, which ends all that read it, and closes it.
func fifo(t *testing.T) (path string, deliver func(content string)) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, func(content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Error(err)
		}
	}
}

func accept([]byte) error { return nil }

// A file that blocks delays nobody for longer than they want, is read by one goroutine at most, and
// serves once it is there.
func TestFIFO(t *testing.T) {
	path, deliver := fifo(t)
	f := files.New(path, limit, accept)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := f.Look(nil, 50*time.Millisecond); !errors.Is(err, files.ErrSlow) || !strings.Contains(err.Error(), path) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	all.Wait()
	done := make(chan struct{})
	close(done)
	if err := f.Look(done, files.Patience); !errors.Is(err, files.ErrSlow) {
		t.Errorf("with a context that has ended: %v", err)
	}
	// Nobody waits for a reading that has taken longer than the patience already.
	<-time.After(60 * time.Millisecond)
	began := time.Now()
	for range 200 {
		if err := f.Look(nil, 50*time.Millisecond); !errors.Is(err, files.ErrSlow) {
			t.Errorf("the error is %v", err)
		}
	}
	if took := time.Since(began); took > 5*time.Second { // half of what 200 waits take
		t.Errorf("they wait for %v", took)
	}
	deliver("one") // to one reader: a second one would take it from the first, or remain
	for content := []byte(nil); string(content) != "one"; content, _ = f.Content() {
		<-time.After(time.Millisecond)
	}
	go deliver("two")
	if err := f.Look(nil, files.Patience); err != nil {
		t.Error(err)
	}
	if content, version := f.Content(); string(content) != "two" || version != 2 {
		t.Errorf("the content is %q, version %d", content, version)
	}
}

// A device without end is refused like a file that is too large.
func TestEndlessDevice(t *testing.T) {
	if _, err := files.Read("/dev/zero", limit, files.Patience); err == nil || err.Error() != "/dev/zero is larger than 1 KiB" {
		t.Errorf("the error is %v", err)
	}
}
