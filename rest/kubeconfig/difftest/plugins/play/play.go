// Package play is a credential plugin that does what a test asks for and notes what it received.
package play

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

// Folder names the variable that holds the folder of the test.
const Folder = "PLUGIN_FOLDER"

// gateOfChild names the variable that holds the gate for a process that the plugin leaves behind.
const gateOfChild = "PLUGIN_CHILD"

// Act is what one run does, in this order.
type Act struct {
	Gate     string // the address at which the test listens
	Child    bool   // leaves a process behind that waits at the gate and holds the standard output open
	Wait     bool   // waits at the gate until the test lets it continue
	Reads    bool   // reads a line from the standard input
	Asks     bool   // asks at the terminal itself, not on the standard input
	Complain string // goes to the standard error
	Print    string // goes to the standard output
	Pad      int    // number of spaces after that
	Kill     bool   // kills itself
	Code     int    // exit code
}

// Note is what one run received.
type Note struct {
	Args     []string
	Info     string
	Env      []string // variables whose names begin with OWN
	Terminal bool     // the standard input is a terminal
	Line     string   // read from the standard input
	Asked    string   // the result of asking at the terminal
}

// Write writes what each run does, in order; runs after the last act repeat it.
func Write(dir string, acts []Act) error {
	raw, err := json.Marshal(acts)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "acts"), raw, 0o600)
}

// Take returns the notes of all runs, in order, and removes them.
func Take(dir string) ([]Note, error) {
	var notes []Note
	for n := 1; ; n++ {
		path := note(dir, n)
		raw, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return notes, nil
		}
		var one Note
		if err == nil && len(raw) > 0 { // empty: the run was killed before it wrote
			err = json.Unmarshal(raw, &one)
		}
		if err == nil {
			err = os.Remove(path)
		}
		if err != nil {
			return notes, err
		}
		notes = append(notes, one)
	}
}

func note(dir string, n int) string { return filepath.Join(dir, "run-"+strconv.Itoa(n)) }

// Run is the program. It returns the exit code.
func Run() int {
	if gate := os.Getenv(gateOfChild); gate != "" {
		return wait(gate, "child")
	}
	dir := os.Getenv(Folder)
	if dir == "" {
		return broken
	}
	n := 1
	file, err := os.OpenFile(note(dir, n), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	for errors.Is(err, fs.ErrExist) {
		n++
		file, err = os.OpenFile(note(dir, n), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return broken
	}
	var acts []Act
	raw, err := os.ReadFile(filepath.Join(dir, "acts"))
	if err != nil || json.Unmarshal(raw, &acts) != nil || len(acts) == 0 {
		return broken
	}
	return acts[min(n, len(acts))-1].do(file)
}

// broken is the exit code of a program that cannot do what the test asks for.
const broken = 99

// do performs the act. It notes everything before it does anything that may block.
func (a *Act) do(file *os.File) int {
	own := Note{Args: os.Args, Info: os.Getenv("KUBERNETES_EXEC_INFO"), Terminal: term.IsTerminal(int(os.Stdin.Fd()))}
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "OWN") {
			own.Env = append(own.Env, v)
		}
	}
	if a.Reads {
		own.Line, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	}
	if a.Asks {
		own.Asked = ask()
	}
	if err := json.NewEncoder(file).Encode(own); err != nil || file.Close() != nil {
		return broken
	}
	if a.Child && leave(a.Gate) != nil {
		return broken
	}
	if a.Wait && wait(a.Gate, "plugin") != 0 {
		return broken
	}
	_, _ = os.Stderr.WriteString(a.Complain)
	_, _ = os.Stdout.WriteString(a.Print + strings.Repeat(" ", a.Pad))
	if a.Kill {
		if self, err := os.FindProcess(os.Getpid()); err != nil || self.Kill() != nil {
			return broken
		}
		select {} // until the signal arrives
	}
	return a.Code
}

// leave starts a process that outlives this one.
func leave(gate string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self) //nolint:noctx // it must outlive everything
	child.Env = append(os.Environ(), gateOfChild+"="+gate)
	child.Stdout = os.Stdout
	return child.Start()
}

// wait tells the test who is there, and blocks until the test answers.
func wait(gate, who string) int {
	const long = 10 * time.Second
	conn, err := net.DialTimeout("tcp", gate, long) //nolint:noctx // a program without a context
	if err != nil {
		return broken
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(who + "\n")); err != nil {
		return broken
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		return broken
	}
	return 0
}

// ask asks at the terminal of the session, as programs that need a password do.
func ask() string {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return "there is no terminal"
	}
	defer tty.Close()
	_, _ = tty.WriteString("password: ")
	line, _ := bufio.NewReader(tty).ReadString('\n')
	return line
}
