package transport

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tideway-go/tideway/rest/internal/files"
	"github.com/tideway-go/tideway/rest/internal/pace"
)

const (
	// fileLife is how long the content of a file with a token, a certificate or a key is used
	// before the file is read again. Such files are renewed well before their content expires.
	fileLife = 50 * time.Second
	// fileGrace is how long a request waits for a file that is read again, before it goes on with
	// the old content.
	fileGrace = time.Second
	// Refusals of the server have a file read this often at once, and then once in a second.
	fileBurst, fileEvery = 10, time.Second
)

// tokenFile is a file with a token, which is read again from time to time.
type tokenFile struct {
	file *files.File
	pace pace.Pace // of the readings that refusals lead to

	mu      sync.Mutex
	value   *credential // the last good one, or the inline token
	version int         // of the content that it is made of
	looked  time.Time   // zero: look again
}

// newTokenFile reads the file. With an inline token, that one is used until the file can be read.
func newTokenFile(path string, inline *credential) (*tokenFile, error) {
	f := &tokenFile{value: inline, looked: time.Now(), pace: pace.Pace{Burst: fileBurst, Every: fileEvery}}
	f.file = files.New(path, files.MaxToken, func(raw []byte) error {
		switch token := strings.TrimSpace(string(raw)); {
		case token == "":
			return errors.New(path + " is empty")
		case !printable(token):
			return errors.New(path + " has characters that no header can carry")
		}
		return nil
	})
	patience := files.Patience
	if inline.header != "" {
		patience = fileGrace
	}
	if err := f.file.Look(nil, patience); err != nil && inline.header == "" {
		return nil, fmt.Errorf("token file: %w", err)
	}
	return f, nil
}

func (f *tokenFile) any() bool { return true }

func (f *tokenFile) get(ctx context.Context) (*credential, error) {
	if f.due() {
		// A file that is missing or empty for a moment, while it is replaced, or that blocks, keeps
		// the old token: the server decides whether it is still valid.
		_ = f.file.Look(ctx.Done(), fileGrace)
	}
	return f.current(), nil
}

// due reports whether it is time to read the file, for one caller.
func (f *tokenFile) due() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.looked) < fileLife {
		return false
	}
	f.looked = time.Now()
	return true
}

// current returns the token that was read last.
func (f *tokenFile) current() *credential {
	content, version := f.file.Content()
	f.mu.Lock()
	defer f.mu.Unlock()
	if version > f.version {
		f.version = version
		if header := "Bearer " + strings.TrimSpace(string(content)); header != f.value.header {
			f.value = &credential{header: header}
		}
	}
	return f.value
}

func (f *tokenFile) renew(ctx context.Context, c *credential) (*credential, error) {
	value := f.current()
	if value.same(c) && f.pace.Take() {
		f.mu.Lock()
		f.looked = time.Now()
		f.mu.Unlock()
		_ = f.file.Look(ctx.Done(), fileGrace)
		value = f.current()
	}
	if value.same(c) {
		return nil, nil
	}
	return value, nil
}

func (f *tokenFile) refuse(c *credential) {
	if !f.current().same(c) || !f.pace.Take() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked = time.Time{}
}
