package rest_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// A server that does not know a resource it has itself named does not have discovery read in a hot
// loop: ten times at once, and then once in a second.
func TestDiscoveryIsNotReadInAHotLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var read atomic.Int64
		c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{
			Discovery: true,
			Transport: sends(func(r *http.Request) (*http.Response, error) {
				switch {
				case r.URL.Path == "/apis":
					read.Add(1)
				case r.URL.Path != "/api":
					return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
				}
				return getServer{}.RoundTrip(r)
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		asked := func() int64 {
			read.Store(0)
			for range 30 {
				if err := errOf(rest.For[rest.Object](c, "Backup100").In("default").Get(t.Context(), "web")); !errors.Is(err, rest.ErrNotFound) {
					t.Fatalf("the error is %v", err)
				}
			}
			return read.Load()
		}
		if got := asked(); got != 11 { // the first of them finds the name
			t.Errorf("discovery was read %d times at once, want 11", got)
		}
		time.Sleep(3 * time.Second)
		if got := asked(); got != 3 {
			t.Errorf("after three seconds it was read %d times, want 3", got)
		}
	})
}

type sends func(*http.Request) (*http.Response, error)

func (f sends) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
