package realapi

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

var errLocked = errors.New("locked by another process")

const (
	folderPrefix = "tideway-realapi-"
	folderLock   = "lock"
	folderYoung  = time.Minute
)

// folder is the temporary home of one pair of servers: data, keys and logs.
type folder struct {
	path   string
	unlock func()
}

// newFolder makes a folder, and removes those that a killed process has left.
func newFolder() (*folder, error) {
	sweep(os.TempDir())
	path, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return nil, fmt.Errorf("realapi: folder for the servers: %w", err)
	}
	unlock, err := tryLock(filepath.Join(path, folderLock))
	if errors.Is(err, errLocked) { // there are no locks on this system
		unlock, err = func() {}, nil
	}
	if err != nil {
		os.RemoveAll(path)
		return nil, fmt.Errorf("realapi: folder for the servers: %w", err)
	}
	return &folder{path: path, unlock: unlock}, nil
}

// join gives the path of a file in the folder.
func (f *folder) join(name string) string { return filepath.Join(f.path, name) }

// remove removes the folder with all that is in it.
func (f *folder) remove() error {
	f.unlock()
	return os.RemoveAll(f.path)
}

// sweep removes the folders whose lock nobody holds: the kernel has released it with the process
// that died.
func sweep(tmp string) {
	paths, err := filepath.Glob(filepath.Join(tmp, folderPrefix+"*"))
	if err != nil {
		return
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || time.Since(info.ModTime()) < folderYoung { // it may be made at this moment, not locked yet
			continue
		}
		unlock, err := tryLock(filepath.Join(path, folderLock))
		if err != nil {
			continue
		}
		os.RemoveAll(path)
		unlock()
	}
}
