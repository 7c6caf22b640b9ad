package realapi

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const tailBytes = 6 << 10

// process is a server that has been started; a goroutine reaps it.
type process struct {
	name string
	log  string
	cmd  *exec.Cmd
	done chan struct{} // closed once the process is gone and reaped
	err  error         // how it ended; for those who have seen done
}

// startProcess starts a program that does not outlive this one; its output is appended to a file.
func startProcess(ctx context.Context, bin string, args []string, log string) (*process, error) {
	out, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("realapi: log file: %w", err)
	}
	defer out.Close()
	// The end of ctx must not kill: Stop ends the servers, in order.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), bin, args...)
	cmd.Stdout, cmd.Stderr = out, out
	p := &process{name: filepath.Base(bin), log: log, cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1) // buffered: the one value is always taken, but never waited for
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("realapi: start %s: %w", p.name, err)
	}
	return p, nil
}

// run starts the process and waits for it on one thread that ends after the process: the kernel's
// parent death signal is sent when the thread that forked dies, not when the whole program does.
func (p *process) run(started chan<- error) {
	defer close(p.done)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	release, err := p.startGuarded()
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	release()
}

// stop asks the process to end, and kills it if it has not after a while. It returns when the
// process is gone.
func (p *process) stop(grace time.Duration) {
	err := p.cmd.Process.Signal(terminate)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	if err == nil { // else it is gone, or the system has no such signal
		select {
		case <-p.done:
			return
		case <-timer.C:
		}
	}
	_ = p.cmd.Process.Kill() // it fails only if the process is gone
	<-p.done
}

// tail gives the last lines that the process wrote, for an error.
func (p *process) tail() string {
	data, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	if cut := len(data) - tailBytes; cut > 0 {
		data = data[cut:]
		if _, rest, ok := strings.Cut(string(data), "\n"); ok {
			data = []byte(rest)
		}
	}
	return fmt.Sprintf("last lines of %s:\n%s", p.name, data)
}
