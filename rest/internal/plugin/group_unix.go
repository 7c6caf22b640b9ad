//go:build unix

package plugin

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the program and what it starts into a group of their own, so
// that all of them are killed at once.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
