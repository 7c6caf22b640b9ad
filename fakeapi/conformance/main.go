package conformance

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package and then stops the real server, also when the run is
// interrupted. It returns the exit code; goroutines that are left fail the run.
func Main(m *testing.M) int {
	interrupts := make(chan os.Signal, 1) // as package signal asks for
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	over := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		select {
		case s := <-interrupts:
			fmt.Fprintln(os.Stderr, "conformance: stopping after", s)
			if err := stopReal(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			os.Exit(1)
		case <-over:
		}
	}()

	code := m.Run()
	signal.Stop(interrupts)
	close(over)
	<-watching
	if err := stopReal(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}
