//go:build unix

package plugin

import (
	"os/exec"
	"syscall"
)

// ownSession runs the program, and everything it starts, in a session of its own, so that all of it
// is killed at once. The session has no terminal: a program that tries to ask there anyway fails.
// In a background process group of ours it would be stopped and never end.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
