package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// atTerminal replaces the standard input by a terminal with typed text, and the standard error by a
// file whose path it returns.
func atTerminal(t *testing.T, typed string) string {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close() })
	var number, unlock uint32
	for request, value := range map[uintptr]*uint32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err == nil {
		t.Cleanup(func() { _ = terminal.Close() })
		_, err = person.WriteString(typed)
	}
	screen := filepath.Join(t.TempDir(), "screen")
	var shown *os.File
	if err == nil {
		shown, err = os.Create(screen)
	}
	if err != nil {
		t.Fatal(err)
	}
	in, out := os.Stdin, os.Stderr
	t.Cleanup(func() {
		os.Stdin, os.Stderr = in, out
		_ = shown.Close()
	})
	os.Stdin, os.Stderr = terminal, shown
	return screen
}

// An interactive program reads from the terminal, and the user sees its question.
func TestInteractive(t *testing.T) {
	const script = `echo 'your token?' >&2; read -r t; echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'"got $t"'"}}'`
	type seen struct{ Token, Error, Screen string }
	for name, test := range map[string]struct {
		mode  kubeconfig.InteractiveMode
		taken bool
		want  seen
	}{
		"always":              {kubeconfig.InteractiveAlways, false, seen{"got eve", "", "your token?\n"}},
		"if available":        {kubeconfig.InteractiveIfAvailable, false, seen{"got eve", "", "your token?\n"}},
		"if available, taken": {kubeconfig.InteractiveIfAvailable, true, seen{"got", "", ""}},
		"never":               {kubeconfig.InteractiveNever, false, seen{"got", "", ""}},
		"always, taken":       {kubeconfig.InteractiveAlways, true, seen{"", "interactiveMode is Always, but the standard input is in use", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			screen := atTerminal(t, "eve\n")
			x := &kubeconfig.Exec{APIVersion: kubeconfig.ExecV1, Command: "/bin/sh", Args: []string{"-c", script}, Interactive: test.mode, StdinTaken: test.taken}
			c, err := Run(t.Context(), x, &Cluster{}, nil, NewComplaint(x))
			got := seen{Token: c.Token}
			if err != nil {
				got.Error = strings.TrimPrefix(err.Error(), `credential plugin "/bin/sh": `)
			}
			text, err := os.ReadFile(screen)
			if err != nil {
				t.Fatal(err)
			}
			got.Screen = string(text)
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// A program that is not interactive has no terminal: in a background process group it would be
// stopped when it reads, and never end.
func TestOwnSession(t *testing.T) {
	const script = `read -r _ _ _ _ _ session _ < /proc/$$/stat; test "$session" = $$ && echo '{"apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t"}}'`
	x := &kubeconfig.Exec{APIVersion: kubeconfig.ExecV1, Command: "/bin/sh", Args: []string{"-c", script}, Interactive: kubeconfig.InteractiveNever}
	if _, err := Run(t.Context(), x, &Cluster{}, nil, NewComplaint(x)); err != nil {
		t.Error("it is not the first of its session: ", err)
	}
}
