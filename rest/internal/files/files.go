// Package files reads files that may block: a FIFO, a device, a file on a mount that hangs. Nobody
// waits longer than they want to, no lock is held meanwhile, and no more than a limit is read.
package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// The largest files that are read, in bytes.
const (
	MaxToken      = 1 << 20 // no server takes a header as large
	MaxPEM        = 4 << 20 // certificates of an authority, a client certificate, a key
	MaxKubeconfig = 4 << 20
	MaxNamespace  = 4 << 10
)

// Patience is how long those who have no context wait for a file.
const Patience = 30 * time.Second

// ErrSlow means that a file could not be read in time. It is read on, and serves once it is there.
var ErrSlow = errors.New("it cannot be read in time")

// File is a file that is read more than once, and the content that was read last. It is safe for
// concurrent use.
//
// However many want to read it, it is read once at a time: at most one goroutine is stuck in a file
// that blocks, and ends when the read does.
type File struct {
	path   string
	limit  int64
	accept func([]byte) error

	mu      sync.Mutex
	content []byte   // the last that was accepted
	version int      // counts the contents
	reading *reading // nil: nobody reads
}

// reading is one reading of the file.
type reading struct {
	began time.Time
	done  chan struct{} // closed once err is set
	err   error
}

// New returns a file of at most limit bytes, which is not read yet. accept refuses contents that
// cannot be used; the one before stays.
func New(path string, limit int64, accept func([]byte) error) *File {
	return &File{path: path, limit: limit, accept: accept}
}

// Read reads a file once, and waits no longer than patience.
func Read(path string, limit int64, patience time.Duration) ([]byte, error) {
	f := New(path, limit, func([]byte) error { return nil })
	if err := f.Look(nil, patience); err != nil {
		return nil, err
	}
	content, _ := f.Content()
	return content, nil
}

// Stat is like [os.Stat], and waits no longer than patience.
func Stat(path string, patience time.Duration) error {
	done := make(chan error, 1) // so that a late result waits for nobody
	go func() {
		_, err := os.Stat(path)
		done <- err
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return fmt.Errorf("%s: %w", path, ErrSlow)
	}
}

// Content returns what was read last, nil if there is nothing yet, and a number that changes with
// it.
func (f *File) Content() (content []byte, version int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.content, f.version
}

// Look reads the file again, and waits until it was read or done is closed, but no longer than
// patience. A reading that has taken longer than that already is not waited for. The error says why
// the content is the old one.
func (f *File) Look(done <-chan struct{}, patience time.Duration) error {
	return f.Start()(done, patience)
}

// Start begins what Look does; the function that it returns waits. So several files are read at the
// same time.
func (f *File) Start() (wait func(done <-chan struct{}, patience time.Duration) error) {
	r, mine := f.read()
	return func(done <-chan struct{}, patience time.Duration) error {
		if !mine && r.wait(done, patience) {
			r, _ = f.read() // that one may have begun before the file changed
		}
		if !r.wait(done, patience) {
			return fmt.Errorf("%s: %w", f.path, ErrSlow)
		}
		return r.err
	}
}

// read begins to read the file, unless somebody does already.
func (f *File) read() (r *reading, began bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reading != nil {
		return f.reading, false
	}
	r = &reading{began: time.Now(), done: make(chan struct{})}
	f.reading = r
	go f.finish(r)
	return r, true
}

// finish reads the file and keeps its content.
func (f *File) finish(r *reading) {
	content, err := readAll(f.path, f.limit)
	if err == nil {
		err = f.accept(content)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	defer close(r.done)
	f.reading = nil
	if r.err = err; err == nil && (f.version == 0 || string(content) != string(f.content)) {
		f.content = content
		f.version++
	}
}

// wait waits for the end of a reading, and reports whether it came.
func (r *reading) wait(done <-chan struct{}, patience time.Duration) bool {
	timer := time.NewTimer(patience - time.Since(r.began))
	defer timer.Stop()
	select {
	case <-r.done:
		return true
	default:
	}
	select {
	case <-r.done:
		return true
	case <-done:
	case <-timer.C:
	}
	return false
}

// readAll reads a file unless it is larger than limit.
func readAll(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > limit {
		return nil, tooLarge(path, limit)
	}
	content, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) == limit {
		if n, _ := f.Read(make([]byte, 1)); n > 0 {
			return nil, tooLarge(path, limit)
		}
	}
	return content, nil
}

func tooLarge(path string, limit int64) error {
	const kib, mib = 1 << 10, 1 << 20
	if limit%mib == 0 {
		return fmt.Errorf("%s is larger than %d MiB", path, limit/mib)
	}
	return fmt.Errorf("%s is larger than %d KiB", path, limit/kib)
}
