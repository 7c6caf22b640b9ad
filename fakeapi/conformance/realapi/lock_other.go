//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package realapi

import "context"

// lock does nothing without flock: two processes may build the same binary, but the rename still
// leaves a complete one.
func lock(_ context.Context, _ string, _ func()) (unlock func(), err error) {
	return func() {}, nil
}

// tryLock reports everything as locked, so that no folder is ever swept.
func tryLock(_ string) (unlock func(), err error) {
	return nil, errLocked
}
