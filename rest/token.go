package rest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// tokenLife is how long the content of a token file is taken for granted.
// Projected tokens rotate well before they expire, so that a minute is enough.
const tokenLife = 50 * time.Second

// authorization makes the Authorization header of every request.
type authorization struct {
	fixed string // the whole header where no file is involved
	file  string

	mu    sync.Mutex
	value string    // the last good header from file, or the inline token's
	read  time.Time // when the file was looked at; zero: look again
}

// newAuthorization checks the credentials of cfg. A token file must be readable
// unless an inline token stands in for it.
func newAuthorization(cfg *kubeconfig.Config) (*authorization, error) {
	a := &authorization{}
	basic := cfg.Username != "" || cfg.Password != ""
	token := strings.TrimSpace(string(cfg.Token))
	switch {
	case basic && (token != "" || cfg.TokenFile != ""):
		return nil, errors.New("both a token and a username are given")
	case basic:
		pair := cfg.Username + ":" + string(cfg.Password)
		a.fixed = "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
		return a, nil
	}
	if token != "" {
		if !printable(token) {
			return nil, errors.New("the token has characters that no header can carry")
		}
		a.fixed = "Bearer " + token
	}
	if cfg.TokenFile == "" {
		return a, nil
	}
	a.file, a.value, a.fixed = cfg.TokenFile, a.fixed, ""
	if err := a.refresh(); err != nil && a.value == "" {
		return nil, err
	}
	return a, nil
}

// any tells whether there are credentials at all.
func (a *authorization) any() bool { return a.fixed != "" || a.file != "" }

// header returns the value of the header, "" when there are no credentials.
func (a *authorization) header() string {
	if a.file == "" {
		return a.fixed
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.read.IsZero() || time.Since(a.read) >= tokenLife {
		// A file that is missing or empty for a moment, while it is replaced,
		// keeps the old token: the server decides whether it still counts.
		_ = a.refresh()
	}
	return a.value
}

// refused tells that the server answered 401 to header: if that is still the
// current one, the next request looks at the file again.
func (a *authorization) refused(header string) {
	if a.file == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.value == header {
		a.read = time.Time{}
	}
}

// refresh reads the file. The caller holds mu, or is alone.
func (a *authorization) refresh() error {
	a.read = time.Now()
	// By path each time: the file is swapped by a symbolic link.
	raw, err := os.ReadFile(a.file)
	if err != nil {
		return fmt.Errorf("token file: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	switch {
	case token == "":
		return fmt.Errorf("token file %s is empty", a.file)
	case !printable(token):
		return fmt.Errorf("token file %s has characters that no header can carry", a.file)
	}
	a.value = "Bearer " + token
	return nil
}

// printable tells whether s can stand in a header.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return false
		}
	}
	return true
}
