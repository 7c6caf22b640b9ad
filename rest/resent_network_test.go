package rest_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// resentByNetwork has the rows of the requests that net/http sends again, over real connections.
var resentByNetwork = map[string]resentRow{
	"a kept connection turns out to be closed, before anything is written": {
		want: []string{"connection", "POST pods", "connection", "POST pods"},
		run: func(t *testing.T, w *wire) error {
			t.Helper()
			var dead atomic.Bool
			dial := func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, address)
				return &dyingConn{conn, &dead}, err
			}
			pods := podsOver(t, w, rest.Options{HTTP1: true, Dial: dial}, saysWeb(), saysWeb())
			if err := createWeb(t.Context(), pods); err != nil {
				return err
			}
			dead.Store(true)
			return createWeb(t.Context(), pods)
		},
	},
	"a kept HTTP/1.1 connection breaks after a read was written": {
		want: []string{"connection", "GET pods/web", "GET pods/web", "connection", "GET pods/web"},
		run: func(t *testing.T, w *wire) error {
			t.Helper()
			pods := podsOver(t, w, rest.Options{HTTP1: true}, saysWeb(), breaks, saysWeb())
			return errors.Join(getWeb(t.Context(), pods), getWeb(t.Context(), pods))
		},
	},
	"a kept connection breaks after a write was written": {
		want: []string{"connection", "POST pods", "POST pods"}, err: io.EOF,
		run: func(t *testing.T, w *wire) error {
			t.Helper()
			pods := podsOver(t, w, rest.Options{HTTP1: true}, saysWeb(), breaks)
			return errors.Join(createWeb(t.Context(), pods), createWeb(t.Context(), pods))
		},
	},
	"a kept HTTP/1.1 connection breaks after a raw write with an `Idempotency-Key` was written": {
		want: []string{"connection", "POST pods", "POST pods", "connection", "POST pods"},
		run: func(t *testing.T, w *wire) error {
			t.Helper()
			pods := podsOver(t, w, rest.Options{HTTP1: true}, saysWeb(), breaks, saysWeb())
			return errors.Join(createWeb(t.Context(), pods), errOf(pods.Endpoint().Client().Do(t.Context(), rest.Request{
				Method: http.MethodPost, Path: "/api/v1/namespaces/default/pods", Body: []byte("{}"), Header: http.Header{"Idempotency-Key": {"1"}},
			})))
		},
	},
	"HTTP/2: the server has not begun with the request (GOAWAY, `REFUSED_STREAM`)": {
		want: []string{"connection", "stream 1", "connection", "stream 1", "stream 3"},
		run: func(t *testing.T, w *wire) error {
			t.Helper()
			return framed(t, w, h2Frame(h2GoAway, 0, 0, make([]byte, 8)...), h2Frame(h2Reset, 0, 1, 0, 0, 0, 7))
		},
	},
	"HTTP/2: the server resets the stream with `PROTOCOL_ERROR`, before it answers": {
		want: []string{"connection", "stream 1", "connection", "stream 1"},
		run: func(t *testing.T, w *wire) error {
			t.Helper()
			return framed(t, w, h2Frame(h2Reset, 0, 1, 0, 0, 0, 1))
		},
	},
	"the server's certificate is not trusted, and the file of the authority has changed": {
		want: []string{"connection", "connection", "POST pods"},
		run: func(t *testing.T, w *wire) error {
			t.Helper()
			dir, old, now := t.TempDir(), newAuthority(t), newAuthority(t)
			pods, renew := podsOverTLS(t, w, dir, now, saysWeb())
			write(t, filepath.Join(dir, "ca"), string(old.pem))
			client := pods()
			renew("any")
			return createWeb(t.Context(), client)
		},
	},
	"401, and the files of the client certificate or of the authority have changed": {
		want: []string{"connection", "POST pods", "connection", "POST pods"},
		run: func(t *testing.T, w *wire) error {
			t.Helper()
			dir, authority := t.TempDir(), newAuthority(t)
			var renew func(string)
			changes := func(r *http.Request) (*http.Response, error) {
				renew("two")
				return saysNo(http.StatusUnauthorized, "Unauthorized")(r)
			}
			only := func(r *http.Request) (*http.Response, error) {
				if name := r.TLS.PeerCertificates[0].Subject.CommonName; name != "two" {
					return nil, errors.New("it is " + name)
				}
				return saysWeb()(r)
			}
			pods, again := podsOverTLS(t, w, dir, authority, changes, only)
			renew = again
			renew("one")
			return createWeb(t.Context(), pods())
		},
	},
}

// dyingConn is a connection that fails at the next write without a warning. The next connection
// works.
type dyingConn struct {
	net.Conn
	dead *atomic.Bool
}

func (c *dyingConn) Write(p []byte) (int, error) {
	if c.dead.CompareAndSwap(true, false) {
		return 0, errBroken
	}
	return c.Conn.Write(p)
}

// add records something that is not a request.
func (w *wire) add(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, line)
}

// ServeHTTP sends an answer, or breaks the connection if the answer is an error.
func (w *wire) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	resp, err := w.RoundTrip(r)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(rw, resp.Body)
}

// noting returns a server that records its connections. The caller starts it.
func noting(t *testing.T, w *wire, answers []reply) *httptest.Server {
	t.Helper()
	w.answers = answers
	s := httptest.NewUnstartedServer(w)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			w.add("connection")
		}
	}
	return s
}

// podsOver returns the pods of a server with these answers.
func podsOver(t *testing.T, w *wire, o rest.Options, answers ...reply) rest.Resource[rest.Object] {
	t.Helper()
	s := noting(t, w, answers)
	s.Start()
	t.Cleanup(s.Close)
	return podsOf(t, kubeconfig.Config{Server: s.URL}, o)
}

// podsOverTLS is like podsOver for a server with a certificate of this authority. The client's
// files in dir are ca, cert and key, which the second function writes.
func podsOverTLS(t *testing.T, w *wire, dir string, a *authority, answers ...reply) (pods func() rest.Resource[rest.Object], renew func(name string)) {
	t.Helper()
	cert, key := a.sign(t, &x509.Certificate{DNSNames: []string{"localhost"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	s := noting(t, w, answers)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12}
	s.StartTLS()
	t.Cleanup(s.Close)
	files := kubeconfig.TLS{ServerName: "localhost"}
	files.CAFile, files.CertFile, files.KeyFile = filepath.Join(dir, "ca"), filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	renew = func(name string) {
		cert, key := a.client(t, name)
		write(t, files.CAFile, string(a.pem))
		write(t, files.CertFile, string(cert))
		write(t, files.KeyFile, string(key))
	}
	renew("first")
	return func() rest.Resource[rest.Object] {
		return podsOf(t, kubeconfig.Config{Server: s.URL, TLS: files}, rest.Options{})
	}, renew
}

// podsOf returns the pods of a cluster.
func podsOf(t *testing.T, cfg kubeconfig.Config, o rest.Options) rest.Resource[rest.Object] {
	t.Helper()
	client, err := rest.New(cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return rest.For[rest.Object](client, "Pod").In("default")
}

// The types of HTTP/2 frames.
const (
	h2Data, h2Headers, h2Reset, h2Settings, h2GoAway = 0, 1, 3, 4, 7
)

// h2Frame is a frame of HTTP/2.
func h2Frame(typ, flags byte, stream uint32, payload ...byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(typ))
	b = binary.BigEndian.AppendUint32(append(b, flags), stream)
	return append(b, payload...)
}

// framed creates a pod on a server that answers each request with one of these HTTP/2 frames, and
// then with a pod.
func framed(t *testing.T, w *wire, refusals ...[]byte) error {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			w.add("connection")
			refusals = serveFrames(conn, w, refusals)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-ended
	})
	return createWeb(t.Context(), podsOf(t, kubeconfig.Config{Server: "http://" + l.Addr().String()}, rest.Options{UnencryptedHTTP2: true}))
}

// serveFrames serves one connection until the client closes it, and returns the remaining refusals.
func serveFrames(conn net.Conn, w *wire, refusals [][]byte) [][]byte {
	defer conn.Close()
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	if _, err := io.CopyN(io.Discard, conn, int64(len(preface))); err != nil {
		return refusals
	}
	_, _ = conn.Write(h2Frame(h2Settings, 0, 0))
	head := make([]byte, 9)
	for {
		if _, err := io.ReadFull(conn, head); err != nil {
			return refusals
		}
		if _, err := io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(head)>>8)); err != nil {
			return refusals
		}
		stream := binary.BigEndian.Uint32(head[5:])
		switch {
		case head[3] == h2Settings && head[4] == 0:
			_, _ = conn.Write(h2Frame(h2Settings, 1, 0))
		case head[3] != h2Headers:
		case len(refusals) > 0:
			w.add("stream " + string('0'+rune(stream)))
			_, _ = conn.Write(refusals[0])
			if refusals = refusals[1:]; len(refusals) > 0 {
				return refusals // the first one has ended the connection
			}
		default:
			w.add("stream " + string('0'+rune(stream)))
			const status200, endOfHeaders, endOfStream = 0x88, 4, 1
			_, _ = conn.Write(h2Frame(h2Headers, endOfHeaders, stream, status200))
			_, _ = conn.Write(h2Frame(h2Data, endOfStream, stream, []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"}}`)...))
		}
	}
}
