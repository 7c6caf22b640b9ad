package memnet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A write blocks while the window is full, and goes on when it is read.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := Pipe()
		sent := bytes.Repeat([]byte("0123456789"), 20_000)
		go func() {
			if n, err := client.Write(sent); n != len(sent) || err != nil {
				t.Errorf("%d, %v", n, err)
			}
			if err := client.CloseWrite(); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		if n := len(server.in.data); n != window {
			t.Errorf("%d bytes are on their way", n)
		}
		got, err := io.ReadAll(server)
		if !bytes.Equal(got, sent) || err != nil {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if _, err := server.Write([]byte("x")); err != nil {
			t.Errorf("the other direction: %v", err)
		}
		_ = client.Close()
		_ = server.Close()
	})
}

// What each end sees of how a connection ends.
func TestEnds(t *testing.T) {
	for name, test := range map[string]struct {
		end                        func(client, server *Conn)
		read, write, read2, write2 error // of the client, of the server
	}{
		"closed by the server": {func(_, s *Conn) { _ = s.Close() }, io.EOF, syscall.EPIPE, net.ErrClosed, net.ErrClosed},
		"closed by the client": {func(c, _ *Conn) { _ = c.Close() }, net.ErrClosed, net.ErrClosed, io.EOF, syscall.EPIPE},
		"reset by the server":  {func(_, s *Conn) { s.Reset() }, syscall.ECONNRESET, syscall.ECONNRESET, net.ErrClosed, net.ErrClosed},
		"half closed":          {func(_, s *Conn) { _ = s.CloseWrite() }, io.EOF, nil, nil, syscall.EPIPE},
	} {
		client, server := Pipe()
		if _, err := server.Write([]byte("ab")); err != nil {
			t.Fatal(err)
		}
		test.end(client, server)
		buf := make([]byte, 8)
		if !errors.Is(test.read, net.ErrClosed) {
			if n, err := client.Read(buf); n != 2 || err != nil {
				t.Errorf("%s: what was on its way: %d, %v", name, n, err)
			}
		}
		check := func(what string, err, want error) {
			if !errors.Is(err, want) || want == nil && err != nil {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
		_, err := client.Read(buf)
		check("client reads", err, test.read)
		_, err = client.Write(buf)
		check("client writes", err, test.write)
		_, err = server.Read(buf)
		check("server reads", err, test.read2)
		_, err = server.Write(buf)
		check("server writes", err, test.write2)
	}
}

// Deadlines end blocked reads and writes, and can be moved.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := Pipe()
		defer server.Close()
		defer client.Close()
		begin := time.Now()
		_ = client.SetReadDeadline(begin.Add(time.Second))
		_, err := client.Read(make([]byte, 1))
		var ne net.Error
		if !errors.As(err, &ne) || !ne.Timeout() || time.Since(begin) != time.Second {
			t.Errorf("read: %v after %v", err, time.Since(begin))
		}
		_ = client.SetDeadline(begin.Add(time.Hour))
		go func() {
			time.Sleep(time.Second)
			_ = client.SetWriteDeadline(time.Now().Add(time.Second))
		}()
		n, err := client.Write(make([]byte, 2*window))
		if n != window || !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begin) != 3*time.Second {
			t.Errorf("write: %d, %v after %v", n, err, time.Since(begin))
		}
		_ = client.SetDeadline(time.Time{})
		if _, err := server.Read(make([]byte, 10)); err != nil {
			t.Error(err)
		}
		if _, err := client.Write([]byte("x")); err != nil {
			t.Errorf("after the deadline was taken back: %v", err)
		}
	})
}

// A dial ends with its context, and with the listener.
func TestDial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewListener()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Dial(ctx, "tcp", "x:1"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("nobody accepts: %v", err)
		}
		if _, err := l.Dial(ctx, "tcp", "x:1"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a dead context: %v", err)
		}
		_ = l.Close()
		if _, err := l.Dial(t.Context(), "tcp", "x:1"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("closed: %v", err)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept: %v", err)
		}
	})
}
