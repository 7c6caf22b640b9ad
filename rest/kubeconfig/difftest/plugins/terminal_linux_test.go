package plugins

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest/kubeconfig/difftest/plugins/play"
)

// atTerminal names the variable that says what the test binary does when it is started at a
// terminal: a side, a URL and a kubeconfig.
const atTerminal = "PLUGINS_AT_TERMINAL"

// openTerminal opens a terminal at which somebody types, and returns the program's end of it.
func openTerminal(t *testing.T, typed string) *os.File {
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
	file, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err == nil {
		t.Cleanup(func() { _ = file.Close() })
		_, err = person.WriteString(typed)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// typing returns a standard input that is a terminal.
func typing(typed string) func(*testing.T) *os.File {
	return func(t *testing.T) *os.File {
		t.Helper()
		return openTerminal(t, typed)
	}
}

// holding returns a standard input that is not a terminal and contains a text.
func holding(text string) func(*testing.T) *os.File {
	return func(t *testing.T) *os.File {
		t.Helper()
		path := filepath.Join(t.TempDir(), "input")
		err := os.WriteFile(path, []byte(text), 0o600)
		var f *os.File
		if err == nil {
			f, err = os.Open(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
}

// interactive returns rows with standard inputs of all kinds.
func interactive() map[string]row {
	reads := func(m string, input func(*testing.T) *os.File) row {
		r := mode(m)
		r.acts, r.input, r.words = []play.Act{{Reads: true, Complain: "your name: ", Print: token("t")}}, input, []string{"your name"}
		return r
	}
	// The user has to see the question.
	hidden := func(r row) row { return r.differ("", whyStderr, "Complain") }
	failing := reads("Always", typing("eve\n"))
	failing.acts = []play.Act{{Reads: true, Complain: "your name: ", Code: 1}}
	beta := reads("", typing("eve\n"))
	beta.acts[0].Print = versioned(v1beta1, `{"token":"t"}`)
	many := reads("Always", typing("eve\n"))
	many.send, many.want = []string{"50 times get"}, "50x200, 1 run"
	return map[string]row{
		"never, at a terminal":               hidden(reads("Never", typing("eve\n"))),
		"if available, at a terminal":        reads("IfAvailable", typing("eve\n")),
		"if available, at a terminal, taken": hidden(reads("IfAvailable", typing("eve\n")).took()),
		"always, at a terminal":              reads("Always", typing("eve\n")),
		"always, at a terminal, taken":       reads("Always", typing("eve\n")).took().expect("error, 0 runs"),
		"by default, at a terminal":          beta.beta().with("interactiveMode", nil),
		"fails, at a terminal":               failing.expect("error, 1 run").differ("", whyStderr, "Words"),
		"many, at a terminal":                many,
		"nobody types":                       mode("Always").typed(typing("")),
		"if available, from a file":          hidden(reads("IfAvailable", holding("eve\n"))),
		"never, from a file":                 hidden(reads("Never", holding("eve\n"))),
		"always, from a file":                reads("Always", holding("eve\n")).expect("error, 0 runs"),
	}
}

// typed sets the standard input.
func (r row) typed(input func(*testing.T) *os.File) row {
	r.input = input
	return r
}

func TestInteractive(t *testing.T) { checkAll(t, interactive()) }

// The context ends while a plugin waits for an answer at the terminal.
func TestTheContextEndsAtATerminal(t *testing.T) {
	h := hangs()
	h.row = mode("Always").typed(typing(""))
	h.check(t)
}

// sitting is the outcome of a process at its own terminal, and of its plugin, which asks there.
type sitting struct {
	Answer, Asked string
}

// Plugins ask at the terminal of the session, as programs that need a password do.
func TestTheTerminalOfTheSession(t *testing.T) {
	for name, test := range map[string]struct {
		mode          string
		theirs, wants sitting
		why           string
	}{
		"may ask":     {"IfAvailable", sitting{"200", "hunter2\n"}, sitting{"200", "hunter2\n"}, ""},
		"may not ask": {"Never", sitting{"200", "hunter2\n"}, sitting{"200", "there is no terminal"}, whyTerminal},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDoor(t, true, true)
			dir := t.TempDir()
			r := mode(test.mode)
			r.acts = []play.Act{{Asks: true, Print: token("t")}}
			path := r.write(t, d, dir)
			got := []sitting{sit(t, "theirs", d.URL, dir, path), sit(t, "ours", d.URL, dir, path)}
			if d := cmp.Diff([]sitting{test.theirs, test.wants}, got); d != "" {
				t.Errorf("client-go and Tideway (-want +got):\n%s", d)
			}
			if test.why != "" {
				documented(t, []string{"Asked"}, test.why)
			}
		})
	}
}

// sit starts the test binary at a terminal.
func sit(t *testing.T, side, url, dir, path string) sitting {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), atTerminal+"="+strings.Join([]string{side, url, path}, "|"))
	cmd.Stdin = openTerminal(t, "hunter2\n")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s at a terminal: %v", side, err)
	}
	s := sitting{Answer: string(out)}
	for _, r := range runs(t, dir) {
		s.Asked += r.Asked
	}
	return s
}

// runAtTerminal is what the test binary does at a terminal: it sends one request and prints the
// answer.
func runAtTerminal(what string) int {
	parts := strings.SplitN(what, "|", 3)
	open := ours
	if parts[0] == "theirs" {
		open = theirs
	}
	rt, _, err := open(parts[2], false)
	if err != nil {
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), most/2)
	defer cancel()
	answer, err := send(ctx, rt, parts[1], "get")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	_, _ = os.Stdout.WriteString(answer)
	return 0
}
