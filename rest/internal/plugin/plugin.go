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

	"github.com/tideway-go/tideway/internal/line"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

const (
	maxOutput = 1 << 20  // bytes of the standard output
	maxStderr = 16 << 10 // bytes of the standard error that are kept; an error shows fewer
	waitDelay = 2 * time.Second
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
// has ended; when ctx ends, the program is killed. The error shows neither the program's standard
// output, nor its arguments, nor its environment, and its standard error without secrets.
func Run(ctx context.Context, x *kubeconfig.Exec, cluster *Cluster, allow Allow) (Credential, error) {
	c, err := run(ctx, x, cluster, allow)
	if err != nil {
		return Credential{}, line.Errorf("credential plugin %q: %w", x.Command, err)
	}
	return c, nil
}

func run(ctx context.Context, x *kubeconfig.Exec, cluster *Cluster, allow Allow) (Credential, error) {
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
	stdout, stderr := &bounded{most: maxOutput, strict: true}, &bounded{most: maxStderr}
	cmd := exec.CommandContext(ctx, path, x.Args...)
	cmd.Args[0] = x.Command
	cmd.Env = os.Environ()
	for _, v := range x.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+string(v.Value))
	}
	cmd.Env = append(cmd.Env, "KUBERNETES_EXEC_INFO="+string(info))
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = waitDelay // processes that it started may hold the pipes open
	if interactive {
		// The user has to see the question.
		cmd.Stdin, cmd.Stderr = os.Stdin, &tee{stderr, os.Stderr}
	} else {
		ownSession(cmd)
	}
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return Credential{}, fmt.Errorf("it was killed: %w", context.Cause(ctx))
	case stdout.over:
		return Credential{}, fmt.Errorf("it printed more than %d bytes", maxOutput)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return Credential{}, failed(x, err, stderr)
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

// bounded keeps the beginning of what is written to it. A strict one makes a program that writes
// more fail.
type bounded struct {
	buf    bytes.Buffer
	most   int
	strict bool
	over   bool
}

var errTooMuch = errors.New("too much output")

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.most-b.buf.Len())
	b.buf.Write(p[:n])
	if n < len(p) {
		b.over = true
		if b.strict {
			return n, errTooMuch
		}
	}
	return len(p), nil
}

// tee writes to both; an error of the terminal is ignored.
type tee struct {
	kept     *bounded
	terminal *os.File
}

// Write implements [io.Writer].
func (t *tee) Write(p []byte) (int, error) {
	_, _ = t.terminal.Write(p)
	return t.kept.Write(p)
}
