package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// When a plugin prints another certificate, the connections with the old one end.
func TestUpgradeEndsWithItsCertificate(t *testing.T) {
	a := newAuthority(t)
	s := socketServer(t, &sockets{}, true)
	answer := func(name string) string {
		cert, key := a.client(t, name)
		raw, err := json.Marshal(map[string]string{"clientCertificateData": string(cert), "clientKeyData": string(key), "expirationTimestamp": "2001-01-01T00:00:00Z"})
		if err != nil {
			t.Fatal(err)
		}
		return answerV1(string(raw))
	}
	p := newProgram(t, answer("one"))
	c, err := rest.New(kubeconfig.Config{Server: s.URL, TLS: kubeconfig.TLS{Insecure: true}, Exec: p.exec()}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	first, err := open(t.Context(), t, c)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	for range 2 { // the same certificate, again and again
		if got := talk(t, c); got != "one,: again" {
			t.Error(got)
		}
	}
	if got, err := first.say("hello"); got != "one,: hello" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	p.says(answer("two"))
	if got := talk(t, c); got != "two,: again" {
		t.Error(got)
	}
	if got, err := first.say("hello"); err == nil {
		t.Errorf("the old connection answers %q", got)
	}
}

// The connection ends with the context of its request, whatever it is doing, and returns the cause.
func TestUpgradeEndsWithItsContext(t *testing.T) {
	h := &sockets{ended: make(chan struct{}, 1)}
	s := socketServer(t, h, true)
	c, err := rest.New(kubeconfig.Config{Server: s.URL, TLS: kubeconfig.TLS{Insecure: true}}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	conn, err := open(ctx, t, c)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error)
	go func() {
		_, err := readMessage(conn.in)
		read <- err
	}()
	cancel(gone)
	if err := <-read; !errors.Is(err, gone) {
		t.Errorf("Read returned %v", err)
	}
	<-h.ended // the server has noticed
	if _, err := conn.say("hello"); !errors.Is(err, gone) {
		t.Errorf("Write returned %v", err)
	}
	for range 2 {
		_ = conn.Close() // still allowed
	}
	if _, err := open(ctx, t, c); !errors.Is(err, gone) {
		t.Errorf("a context that has ended gives %v", err)
	}
}

// A handshake that the server does not answer also ends with the context.
func TestUpgradeThatIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, stop := inMemory(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), kubeconfig.Config{}, rest.Options{})
		defer stop()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		if _, err := open(ctx, t, c); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

// Closing TLS takes time if the server does not read, but the end of a context must not wait.
func TestUpgradeOfAServerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := newMemory(), &secured{}
		a := newAuthority(t)
		s.certify(t, a)
		s.start(m)
		release := make(chan struct{})
		s.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: mute\r\n\r\n")
			<-release
		})
		c, err := rest.New(kubeconfig.Config{Server: "https://localhost", TLS: kubeconfig.TLS{CAData: a.pem}}, rest.Options{Dial: m.dial})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		r := opening(ctx, t, c)
		r.Header.Set("Upgrade", "mute") // not a websocket: that would use HTTP/1.1 anyway
		resp, err := c.Upgrade(r)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // nothing is being written now, which alone would cut Close short
		start := time.Now()
		cancel()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) || time.Since(start) != 0 {
			t.Errorf("Read ended with %v after %v", err, time.Since(start))
		}
		if err := resp.Body.Close(); time.Since(start) != 0 {
			t.Errorf("Close ended with %v after %v", err, time.Since(start))
		}
		close(release)
		c.CloseIdle()
		_ = s.server.Close()
	})
}

// The caller owns the connection: the client does not touch it, and Close ends it.
func TestUpgradeIsClosed(t *testing.T) {
	h := &sockets{ended: make(chan struct{}, 1)}
	c := serve(t, h, kubeconfig.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	conn, err := open(ctx, t, c)
	if err != nil {
		t.Fatal(err)
	}
	c.CloseIdle()
	c.Renew(time.Now())
	c.CloseIdle()
	if got, err := conn.say("hello"); got != "nobody,: hello" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	<-h.ended
	cancel()
	if _, err := conn.say("hello"); err == nil {
		t.Error("a closed connection can be used")
	}
}
