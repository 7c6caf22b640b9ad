//go:build unix

package realapi

import (
	"fmt"
	"os/exec"
	"strconv"
	"syscall"
)

const watchdogScript = `read -r line || kill -9 "$1"`

// watchdog starts a shell that kills a process when this program is gone, for systems whose kernel
// cannot.
//
// The shell reads a pipe whose other end only this program has. A line means that the process was
// reaped; the end of the file without one means that this program is gone.
func watchdog(pid int) (release func(), err error) {
	cmd := exec.Command("/bin/sh", "-c", watchdogScript, "sh", strconv.Itoa(pid)) //nolint:noctx // it lives as long as the process
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("watchdog: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("watchdog: %w", err)
	}
	return func() {
		fmt.Fprintln(stdin, "gone")
		_ = cmd.Wait() // it has nothing to say
	}, nil
}
