package clientgo_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	clientgorest "k8s.io/client-go/rest"

	"github.com/tideway-go/tideway/rest"
)

// A connection in another protocol goes through the transport of client-go, and its credentials
// with it.
func TestUpgrade(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		line, _ := buffered.ReadString('\n')
		_, _ = io.WriteString(conn, line)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	for bearer, want := range map[string]string{token: "hello\n", "another": "unauthorized"} {
		client := connect(t, &clientgorest.Config{Host: s.URL, BearerToken: bearer, TLSClientConfig: clientgorest.TLSClientConfig{Insecure: true}})
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, client.Server()+"/socket", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "websocket")
		resp, err := client.Upgrade(r)
		if want == "unauthorized" {
			if !errors.Is(err, rest.ErrUnauthorized) {
				t.Errorf("got %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		conn := resp.Body.(io.ReadWriteCloser)
		_, _ = io.WriteString(conn, "hello\n")
		if got, err := bufio.NewReader(conn).ReadString('\n'); got != want || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		_ = conn.Close()
	}
}
