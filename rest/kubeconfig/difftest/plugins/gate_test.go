package plugins

import (
	"bufio"
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

// gate is a place where programs wait until the test lets them continue.
type gate struct {
	*net.TCPListener
	t *testing.T
}

// most is the time within which anything that must happen has to happen.
const most = 30 * time.Second

func newGate(t *testing.T) *gate {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &gate{l, t}
}

// visitor is a process at the gate.
type visitor struct {
	net.Conn
	t *testing.T
}

// next returns the next process that arrives.
func (g *gate) next() *visitor {
	g.t.Helper()
	var conn net.Conn
	err := g.SetDeadline(time.Now().Add(most))
	if err == nil {
		conn, err = g.Accept()
	}
	if err == nil {
		g.t.Cleanup(func() { _ = conn.Close() })
		err = conn.SetReadDeadline(time.Now().Add(most))
	}
	if err == nil {
		_, err = bufio.NewReaderSize(conn, 16).ReadString('\n') // who it is, and nothing else
	}
	if err != nil {
		g.t.Fatal("nobody has come to the gate: ", err)
	}
	return &visitor{conn, g.t}
}

// alive reports whether the process still exists after this time.
func (v *visitor) alive(after time.Duration) bool {
	v.t.Helper()
	if err := v.SetReadDeadline(time.Now().Add(after)); err != nil {
		v.t.Fatal(err)
	}
	_, err := v.Read(make([]byte, 1))
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// free lets the process continue.
func (v *visitor) free() {
	_, _ = v.Write([]byte{'.'})
	_ = v.Close()
}
