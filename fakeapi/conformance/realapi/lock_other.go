//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package realapi

import "context"

// lock does nothing where there is no flock: two processes may then build the same binary, and the
// rename still leaves a complete one.
func lock(_ context.Context, _ string, _ func()) (unlock func(), err error) {
	return func() {}, nil
}

// tryLock says that everything is in use, so that no folder is ever swept.
func tryLock(_ string) (unlock func(), err error) {
	return nil, errLocked
}
