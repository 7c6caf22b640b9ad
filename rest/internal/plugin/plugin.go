// Package plugin runs programs that print credentials.
package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

const (
	maxOutput = 1 << 20  // bytes of the standard output
	maxStderr = 16 << 10 // bytes of the standard error that are kept; an error shows fewer
	waitDelay = 2 * time.Second

	// patience is how long a program may run that does not ask a person at a terminal. It may still
	// wait for one, in a browser.
	patience = 5 * time.Minute
)

// Credential is the credential that a program printed.
type Credential struct {
	Token     string
	Cert, Key []byte // in PEM, both or neither
	// Expires is zero if the program did not set it.
	Expires time.Time
}

// Allow decides whether the program at path may run.
type Allow func(path string) error

// Run runs the program of x and returns the credential that it prints. It blocks until the program
// has ended. When ctx ends, the program is killed; so is one that takes more than five minutes,
// unless it may ask a person at the terminal. says receives the program's standard error. The error
// shows neither the program's standard output, nor its arguments, nor its environment, and its
// standard error without secrets.
func Run(ctx context.Context, x *kubeconfig.Exec, cluster *Cluster, allow Allow, says *Complaint) (Credential, error) {
	c, err := run(ctx, x, cluster, allow, says, patience)
	if err != nil {
		return Credential{}, line.Errorf("credential plugin %q: %w", x.Command, err)
	}
	return c, nil
}

// slowError is the cause of the end of a program that has taken too long.
type slowError time.Duration

func (e slowError) Error() string { return fmt.Sprintf("it has not ended within %v", time.Duration(e)) }

func run(ctx context.Context, x *kubeconfig.Exec, cluster *Cluster, allow Allow, says *Complaint, most time.Duration) (Credential, error) {
	interactive, err := isInteractive(x)
	if err != nil {
		return Credential{}, err
	}
	info, err := encodeInfo(x, cluster, interactive)
	if err != nil {
		return Credential{}, err
	}
	path, err := exec.LookPath(x.Command)
	if err != nil {
		return Credential{}, missing(x, err)
	}
	if allow != nil {
		if err := allow(path); err != nil {
			return Credential{}, fmt.Errorf("%s may not run: %w", path, err)
		}
	}
	if !interactive {
		limited, cancel := context.WithTimeoutCause(ctx, most, slowError(most))
		defer cancel()
		ctx = limited
	}
	stdout := &bounded{most: maxOutput}
	cmd := exec.CommandContext(ctx, path, x.Args...)
	cmd.Args[0] = x.Command
	cmd.Env = os.Environ()
	for _, v := range x.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+string(v.Value))
	}
	cmd.Env = append(cmd.Env, "KUBERNETES_EXEC_INFO="+string(info))
	cmd.Stdout, cmd.Stderr = stdout, says
	cmd.WaitDelay = waitDelay // processes that it started may hold the pipes open
	if interactive {
		// The user has to see the question.
		cmd.Stdin, cmd.Stderr = os.Stdin, &tee{says, os.Stderr}
	} else {
		ownSession(cmd)
	}
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return Credential{}, says.Explain(context.Cause(ctx))
	case stdout.over:
		return Credential{}, fmt.Errorf("it printed more than %d bytes", maxOutput)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return Credential{}, says.Explain(err)
	}
	return parse(stdout.buf.Bytes(), x)
}

// isInteractive reports whether the program may ask the user.
func isInteractive(x *kubeconfig.Exec) (bool, error) {
	terminal := isTerminal(os.Stdin)
	switch mode := x.Mode(); {
	case mode == kubeconfig.InteractiveNever:
		return false, nil
	case mode == kubeconfig.InteractiveIfAvailable:
		return terminal && !x.StdinTaken, nil
	case x.StdinTaken:
		return false, errors.New("interactiveMode is Always, but the standard input is in use")
	case !terminal:
		return false, errors.New("interactiveMode is Always, but the standard input is not a terminal")
	}
	return true, nil
}

// bounded keeps what is written to it, and makes a program that writes more fail.
type bounded struct {
	buf  bytes.Buffer
	most int
	over bool
}

var errTooMuch = errors.New("too much output")

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.most-b.buf.Len())
	b.buf.Write(p[:n])
	if n < len(p) {
		b.over = true
		return n, errTooMuch
	}
	return len(p), nil
}

// tee writes to both; an error of the terminal is ignored.
type tee struct {
	kept     *Complaint
	terminal *os.File
}

// Write implements [io.Writer].
func (t *tee) Write(p []byte) (int, error) {
	_, _ = t.terminal.Write(p)
	return t.kept.Write(p)
}
