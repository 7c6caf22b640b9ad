package plugins

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// program is the path of the plugin.
var program string

func TestMain(m *testing.M) {
	if what := os.Getenv(atTerminal); what != "" {
		os.Exit(runAtTerminal(what))
	}
	dir, err := os.MkdirTemp("", "plugins-*")
	if err == nil {
		program = filepath.Join(dir, "program")
		var out []byte
		out, err = exec.CommandContext(context.Background(), "go", "build", "-o", program, "./program").CombinedOutput()
		_, _ = os.Stderr.Write(out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "building the plugin:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("k8s.io/klog/v2.(*flushDaemon).run.func1"), goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}
