package plugin

import (
	"os"
	"syscall"
)

// isTerminal tells whether a file is a console.
func isTerminal(f *os.File) bool {
	var mode uint32
	return syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode) == nil
}
