package kubeconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest/internal/files"
	"github.com/tideway-go/tideway/rest/internal/line"
)

// ErrNoConfig means that there is neither a kubeconfig nor the service account of a pod.
var ErrNoConfig = errors.New("no kubeconfig, and not inside a cluster")

// Options say which kubeconfig to load and which part of it to use.
//
// The zero value loads what kubectl would load.
type Options struct {
	// Path is the path of the kubeconfig, which must exist. Default: the files in KUBECONFIG, else
	// ~/.kube/config, else the service account of the pod.
	Path string

	// Context is the name of the context to use. Default: the current context.
	Context string

	// Namespace overrides the namespace of the context.
	Namespace string
}

// system is what loading depends on besides its options; tests replace it.
type system struct {
	getenv         func(string) string
	home           func() (string, error)
	serviceAccount string // a directory
	patience       time.Duration
}

func realSystem() system {
	return system{getenv: os.Getenv, home: os.UserHomeDir, serviceAccount: serviceAccountDir, patience: files.Patience}
}

// read reads a file of at most limit bytes.
func (s *system) read(path string, limit int64) ([]byte, error) {
	return files.Read(path, limit, s.patience)
}

// Load finds and reads the configuration that o asks for.
//
// It looks at Path; else at the files listed in KUBECONFIG, skipping those that are missing; else
// at ~/.kube/config; else at the service account of the pod that the program runs in. Files are
// merged the way kubectl does it: if several files have an entry of the same name, the first file
// wins with its whole entry, and the current context comes from the first file that sets one.
//
// If Context is set and Path is not, the context is looked up in the default kubeconfig. If there
// is no kubeconfig at all, Context is ignored inside a cluster and an error outside. Anything that
// cannot be resolved is an error that names the file and the reason; so is an auth-provider, which
// Kubernetes has removed. No error shows a secret.
//
// A file may be a FIFO, as a shell makes one of <(command), and has 30 seconds to be read. A
// kubeconfig of more than 4 MiB is an error.
func Load(o Options) (Config, error) {
	c, err := load(o, realSystem())
	return c, line.Error(err)
}

// Parse reads a configuration from the text of one kubeconfig.
//
// Relative paths in it stay as they are. Options.Path is not opened: it only names the text in
// errors. A text of more than 4 MiB is an error.
func Parse(data []byte, o Options) (Config, error) {
	name := o.Path
	if name == "" {
		name = "(inline)"
	}
	f, err := parse(data, name, "")
	if err != nil {
		return Config{}, line.Error(err)
	}
	m := merge([]*file{f})
	c, err := m.resolve(o)
	return c, line.Error(err)
}

func load(o Options, sys system) (Config, error) {
	paths := candidates(o, sys)
	var found []*file
	for _, p := range paths {
		f, err := read(p, &sys)
		switch {
		case errors.Is(err, fs.ErrNotExist) && o.Path == "":
			continue
		case err != nil:
			return Config{}, err
		}
		found = append(found, f)
	}
	m := merge(found)
	if m.empty() && o.Path == "" && (o.Context == "" || len(found) == 0) {
		// There is no kubeconfig, or only an empty one such as /dev/null.
		cfg, err := inCluster(sys)
		switch {
		case err == nil:
			if o.Namespace != "" {
				cfg.Namespace = o.Namespace
			}
			return cfg, nil
		case !errors.Is(err, ErrNoConfig):
			return Config{}, err
		case len(found) == 0:
			return Config{}, missing(o, paths, sys)
		}
	}
	return m.resolve(o)
}

// missing returns the error for a kubeconfig that was not found anywhere.
func missing(o Options, paths []string, sys system) error {
	where := "looked for " + strings.Join(paths, ", ")
	if len(paths) == 0 {
		where = "there is no home directory to look in"
	}
	if sys.getenv("KUBERNETES_SERVICE_HOST") != "" {
		where += "; KUBERNETES_SERVICE_HOST is set, but no token is mounted in " + sys.serviceAccount
	}
	if o.Context != "" {
		return fmt.Errorf("kubeconfig: context %q: %w (%s)", o.Context, ErrNoConfig, where)
	}
	return fmt.Errorf("kubeconfig: %w (%s)", ErrNoConfig, where)
}

// candidates returns the files that may hold the configuration.
func candidates(o Options, sys system) []string {
	if o.Path != "" {
		return []string{o.Path}
	}
	var paths []string
	for _, p := range filepath.SplitList(sys.getenv("KUBECONFIG")) {
		if p != "" && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	if len(paths) > 0 {
		return paths
	}
	home, err := sys.home()
	if err != nil {
		return nil // no home, no file in it
	}
	return []string{filepath.Join(home, ".kube", "config")}
}

// read reads and parses one file.
func read(path string, sys *system) (*file, error) {
	data, err := sys.read(path, files.MaxKubeconfig)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: %w", err) // it names the file
	}
	dir := filepath.Dir(path)
	if abs, err := filepath.Abs(path); err == nil {
		dir = filepath.Dir(abs) // a later change of the working directory does no harm
	}
	return parse(data, path, dir)
}
