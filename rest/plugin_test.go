package rest_test

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// The test binary is also a credential plugin: this variable names a folder with its output, in
// which it records each run.
const pluginFolder = "TIDEWAY_TEST_PLUGIN"

// runPlugin records the run and prints the file "answer", in which %n is the number of the run.
func runPlugin(dir string) int {
	note, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return 99
	}
	raw, _ := json.Marshal(map[string]any{"args": os.Args[1:], "info": os.Getenv("KUBERNETES_EXEC_INFO"), "own": os.Getenv("OWN")})
	_, _ = note.Write(raw)
	_ = note.Close()
	if err := os.Rename(note.Name(), strings.Replace(note.Name(), "new-", "run-", 1)); err != nil {
		return 99
	}
	runs, _ := filepath.Glob(filepath.Join(dir, "run-*"))
	read := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(dir, name))
		return strings.ReplaceAll(string(text), "%n", strconv.Itoa(len(runs)))
	}
	if read("hang") != "" {
		l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			return 99
		}
		_ = l.SetDeadline(time.Now().Add(time.Minute))
		_, _ = l.Accept() // nobody connects: the plugin is killed before
	}
	_, _ = os.Stderr.WriteString(read("stderr"))
	_, _ = os.Stdout.WriteString(strings.ReplaceAll(read("answer"), "%soon", time.Now().Add(2*time.Second).Format(time.RFC3339Nano)))
	if read("fail") != "" {
		return 3
	}
	return 0
}

// program is a plugin for one test.
type program struct {
	t   *testing.T
	dir string
}

func newProgram(t *testing.T, answer string) *program {
	t.Helper()
	p := &program{t, t.TempDir()}
	p.says(answer)
	return p
}

func (p *program) says(answer string) { p.file("answer", answer) }
func (p *program) file(name, content string) {
	p.t.Helper()
	write(p.t, filepath.Join(p.dir, name), content)
}

// exec returns the configuration of the plugin.
func (p *program) exec() *kubeconfig.Exec {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	return &kubeconfig.Exec{
		APIVersion: kubeconfig.ExecV1, Command: self, Interactive: kubeconfig.InteractiveNever,
		Env: []kubeconfig.EnvVar{{Name: pluginFolder, Value: kubeconfig.Secret(p.dir)}},
	}
}

// run is the record of one run.
type run struct {
	Args []string `json:"args"`
	Info string   `json:"info"`
	Own  string   `json:"own"`
}

// runs returns how often the plugin ran, and the record of one of the runs.
func (p *program) runs() (int, run) {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.dir, "run-*"))
	if err != nil {
		p.t.Fatal(err)
	}
	var r run
	if len(found) > 0 {
		raw, err := os.ReadFile(found[0])
		if err == nil {
			err = json.Unmarshal(raw, &r)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	return len(found), r
}

// answerV1 returns the output of a plugin with this status.
func answerV1(status string) string {
	return `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":` + status + `}`
}
