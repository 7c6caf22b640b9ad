package rest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// Watches over HTTP/2 that nobody reads hold less than 512 KiB each, however much is pending, and
// do not keep others on the same connection from reading.
func TestUnreadWatchesAreSmall(t *testing.T) {
	const watches, most = 100, 512 << 10
	event := podEvent("ADDED", strings.Repeat("x", 64<<10), "2")
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "" {
			_, _ = io.WriteString(w, pod("web", "1"))
			return
		}
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, event); err != nil {
				return
			}
		}
	}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	defer s.Close()
	c, err := rest.New(kubeconfig.Config{Server: s.URL}, rest.Options{UnencryptedHTTP2: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	pods := rest.For[Pod](c, "Pod").In("default")
	held := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := held()
	for range watches {
		frames, err := pods.Endpoint().Watch(t.Context(), rest.WatchOptions{ResourceVersion: "1", Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		defer frames.Close()
	}
	last := int64(0)
	for now := held(); now-last > 1<<20; now = held() { // until no more comes
		last = now
		<-time.After(200 * time.Millisecond)
	}
	each := (last - before) / watches
	t.Logf("%d KiB each", each>>10)
	if all := last - before; all > 64<<20 {
		t.Errorf("%d unread watches hold %d MiB, want less than 64", watches, all>>20)
	}
	if each > most {
		t.Errorf("an unread watch holds %d KiB, want at most %d", each>>10, most>>10)
	}
	if err := errOf(pods.Get(t.Context(), "web")); err != nil {
		t.Errorf("a get on the same connection: %v", err)
	}
}
