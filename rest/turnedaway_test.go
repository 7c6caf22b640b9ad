package rest_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// byHand is an HTTP/2 server that writes its frames itself.
type byHand struct {
	net.Conn

	mu sync.Mutex
}

// Types of frames, and the setting of a stream's window.
const (
	frameHeaders  = 1
	frameSettings = 4
	framePing     = 6
	frameGoAway   = 7
	frameWindow   = 8
	frameMore     = 9
	streamWindow  = 4
)

// send sends a frame, and reports whether that was possible.
func (f *byHand) send(kind, flags byte, stream uint32, payload []byte) bool {
	head := []byte{byte(len(payload) >> 16), byte(len(payload) >> 8), byte(len(payload)), kind, flags}
	head = binary.BigEndian.AppendUint32(head, stream)
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.Write(append(head, payload...))
	return err == nil
}

// serve reads the preface, sends the settings, and calls asked for each request.
func (f *byHand) serve(settings []byte, asked func(stream uint32)) {
	in := bufio.NewReader(f)
	if _, err := io.ReadFull(in, make([]byte, 24)); err != nil || !f.send(frameSettings, 0, 0, settings) {
		return
	}
	asked(0)
	for head := make([]byte, 9); ; {
		if _, err := io.ReadFull(in, head); err != nil {
			return
		}
		payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(in, payload); err != nil {
			return
		}
		switch kind, flags := head[3], head[4]; {
		case kind == frameHeaders:
			asked(binary.BigEndian.Uint32(head[5:]))
		case kind == frameSettings && flags == 0:
			f.send(frameSettings, 1, 0, nil)
		case kind == framePing && flags == 0:
			f.send(framePing, 1, 0, payload)
		}
	}
}

// numbers encodes what frames consist of.
func numbers(all ...uint32) (b []byte) {
	for _, n := range all {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// raw returns a client of a server on loopback that serves each connection with serve.
func raw(t *testing.T, scheme string, o rest.Options, serve func(net.Conn)) *rest.Client {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			all.Go(func() { serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, conn := range conns {
			_ = conn.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	c, err := rest.New(kubeconfig.Config{Server: scheme + "://" + l.Addr().String(), TLS: kubeconfig.TLS{Insecure: scheme == "https"}}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// A server that turns away each connection before, or as soon as, a request is on it is not asked
// again and again: the request ends with an error that says so.
func TestServerThatTurnsEveryConnectionAway(t *testing.T) {
	for name, at := range map[string]func(stream uint32) bool{
		"at once":         func(stream uint32) bool { return stream == 0 },
		"at each request": func(stream uint32) bool { return stream > 0 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var conns atomic.Int64
			c := raw(t, "http", rest.Options{UnencryptedHTTP2: true}, func(conn net.Conn) {
				conns.Add(1)
				f := &byHand{Conn: conn}
				f.serve(nil, func(stream uint32) {
					if at(stream) {
						f.send(frameGoAway, 0, 0, numbers(0, 0)) // it has begun with none
					}
				})
			})
			pods := rest.For[Pod](c, "Pod").In("default")
			for verb, ask := range map[string]func(context.Context) error{
				"get":    func(ctx context.Context) error { return errOf(pods.Get(ctx, "web")) },
				"list":   func(ctx context.Context) error { return errOf(pods.List(ctx, rest.ListOptions{})) },
				"create": func(ctx context.Context) error { return errOf(pods.Create(ctx, &Pod{Metadata: Meta{Name: "web"}})) },
			} {
				conns.Store(0)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				err := ask(ctx)
				cancel()
				if err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "connecting to 127.0.0.1") {
					t.Errorf("%s: %v", verb, err)
				}
				if n := conns.Load(); n > 33 {
					t.Errorf("%s: %d connections", verb, n)
				}
			}
		})
	}
}

// CloseIdle closes what no request uses any more, whatever net/http still waits for there.
func TestNothingIsLeftOfAServerThatIsStuck(t *testing.T) {
	open := func(conn net.Conn) *byHand {
		_, _ = io.ReadFull(conn, make([]byte, 24))
		f := &byHand{Conn: conn}
		f.send(frameSettings, 0, 0, append([]byte{0, streamWindow}, numbers(1<<30)...))
		f.send(frameWindow, 0, 0, numbers(1<<30))
		return f
	}
	deaf := func(net.Conn) {}
	for name, tc := range map[string]struct {
		scheme string
		http2  bool
		serve  func(net.Conn)
	}{
		"HTTP/1.1, deaf":        {"http", false, deaf},
		"HTTP/2, deaf":          {"http", true, deaf},
		"HTTP/2, does not read": {"http", true, func(conn net.Conn) { open(conn) }},
		"TLS, deaf":             {"https", false, deaf},
	} {
		t.Run(name, func(t *testing.T) {
			c := raw(t, tc.scheme, rest.Options{UnencryptedHTTP2: tc.http2}, tc.serve)
			for _, body := range []string{"", strings.Repeat("x", 16<<20)} {
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Server()+"/api/v1/pods", strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := c.RoundTripper().RoundTrip(r)
				cancel()
				if err == nil {
					_ = resp.Body.Close()
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			}
			c.CloseIdle()
			var stacks string
			for end := time.Now().Add(time.Second); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
				buf := make([]byte, 1<<20)
				if stacks = string(buf[:runtime.Stack(buf, true)]); !strings.Contains(stacks, "rest/internal/transport.") {
					return
				}
			}
			t.Errorf("a second after CloseIdle:\n%s", stacks)
		})
	}
}

// At most 1 MiB of an answer's header is read, however it comes.
func TestHeaderOfAnAnswerIsBounded(t *testing.T) {
	line := "X-Filler: " + strings.Repeat("y", 1000) + "\r\n"
	literal := func(name, value string) []byte {
		b := append([]byte{0, byte(len(name))}, name...)
		return append(append(b, byte(len(value))), value...)
	}
	for name, tc := range map[string]struct {
		http2 bool
		serve func(conn net.Conn, most int)
	}{
		"HTTP/1.1": {false, func(conn net.Conn, most int) {
			_, _ = http.ReadRequest(bufio.NewReader(conn))
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
			for n := 0; n < most; n += len(line) {
				if _, err := io.WriteString(conn, line); err != nil {
					return
				}
			}
			_, _ = io.WriteString(conn, "Content-Length: 2\r\n\r\n{}")
		}},
		"HTTP/1.1, answers before the answer": {false, func(conn net.Conn, most int) {
			_, _ = http.ReadRequest(bufio.NewReader(conn))
			for n := 0; n < most; n += len(line) {
				if _, err := io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\n"+line+"\r\n"); err != nil {
					return
				}
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		}},
		"HTTP/2": {true, func(conn net.Conn, most int) {
			f := &byHand{Conn: conn}
			f.serve(nil, func(stream uint32) {
				if stream == 0 {
					return
				}
				f.send(frameHeaders, 0, stream, []byte{0x88}) // :status 200
				for n := 0; n < most; n += 12 << 10 {
					if !f.send(frameMore, 0, stream, []byte(strings.Repeat(string(literal("x-filler", strings.Repeat("y", 100))), 12<<10/112))) {
						return
					}
				}
				f.send(frameMore, 4, stream, nil)
				f.send(0, 1, stream, []byte("{}"))
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			ask := func(most int) error {
				c := raw(t, "http", rest.Options{UnencryptedHTTP2: tc.http2}, func(conn net.Conn) { tc.serve(conn, most) })
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Server()+"/api", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := c.RoundTripper().RoundTrip(r)
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
				return err
			}
			if err := ask(512 << 10); err != nil {
				t.Errorf("half of it: %v", err)
			}
			if err := ask(4 << 20); err == nil || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("too much of it: %v", err)
			}
		})
	}
}
