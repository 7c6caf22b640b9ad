package rest_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// swap replaces a file like the kubelet, with a symbolic link.
func swap(t *testing.T, path, content string) {
	t.Helper()
	target := path + "." + content
	write(t, target, content)
	link := path + ".link"
	if err := errors.Join(os.Symlink(target, link), os.Rename(link, path)); err != nil {
		t.Fatal(err)
	}
}

// doorman accepts only the one token that counts.
type doorman struct {
	mu     sync.Mutex
	counts string
	seen   []string
	bodies []string
}

func (d *doorman) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	d.seen = append(d.seen, token)
	raw, _ := io.ReadAll(r.Body)
	d.bodies = append(d.bodies, string(raw))
	if d.counts != "" && token != d.counts {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	_, _ = io.WriteString(w, pod("web", "1"))
}

// A rotated token file is read again, at the latest when the server refuses the old token.
func TestTokenRotates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "token")
		swap(t, path, "t1")
		d := &doorman{}
		c, end := inMemory(t, d, kubeconfig.Config{TokenFile: path}, rest.Options{})
		defer end()
		pods := rest.For[Pod](c, "Pod").In("default")
		get := func() error { return errOf(pods.Get(t.Context(), "web")) }

		// The file is read again within a minute.
		first := get()
		swap(t, path, "t2")
		time.Sleep(49 * time.Second)
		second := get()
		time.Sleep(2 * time.Second)
		third := get()
		// It is read at once if the server refuses the old token, and the request is tried once
		// more.
		swap(t, path, "t3")
		d.counts = "t3"
		fourth := get()
		fifth := get()
		// While the file is missing or empty, the old token is used.
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		sixth := get()
		write(t, path, " \n")
		time.Sleep(time.Minute)
		seventh := get()

		if err := errors.Join(first, second, third, fourth, fifth, sixth, seventh); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff([]string{"t1", "t1", "t2", "t2", "t3", "t3", "t3", "t3"}, d.seen); d != "" {
			t.Error(d)
		}
	})
}

// A refused request is not repeated if the token has not changed. If it has, the request is sent
// once more, unless its body cannot be read again.
func TestRefusedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "token")
		write(t, path, "t1")
		d := &doorman{counts: "t2"}
		c, end := inMemory(t, d, kubeconfig.Config{TokenFile: path}, rest.Options{})
		defer end()
		pods := rest.For[Pod](c, "Pod").In("default")
		if err := errOf(pods.Get(t.Context(), "web")); !errors.Is(err, rest.ErrUnauthorized) {
			t.Errorf("error is %v", err)
		}
		write(t, path, "t2")
		if err := errOf(pods.Create(t.Context(), &Pod{Metadata: Meta{Name: "web"}})); err != nil {
			t.Error(err)
		}
		d.counts = "t3"
		write(t, path, "t3")
		send := func() int {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.Server()+"/x", io.MultiReader(strings.NewReader("{}")))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := c.RoundTripper().RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			return resp.StatusCode
		}
		if d := cmp.Diff([]int{401, 200}, []int{send(), send()}); d != "" {
			t.Error(d)
		}
		write(t, path, "t4")
		d.counts = "t5"
		if err := errOf(pods.Get(t.Context(), "web")); !errors.Is(err, rest.ErrUnauthorized) {
			t.Errorf("error is %v", err)
		}
		want := []string{"t1", "t1", "t2", "t2", "t3", "t3", "t4"}
		if d := cmp.Diff(want, d.seen); d != "" {
			t.Error(d)
		}
		if want, got := []string{"{}", "{}"}, d.bodies[3:5]; !cmp.Equal(want, got) {
			t.Error(cmp.Diff(want, got))
		}
		if d.bodies[1] != d.bodies[2] || d.bodies[2] == "" {
			t.Errorf("bodies are %q", d.bodies)
		}
	})
}

// White space around the token in a file is removed.
func TestTokenIsTrimmed(t *testing.T) {
	for _, content := range []string{"abc\n", "abc\r\n", " abc", "abc"} {
		d := &doorman{counts: "abc"}
		c := serve(t, d, kubeconfig.Config{TokenFile: tokenFile(t, content)})
		if err := errOf(rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web")); err != nil {
			t.Errorf("%q: %v", content, err)
		}
		c = serve(t, d, kubeconfig.Config{Token: kubeconfig.Secret(content)})
		if err := errOf(rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web")); err != nil {
			t.Errorf("%q: %v", content, err)
		}
	}
	for _, content := range []string{secret + "\n" + secret, secret + "\x00", ""} {
		_, err := rest.New(kubeconfig.Config{Server: "https://localhost", TokenFile: tokenFile(t, content)}, rest.Options{})
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("error is %v", err)
		}
	}
}

// The file takes precedence over the inline token once it can be read.
func TestTokenFileAndToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "token")
		d := &doorman{}
		c, end := inMemory(t, d, kubeconfig.Config{TokenFile: path, Token: "inline"}, rest.Options{})
		defer end()
		pods := rest.For[Pod](c, "Pod").In("default")
		first := errOf(pods.Get(t.Context(), "web"))
		write(t, path, "file")
		time.Sleep(time.Minute)
		second := errOf(pods.Get(t.Context(), "web"))
		if err := errors.Join(first, second); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"inline", "file"}, d.seen); d != "" {
			t.Error(d)
		}
	})
}
