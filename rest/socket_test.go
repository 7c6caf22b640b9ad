package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // RFC 6455 asks for it
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tideway-go/tideway/rest"
)

// sockets is the handler of a websocket server: each message comes back, prefixed with the client's
// name and token. If counts is set, other tokens are refused.
type sockets struct {
	mu     sync.Mutex
	counts string
	seen   []string      // tokens
	ended  chan struct{} // receives a value for each connection that has ended; may be nil
}

// ServeHTTP does the handshake, and answers messages until the client has gone.
func (s *sockets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who := "nobody"
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		who = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !s.admit(token) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.Method != http.MethodGet || r.ProtoMajor != 1 || !strings.EqualFold(r.Header.Get("Connection"), "upgrade") || r.Header.Get("Sec-WebSocket-Version") != "13" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() {
		_ = c.Close()
		if s.ended != nil {
			s.ended <- struct{}{}
		}
	}()
	_, _ = fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: %s\r\n\r\n",
		accepted(r.Header.Get("Sec-WebSocket-Key")), r.Header.Get("Sec-WebSocket-Protocol"))
	for {
		text, err := readMessage(buffered.Reader)
		if err != nil {
			return
		}
		if _, err = c.Write(message(who+","+token+": "+text, false)); err != nil {
			return
		}
	}
}

func (s *sockets) admit(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, token)
	return s.counts == "" || s.counts == token
}

func (s *sockets) tokens() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// accepted returns the server's answer to the key of a client.
func accepted(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // RFC 6455 asks for it
	return base64.StdEncoding.EncodeToString(sum[:])
}

// message returns a short text in one frame. Clients must mask it.
func message(text string, masked bool) []byte {
	frame := []byte{0x81, byte(len(text))}
	if !masked {
		return append(frame, text...)
	}
	frame[1] |= 0x80
	mask := []byte{1, 2, 3, 4}
	frame = append(frame, mask...)
	for i := range len(text) {
		frame = append(frame, text[i]^mask[i%len(mask)])
	}
	return frame
}

// readMessage reads a text that message has encoded.
func readMessage(r io.Reader) (string, error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(r, head); err != nil {
		return "", err
	}
	mask := make([]byte, 4*int(head[1]>>7))
	text := make([]byte, head[1]&0x7f)
	if _, err := io.ReadFull(r, mask); err != nil {
		return "", err
	}
	if _, err := io.ReadFull(r, text); err != nil {
		return "", err
	}
	for i := range text {
		if len(mask) > 0 {
			text[i] ^= mask[i%len(mask)]
		}
	}
	return string(text), nil
}

// opening returns the request that opens a websocket on the client's server.
func opening(ctx context.Context, t *testing.T, c *rest.Client) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Server()+"/socket?command=ls", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	key := make([]byte, 16)
	_, _ = rand.Read(key)
	for name, value := range map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": base64.StdEncoding.EncodeToString(key), "Sec-WebSocket-Protocol": "v5.channel.k8s.io",
	} {
		r.Header.Set(name, value)
	}
	return r
}

// socket is an open websocket.
type socket struct {
	io.ReadWriteCloser

	in *bufio.Reader
}

// open does the handshake.
func open(ctx context.Context, t *testing.T, c *rest.Client) (*socket, error) {
	t.Helper()
	r := opening(ctx, t, c)
	resp, err := c.Upgrade(r) //nolint:bodyclose // the socket is the body
	if err != nil {
		return nil, err
	}
	if got := resp.Header.Get("Sec-WebSocket-Accept"); got != accepted(r.Header.Get("Sec-WebSocket-Key")) {
		t.Errorf("the key is answered by %q", got)
	}
	if got := resp.Header.Get("Sec-WebSocket-Protocol"); got != "v5.channel.k8s.io" {
		t.Errorf("the protocol is %q", got)
	}
	conn := resp.Body.(io.ReadWriteCloser)
	return &socket{conn, bufio.NewReader(conn)}, nil
}

// say sends a message and returns the answer.
func (s *socket) say(text string) (string, error) {
	if _, err := io.Copy(s, bytes.NewReader(message(text, true))); err != nil {
		return "", err
	}
	return readMessage(s.in)
}

// talk opens a websocket, says hello, and closes it. It returns the answer or the error.
func talk(t *testing.T, c *rest.Client) string {
	t.Helper()
	s, err := open(t.Context(), t, c)
	if err != nil {
		return err.Error()
	}
	defer s.Close()
	var got string
	for _, text := range []string{"hello", "again"} {
		if got, err = s.say(text); err != nil {
			return err.Error()
		}
	}
	return got
}
