package realapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Tool is a program that Build knows how to build.
type Tool string

// The tools of servers/go.mod.
const (
	Etcd      Tool = "etcd"
	APIServer Tool = "kube-apiserver"
	Kubectl   Tool = "kubectl"
)

const (
	modulePath     = "github.com/tideway-go/tideway/fakeapi/conformance"
	progressPeriod = 20 * time.Second
)

// source tells where the tool's main package is, and the module that gives its version.
func (t Tool) source() (pkg, module string, err error) {
	switch t {
	case Etcd:
		return "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3", nil
	case APIServer, Kubectl:
		return "k8s.io/kubernetes/cmd/" + string(t), "k8s.io/kubernetes", nil
	}
	return "", "", fmt.Errorf("realapi: unknown tool %q", string(t))
}

// Build returns the path of the tool's binary, after building it if the cache has none.
//
// The cache is tideway/<version>-<os>-<arch> in the user's cache folder. Two processes that need
// the same binary build it once: the other one waits. Progress is written to w; a build from the
// cache writes nothing.
func Build(ctx context.Context, w io.Writer, t Tool) (string, error) {
	pkg, module, err := t.source()
	if err != nil {
		return "", err
	}
	servers, err := serversDir(ctx)
	if err != nil {
		return "", err
	}
	version, err := requiredVersion(filepath.Join(servers, "go.mod"), module)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("realapi: where to keep %s: %w", t, err)
	}
	dir := filepath.Join(cache, "tideway", version+"-"+runtime.GOOS+"-"+runtime.GOARCH)
	bin := filepath.Join(dir, string(t))
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	if isFile(bin) {
		return bin, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("realapi: where to keep %s: %w", t, err)
	}
	unlock, err := lock(ctx, bin+".lock", func() {
		fmt.Fprintf(w, "realapi: waiting for another process that builds %s %s\n", t, version)
	})
	if err != nil {
		return "", fmt.Errorf("realapi: lock for building %s: %w", t, err)
	}
	defer unlock()
	if isFile(bin) { // the other process has built it
		return bin, nil
	}
	return bin, build(ctx, w, servers, pkg, version, bin)
}

// build compiles pkg to a temporary name beside bin and renames it, so that bin is complete or
// absent.
func build(ctx context.Context, w io.Writer, servers, pkg, version, bin string) error {
	tmp := bin + ".tmp" // of whoever has the lock
	defer os.Remove(tmp)
	args := []string{"build", "-v", "-o", tmp, "-ldflags", ldflags(version), pkg}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = servers
	cmd.Env = append(os.Environ(), "GOWORK=off", "GO111MODULE=on")
	out := &buildLog{}
	cmd.Stdout, cmd.Stderr = out, out

	start := time.Now()
	fmt.Fprintf(w, "realapi: building %s %s; cold it takes about ten minutes\n", filepath.Base(bin), version)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("realapi: build %s: %w", pkg, err)
	}
	built := make(chan error, 1) // buffered: Wait must not hang on a reader
	go func() { built <- cmd.Wait() }()
	tick := time.NewTicker(progressPeriod)
	defer tick.Stop()
	for {
		select {
		case err := <-built:
			if err != nil {
				return fmt.Errorf("realapi: build %s: %w\n%s", pkg, errors.Join(err, context.Cause(ctx)), out.tail())
			}
			fmt.Fprintf(w, "realapi: built %s in %s\n", bin, time.Since(start).Round(time.Second))
			return os.Rename(tmp, bin)
		case <-tick.C:
			fmt.Fprintf(w, "realapi: building %s: %d packages after %s\n",
				filepath.Base(bin), out.lines(), time.Since(start).Round(time.Second))
		}
	}
}

// ldflags stamps the version that a release of Kubernetes has; without it the server calls itself
// v0.0.0.
func ldflags(version string) string {
	const stamp = " -X k8s.io/component-base/version."
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return "-s -w" + stamp + "gitVersion=" + version + stamp + "gitMajor=" + major + stamp + "gitMinor=" + minor
}

// serversDir finds the folder with the go.mod of the servers, from any module that can import this
// package.
func serversDir(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", modulePath)
	cmd.Stderr = &bytes.Buffer{}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("realapi: find module %s: %w\n%s", modulePath, errors.Join(err, context.Cause(ctx)), cmd.Stderr)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "servers")
	if !isFile(filepath.Join(dir, "go.mod")) {
		return "", fmt.Errorf("realapi: no go.mod of the servers in %s", dir)
	}
	return dir, nil
}

// requiredVersion reads the version of a module from a go.mod, which it must require by name.
func requiredVersion(goMod, module string) (string, error) {
	data, err := os.ReadFile(goMod)
	if err != nil {
		return "", fmt.Errorf("realapi: versions of the servers: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) >= 2 && fields[0] == module && strings.HasPrefix(fields[1], "v") {
			return fields[1], nil
		}
	}
	return "", fmt.Errorf("realapi: %s does not require %s", goMod, module)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
