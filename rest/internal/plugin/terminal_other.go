//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package plugin

import "os"

// isTerminal is not known here: programs are not interactive.
func isTerminal(*os.File) bool { return false }
