//go:build unix

package realapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/fakeapi/conformance/realapi"
)

// childEnv makes the test binary a child process that starts a server and then does what the
// variable says.
const childEnv = "TIDEWAY_REALAPI_CHILD"

func TestMain(m *testing.M) {
	if how := os.Getenv(childEnv); how != "" {
		child(how)
	}
	goleak.VerifyTestMain(m)
}

// child never returns.
func child(how string) {
	server, err := realapi.Start(context.Background(), realapi.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(server.Pids())
	if how == "panic" {
		panic("as a test might")
	}
	select {} // until the process is killed
}

func TestStartRestartStop(t *testing.T) {
	start := time.Now()
	server, err := realapi.Start(t.Context(), realapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	t.Logf("started in %s", time.Since(start).Round(time.Millisecond))

	if body := get(t, server, "/version", realapi.Admin); !strings.Contains(body, `"gitVersion": "v1.37.2"`) {
		t.Errorf("version: %s", body)
	}
	if body := get(t, server, "/api/v1/namespaces", realapi.Nobody); !strings.Contains(body, "is forbidden") {
		t.Errorf("nobody may list namespaces: %s", body)
	}

	url, pids := server.URL(), server.Pids()
	start = time.Now()
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("restarted in %s", time.Since(start).Round(time.Millisecond))
	if server.URL() != url {
		t.Errorf("URL was %s, is %s", url, server.URL())
	}
	if got := server.Pids(); got[0] == pids[0] || got[1] != pids[1] {
		t.Errorf("processes were %v, are %v: want another kube-apiserver and the same etcd", pids, got)
	}
	pids = append(pids, server.Pids()[0])

	rev, err := server.Compact(t.Context())
	if err != nil || rev < 10 {
		t.Errorf("Compact = %d, %v", rev, err)
	}

	start = time.Now()
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Logf("stopped in %s", time.Since(start).Round(time.Millisecond))
	waitGone(t, pids)
	if err := server.Restart(t.Context()); err == nil {
		t.Error("Restart of a stopped server succeeded")
	}
}

func TestStartTellsWhy(t *testing.T) {
	_, err := realapi.Start(t.Context(), realapi.Options{APIServerFlags: []string{"--no-such-flag"}})
	if err == nil || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Errorf("err = %v, want what kube-apiserver wrote", err)
	}
}

func TestStartEndsWithContext(t *testing.T) {
	reason := errors.New("changed my mind")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(500*time.Millisecond, func() { cancel(reason) })
	if _, err := realapi.Start(ctx, realapi.Options{}); !errors.Is(err, reason) {
		t.Errorf("err = %v, want %v", err, reason)
	}
}

// TestNothingIsLeft kills a test binary in ways that leave it no chance to clean up.
func TestNothingIsLeft(t *testing.T) {
	for _, how := range []string{"kill", "panic"} {
		t.Run(how, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"="+how)
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(stdout).ReadString('\n')
			if err != nil {
				t.Fatalf("the child did not start its server: %v", err)
			}
			pids := parsePids(t, line)
			if how == "kill" {
				if !alive(pids[0]) || !alive(pids[1]) {
					t.Errorf("processes %v do not run before the kill", pids)
				}
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			if err := cmd.Wait(); err == nil {
				t.Error("the child ended well")
			}
			waitGone(t, pids)
		})
	}
}

func parsePids(t *testing.T, line string) []int {
	t.Helper()
	pids := make([]int, 0, 2)
	for field := range strings.FieldsSeq(strings.Trim(strings.TrimSpace(line), "[]")) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatalf("pids %q: %v", line, err)
		}
		pids = append(pids, pid)
	}
	if len(pids) != 2 {
		t.Fatalf("pids %q, want two", line)
	}
	return pids
}

// alive reports whether a process exists and is not a zombie, which nobody may ever reap.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func waitGone(t *testing.T, pids []int) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for _, pid := range pids {
		for alive(pid) {
			select {
			case <-tick.C:
			case <-deadline.C:
				t.Fatalf("process %d of %v is still there", pid, pids)
			}
		}
	}
}

func get(t *testing.T, s *realapi.Server, path string, u realapi.User) string {
	t.Helper()
	transport := s.Transport()
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+u.Token)
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
