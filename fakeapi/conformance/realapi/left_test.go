//go:build unix

package realapi

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestWatchdogKills(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dog := exec.CommandContext(t.Context(), "/bin/sh", "-c", watchdogScript, "sh", strconv.Itoa(cmd.Process.Pid))
	dog.Stdin = strings.NewReader("") // end of file, without a line
	if err := dog.Run(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the process ended with %v", err)
	}
}

func TestWatchdogIsReleased(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "cat")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	release, err := watchdog(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	release()
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
}

func TestSweep(t *testing.T) {
	tmp := t.TempDir()
	old := time.Now().Add(-2 * folderYoung)
	paths := map[string]string{}
	for _, name := range []string{"left", "used", "young"} {
		path := filepath.Join(tmp, folderPrefix+name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		unlock, err := tryLock(filepath.Join(path, folderLock))
		if err != nil {
			t.Fatal(err)
		}
		if name == "used" {
			defer unlock()
		} else {
			unlock() // like the kernel when a process dies
		}
		if name != "young" {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
		paths[name] = path
	}
	sweep(tmp)
	for name, path := range paths {
		_, err := os.Stat(path)
		if gone := os.IsNotExist(err); gone != (name == "left") {
			t.Errorf("folder %s: gone = %v", name, gone)
		}
	}
}

func TestLockWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(t.Context(), path, func() { t.Error("waits for nobody") })
	if err != nil {
		t.Fatal(err)
	}
	waits, locked := make(chan struct{}), make(chan error)
	go func() {
		again, err := lock(t.Context(), path, func() { close(waits) })
		if err == nil {
			again()
		}
		locked <- err
	}()
	<-waits
	unlock()
	if err := <-locked; err != nil {
		t.Error(err)
	}
}

func TestRequiredVersion(t *testing.T) {
	goMod := filepath.Join(t.TempDir(), "go.mod")
	text := "module m\n\nrequire example.org/a v1.2.3\n\nrequire (\n\texample.org/b/v3 v3.4.5 // indirect\n)\n\nreplace example.org/c => example.org/c v0.1.0\n"
	if err := os.WriteFile(goMod, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for module, want := range map[string]string{"example.org/a": "v1.2.3", "example.org/b/v3": "v3.4.5", "example.org/c": ""} {
		if got, err := requiredVersion(goMod, module); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", module, got, err, want)
		}
	}
}

func TestLdflags(t *testing.T) {
	const stamp = "-X k8s.io/component-base/version."
	want := "-s -w " + stamp + "gitVersion=v1.37.2 " + stamp + "gitMajor=1 " + stamp + "gitMinor=37"
	if got := ldflags("v1.37.2"); got != want {
		t.Errorf("ldflags = %q, want %q", got, want)
	}
}

func TestBuildLog(t *testing.T) {
	var l buildLog
	for range 3 {
		_, _ = l.Write(bytes.Repeat([]byte("a line\n"), 1000))
	}
	if l.lines() != 3000 || len(l.tail()) != buildLogTail {
		t.Errorf("%d lines, tail of %d bytes", l.lines(), len(l.tail()))
	}
}
