//go:build unix

package rest_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// fifo replaces a file by a FIFO. The function ends those that read it.
func fifo(t *testing.T, path string) (release func()) {
	t.Helper()
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
}

// A token file that blocks when a refusal has it read again delays the request for a moment, not
// until its context ends, and the refusal is the answer. Those that come later do not wait at all;
// nor does CloseIdle.
func TestTokenFileBlocks(t *testing.T) {
	path := tokenFile(t, "t1")
	d := &doorman{counts: "t2"}
	c := serve(t, d, kubeconfig.Config{TokenFile: path})
	release := fifo(t, path)
	defer release()
	began := time.Now()
	if err := together(t, c, 5); !errors.Is(err, rest.ErrUnauthorized) {
		t.Errorf("the error is %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it takes %v", took)
	}
	began = time.Now()
	for range 10 {
		if err := together(t, c, 5); !errors.Is(err, rest.ErrUnauthorized) {
			t.Errorf("the error is %v", err)
		}
	}
	c.CloseIdle()
	if took := time.Since(began); took > 5*time.Second { // half of what ten waits take
		t.Errorf("later requests wait for %v", took)
	}
}

// So does a certificate authority, for a program that has another one, and files of a client
// certificate: the content of before serves.
func TestCertificateFilesBlock(t *testing.T) {
	dir, a := t.TempDir(), newAuthority(t)
	s, address := listening(t, a)
	files := kubeconfig.TLS{ServerName: "localhost", CAFile: filepath.Join(dir, "ca"), CertFile: filepath.Join(dir, "cert"), KeyFile: filepath.Join(dir, "key")}
	cert, key := a.client(t, "web")
	write(t, files.CAFile, string(a.pem))
	write(t, files.CertFile, string(cert))
	write(t, files.KeyFile, string(key))
	c, err := rest.New(kubeconfig.Config{Server: "https://" + address, TLS: files}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	for _, path := range []string{files.CAFile, files.CertFile, files.KeyFile} {
		defer fifo(t, path)()
	}
	for range 2 {
		began := time.Now()
		if got := who(t, c); got != "web" {
			t.Errorf("it comes as %s", got)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it takes %v", took)
		}
		c.CloseIdle()
	}
	s.certify(t, newAuthority(t)) // which has the client look for another authority
	began := time.Now()
	if got := who(t, c); !strings.Contains(got, "TLS handshake with ") || !strings.Contains(got, "x509: ") {
		t.Errorf("the error is %s", got)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it takes %v", took)
	}
}

// What a shell makes of <(command) is read once, when the client is made, and serves from then on.
func TestClientOfFIFOs(t *testing.T) {
	dir, a := t.TempDir(), newAuthority(t)
	s, address := listening(t, a)
	defer s.server.Close()
	token, ca := filepath.Join(dir, "token"), filepath.Join(dir, "ca")
	fifo(t, token)
	fifo(t, ca)
	for path, content := range map[string]string{token: "t", ca: string(a.pem)} {
		go func() {
			<-time.After(50 * time.Millisecond)
			_ = os.WriteFile(path, []byte(content), 0o600)
		}()
	}
	c, err := rest.New(kubeconfig.Config{Server: "https://" + address, TokenFile: token, TLS: kubeconfig.TLS{CAFile: ca, ServerName: "localhost"}}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	if got := who(t, c); got != "nobody" {
		t.Errorf("it comes as %s", got)
	}
}

// Files that are too large, or have no end, are refused by name when the client is made, and when
// they have become so later. Little of them is read.
func TestFilesThatAreTooLarge(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	write(t, large, "")
	if err := os.Truncate(large, 1<<30); err != nil {
		t.Fatal(err)
	}
	small := filepath.Join(t.TempDir(), "small")
	write(t, small, "x")
	for _, path := range []string{large, "/dev/zero"} {
		for want, cfg := range map[string]kubeconfig.Config{
			"token file: " + path + " is larger than 1 MiB":            {TokenFile: path},
			"certificate authority: " + path + " is larger than 4 MiB": {TLS: kubeconfig.TLS{CAFile: path}},
			"client certificate: " + path + " is larger than 4 MiB":    {TLS: kubeconfig.TLS{CertFile: path, KeyFile: small}},
			"client key: " + path + " is larger than 4 MiB":            {TLS: kubeconfig.TLS{CertFile: small, KeyFile: path}},
		} {
			cfg.Server = "https://localhost"
			if read := allocated(func() {
				if _, err := rest.New(cfg, rest.Options{}); errText(err) != "rest: new client: "+want {
					t.Errorf("the error is %v, want %s", err, want)
				}
			}); read > 32<<20 {
				t.Errorf("%s: it takes %d MiB", want, read>>20)
			}
		}
	}
}

// allocated returns how many bytes are allocated while f runs.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A token file that grows without bounds is not read whole: the token of before serves.
func TestTokenFileGrows(t *testing.T) {
	path := tokenFile(t, "t1")
	d := &doorman{counts: "t1"}
	c := serve(t, d, kubeconfig.Config{TokenFile: path})
	if err := together(t, c, 1); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<30); err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	d.counts = "t2" // which has the client read the file again
	d.mu.Unlock()
	if read := allocated(func() {
		if err := together(t, c, 5); !errors.Is(err, rest.ErrUnauthorized) {
			t.Errorf("the error is %v", err)
		}
	}); read > 32<<20 {
		t.Errorf("it takes %d MiB", read>>20)
	}
}

// A server that refuses whatever comes does not have the token file read in a hot loop: ten times
// at once, and then once in a second.
func TestTokenFileIsNotReadInAHotLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := tokenFile(t, "t0")
		d := &doorman{counts: "none"}
		c, end := inMemory(t, d, kubeconfig.Config{TokenFile: path}, rest.Options{})
		defer end()
		pods := rest.For[Pod](c, "Pod").In("default")
		refused := func(n int) (sent int) {
			d.seen = nil
			for i := range n {
				write(t, path, "t"+strings.Repeat("x", i+1)) // each reading leads to one more request
				_ = errOf(pods.Get(t.Context(), "web"))
			}
			return len(d.seen) - n
		}
		if got := refused(30); got != 10 {
			t.Errorf("the file was read %d times at once, want 10", got)
		}
		time.Sleep(3 * time.Second)
		if got := refused(30); got != 3 {
			t.Errorf("after three seconds it was read %d times, want 3", got)
		}
	})
}
