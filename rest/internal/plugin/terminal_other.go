//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package plugin

import "os"

// isTerminal cannot tell on this system: programs are not interactive.
func isTerminal(*os.File) bool { return false }
