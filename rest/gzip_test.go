package rest_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// compressing answers everything compressed, whatever is asked for, and notes what was.
type compressing struct {
	members bool // each event is a member of its own; otherwise it is flushed
	events  chan string
	asked   []string
}

func (s *compressing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked = append(s.asked, r.Header.Get("Accept-Encoding"))
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	if r.URL.Query().Get("watch") == "" {
		_, _ = io.WriteString(z, pod("web", "1"))
		_ = z.Close()
		return
	}
	for event := range s.events {
		_, _ = io.WriteString(z, event)
		_ = z.Flush()
		if s.members {
			_ = z.Close()
			z.Reset(w)
		}
		_ = http.NewResponseController(w).Flush()
	}
	_ = z.Close()
}

// Each event of a watch that somebody on the way compresses arrives when it was sent, and other
// answers are read as well. Nothing asks for compression, not even the transport of another
// library.
func TestCompressedAnswers(t *testing.T) {
	for name, foreign := range map[string]bool{"own connections": false, "a transport of the caller's": true} {
		for how, members := range map[string]bool{"flushed": false, "members": true} {
			t.Run(name+", "+how, func(t *testing.T) {
				s := &compressing{members: members, events: make(chan string)}
				server := httptest.NewServer(s)
				defer server.Close()
				o := rest.Options{}
				if foreign {
					o.Transport = &http.Transport{} // which asks for gzip by itself
				}
				c, err := rest.New(kubeconfig.Config{Server: server.URL}, o)
				if err != nil {
					t.Fatal(err)
				}
				defer c.CloseIdle()
				pods := rest.For[Pod](c, "Pod").In("default")
				if p, err := one(t, pods.Get(t.Context(), "web")); err != nil || p.Metadata.Name != "web" {
					t.Errorf("got %v, %v", p, err)
				}
				watched := make(chan *rest.Frames)
				go func() {
					defer close(watched)
					frames, err := pods.Endpoint().Watch(t.Context(), rest.WatchOptions{ResourceVersion: "1", Timeout: time.Minute})
					if err != nil {
						t.Error(err)
						return
					}
					watched <- frames
				}()
				s.events <- podEvent("ADDED", "a", "2")
				frames, ok := <-watched
				if !ok {
					return
				}
				defer frames.Close()
				readOneByOne(t, frames, s.events)
				want := []string{"", "identity"}
				if foreign {
					want[0] = "identity"
				}
				if d := cmp.Diff(want, s.asked); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// readOneByOne reads three events, of which the server sends each once the one before has come.
func readOneByOne(t *testing.T, frames *rest.Frames, events chan<- string) {
	t.Helper()
	for _, name := range []string{"a", "b", "c"} {
		if f, err := frames.Next(); err != nil || f.Key.Name != name {
			t.Fatalf("got %v, %v, want %s", f.Key, err, name)
		}
		if name != "c" {
			events <- podEvent("ADDED", string(name[0]+1), "3")
		}
	}
	close(events)
	if _, err := frames.Next(); err != io.EOF { //nolint:errorlint // the bare one is a good end
		t.Errorf("it ends with %v", err)
	}
}
