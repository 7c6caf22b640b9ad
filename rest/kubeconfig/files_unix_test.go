//go:build unix

package kubeconfig

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest/internal/files"
)

// fifo makes a FIFO in the house.
func (h *house) fifo(name string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), syscall.Mkfifo(path, 0o600)); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// A kubeconfig may be what a command prints, whenever it does.
func TestLoadFromFIFOs(t *testing.T) {
	h := newHouse(t)
	first, second := h.fifo("first"), h.fifo("second")
	h.env["KUBECONFIG"] = first + string(os.PathListSeparator) + second
	go func() {
		<-time.After(50 * time.Millisecond)
		for path, text := range map[string]string{first: config("web", "db"), second: config("", "web")} {
			go func() { _ = os.WriteFile(path, []byte(text), 0o600) }()
		}
	}()
	got, err := load(Options{}, h.system())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(of("web"), got); d != "" {
		t.Error(d)
	}

	// A shell gives a command's output to the program as an open file.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		_, _ = w.WriteString(config("web", "web"))
		_ = w.Close()
	}()
	path := "/dev/fd/" + strconv.Itoa(int(r.Fd()))
	if got, err = load(Options{Path: path}, h.system()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(of("web"), got); d != "" {
		t.Error(d)
	}
}

// A file from which nothing comes is an error that names it, and so is one without end.
func TestLoadFromFilesThatBlock(t *testing.T) {
	for name, test := range map[string]struct {
		setup func(*house) (path string, o Options)
		want  string
	}{
		"path":       {func(h *house) (string, Options) { p := h.fifo("x"); return p, Options{Path: p} }, "kubeconfig: PATH: it cannot be read in time"},
		"KUBECONFIG": {func(h *house) (string, Options) { p := h.fifo("x"); h.env["KUBECONFIG"] = p; return p, Options{} }, "kubeconfig: PATH: it cannot be read in time"},
		"home":       {func(h *house) (string, Options) { return h.fifo(".kube/config"), Options{} }, "kubeconfig: PATH: it cannot be read in time"},
		"namespace": {func(h *house) (string, Options) {
			h.pod()
			if err := os.Remove(filepath.Join(h.dir, "sa/namespace")); err != nil {
				h.t.Fatal(err)
			}
			return h.fifo("sa/namespace"), Options{}
		}, "kubeconfig: service account: PATH: it cannot be read in time"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			path, o := test.setup(h)
			sys := h.system()
			sys.patience = 50 * time.Millisecond
			_, err := load(o, sys)
			if want := strings.ReplaceAll(test.want, "PATH", path); err == nil || err.Error() != want || !errors.Is(err, files.ErrSlow) {
				t.Errorf("the error is %v, want %s", err, want)
			}
			if err := os.WriteFile(path, nil, 0o600); err != nil { // which ends the reader
				t.Error(err)
			}
		})
	}
	for path, want := range map[string]string{"/dev/zero": "is larger than 4 MiB", t.TempDir(): "is a directory"} {
		if _, err := Load(Options{Path: path}); err == nil || !strings.Contains(err.Error(), path) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", path, err, want)
		}
	}
}

// A text that no kubeconfig is as long as is refused before it is parsed.
func TestKubeconfigIsTooLarge(t *testing.T) {
	h := newHouse(t)
	text := config("web", "web") + strings.Repeat("#\n", files.MaxKubeconfig/2)
	path := h.write("config", text)
	if _, err := Load(Options{Path: path}); err == nil || err.Error() != "kubeconfig: "+path+" is larger than 4 MiB" {
		t.Errorf("the error is %v", err)
	}
	if _, err := Parse([]byte(text), Options{}); err == nil || err.Error() != "kubeconfig (inline): it is larger than 4 MiB" {
		t.Errorf("the error is %v", err)
	}
	h.pod()
	h.write("sa/namespace", strings.Repeat("x", files.MaxNamespace+1))
	if _, err := inCluster(h.system()); err == nil || !strings.HasSuffix(err.Error(), "sa/namespace is larger than 4 KiB") {
		t.Errorf("the error is %v", err)
	}
}
