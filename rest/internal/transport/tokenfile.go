package transport

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// fileLife is how long the content of a file with a token, a certificate or a key is used before
// the file is read again. Such files are renewed well before their content expires.
const fileLife = 50 * time.Second

// tokenFile is a file with a token, which is read again from time to time.
type tokenFile struct {
	path string

	mu     sync.Mutex
	value  *credential // the last good one, or the inline token
	looked time.Time   // zero: look again
}

func (f *tokenFile) any() bool { return true }

func (f *tokenFile) get(context.Context) (*credential, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.looked.IsZero() || time.Since(f.looked) >= fileLife {
		// A file that is missing or empty for a moment, while it is replaced, keeps the old token:
		// the server decides whether it is still valid.
		_ = f.read()
	}
	return f.value, nil
}

func (f *tokenFile) renew(_ context.Context, c *credential) *credential {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.value.same(c) {
		_ = f.read()
	}
	if f.value.same(c) {
		return nil
	}
	return f.value
}

func (f *tokenFile) refused(c *credential) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.value.same(c) {
		f.looked = time.Time{}
	}
}

// read reads the file. The caller holds mu, or is alone.
func (f *tokenFile) read() error {
	f.looked = time.Now()
	// By path each time: the file is replaced by means of a symbolic link.
	raw, err := os.ReadFile(f.path)
	if err != nil {
		return fmt.Errorf("token file: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	switch {
	case token == "":
		return fmt.Errorf("token file %s is empty", f.path)
	case !printable(token):
		return fmt.Errorf("token file %s has characters that no header can carry", f.path)
	}
	if header := "Bearer " + token; header != f.value.header {
		f.value = &credential{header: header}
	}
	return nil
}
