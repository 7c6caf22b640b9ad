package plugin

import (
	"bytes"
	"sync"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// Complaint is the end of what a program has written to its standard error so far. It is safe for
// concurrent use, so that those who give up can say what the program was waiting for.
type Complaint struct {
	x *kubeconfig.Exec

	mu  sync.Mutex
	buf []byte
	cut bool // something before buf is missing
}

// NewComplaint returns an empty one for the program of x.
func NewComplaint(x *kubeconfig.Exec) *Complaint { return &Complaint{x: x} }

// Write implements [io.Writer].
func (c *Complaint) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf = append(c.buf, p...)
	if over := len(c.buf) - maxStderr; over > 0 {
		c.buf = append(c.buf[:0], c.buf[over:]...)
		c.cut = true
	}
	return len(p), nil
}

// Explain adds the complaint to an error, without the secrets in it. A nil Complaint adds nothing.
func (c *Complaint) Explain(err error) error {
	if c == nil {
		return err
	}
	return failed(c.x, err, c.end())
}

// end returns a copy of the text.
func (c *Complaint) end() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.cut {
		return bytes.Clone(c.buf)
	}
	// The first word may be the rest of a secret, which nothing would recognise any more.
	if i := bytes.IndexAny(c.buf, " \t\r\n"); i >= 0 {
		return append([]byte("... "), bytes.TrimSpace(c.buf[i:])...)
	}
	return nil
}
