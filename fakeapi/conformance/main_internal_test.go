//go:build unix

package conformance

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hangEnv makes TestHang hang, in a child process of TestInterrupt.
const hangEnv = "TIDEWAY_CONFORMANCE_HANG"

// TestHang starts the real server, prints its process ids, and waits to be interrupted.
func TestHang(t *testing.T) {
	if os.Getenv(hangEnv) == "" {
		t.Skip("a part of TestInterrupt")
	}
	server, ok := Real(t).(*real)
	if !ok {
		t.Fatal("no real server")
	}
	fmt.Println("pids", server.server.Pids())
	<-t.Context().Done()
}

// TestInterrupt interrupts a run in the middle of a test and checks that nothing is left.
func TestInterrupt(t *testing.T) {
	if Off() {
		t.Skip(realEnv + "=off")
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHang$")
			cmd.Env = append(os.Environ(), hangEnv+"=1")
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var apiServer, etcd int
			lines := bufio.NewScanner(stdout)
			for lines.Scan() {
				if _, err := fmt.Sscanf(strings.TrimSpace(lines.Text()), "pids [%d %d]", &apiServer, &etcd); err == nil {
					break
				}
			}
			if etcd == 0 {
				t.Fatalf("the child did not start its server: %v", errors.Join(lines.Err(), cmd.Wait()))
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err = cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 {
				t.Errorf("the child ended with %v, want exit status 1", err)
			}
			for _, pid := range []int{apiServer, etcd} {
				if !gone(pid) {
					t.Errorf("process %d is still there", pid)
				}
			}
		})
	}
}

// gone waits a moment for a process to end.
func gone(pid int) bool {
	deadline := time.NewTimer(5 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return false
		}
	}
}
