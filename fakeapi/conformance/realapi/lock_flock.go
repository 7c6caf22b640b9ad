//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package realapi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

const lockPoll = 200 * time.Millisecond

// lock takes an exclusive lock on a file; the kernel releases it if the process dies.
//
// If another process holds the lock, lock calls wait once and then tries again until ctx ends.
func lock(ctx context.Context, path string, wait func()) (unlock func(), err error) {
	for first := true; ; first = false {
		unlock, err := tryLock(path)
		if !errors.Is(err, errLocked) {
			return unlock, err
		}
		if first {
			wait()
		}
		timer := time.NewTimer(lockPoll)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

// tryLock takes the lock, or fails with errLocked at once.
func tryLock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return func() { f.Close() }, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = errLocked
	default:
		err = fmt.Errorf("flock %s: %w", path, err)
	}
	f.Close()
	return nil, err
}
