//go:build unix

package plugin

import (
	"os/exec"
	"syscall"
)

// ownSession puts the program and what it starts into a session of their own, so that all of them
// are killed at once. Nor has that session a terminal: a program that asks there all the same
// fails, where in the background it would be stopped, and never end.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
