package realapi

import (
	"bytes"
	"sync"
)

// buildLog counts the lines that go build -v writes, one a package, and keeps the last bytes of
// them.
type buildLog struct {
	mu   sync.Mutex
	n    int
	last []byte
}

const buildLogTail = 4 << 10

// Write implements io.Writer.
func (l *buildLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n += bytes.Count(p, []byte("\n"))
	l.last = append(l.last, p...)
	if over := len(l.last) - buildLogTail; over > 0 {
		l.last = append(l.last[:0], l.last[over:]...)
	}
	return len(p), nil
}

func (l *buildLog) lines() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func (l *buildLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.last)
}
