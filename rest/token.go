package rest

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// fileLife is how long the content of a file with a token, a certificate or a
// key is taken for granted. Such files are renewed well before their content
// expires, so that a minute is enough.
const fileLife = 50 * time.Second

// credential is what a request shows. It is never changed: a renewed one is
// another.
type credential struct {
	header  string           // Authorization; "" none
	cert    *tls.Certificate // that a plugin printed; nil none
	expires time.Time        // zero: it is not known
}

// expired tells whether the time of c is over.
func (c *credential) expired() bool { return !c.expires.IsZero() && !time.Now().Before(c.expires) }

// same tells whether a server would see no difference.
func (c *credential) same(d *credential) bool {
	return c.header == d.header && sameCert(c.cert, d.cert)
}

// credentials is where the credential of a request comes from.
type credentials interface {
	// get returns the current one.
	get(ctx context.Context) (*credential, error)
	// renew returns one that replaces c, which the server has refused; nil
	// when there is none.
	renew(ctx context.Context, c *credential) *credential
	// refused tells that the server has refused c.
	refused(c *credential)
	// any tells whether there are credentials at all.
	any() bool
}

// authorization is who is asking, and as whom.
type authorization struct {
	credentials
	as http.Header
}

// newAuthorization checks who is asking, and as whom.
func newAuthorization(cfg *kubeconfig.Config, o *Options) (*authorization, error) {
	c, err := newCredentials(cfg, o)
	if err != nil {
		return nil, err
	}
	as, err := impersonation(&cfg.Impersonate)
	return &authorization{c, as}, err
}

// newCredentials checks the credentials of cfg. A token file must be readable
// unless an inline token stands in for it.
func newCredentials(cfg *kubeconfig.Config, o *Options) (credentials, error) {
	basic := cfg.Username != "" || cfg.Password != ""
	token := strings.TrimSpace(string(cfg.Token))
	switch {
	case basic && (token != "" || cfg.TokenFile != ""):
		return nil, errors.New("both a token and a username are given")
	case basic:
		pair := cfg.Username + ":" + string(cfg.Password)
		return fixed{credential{header: "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))}}, nil
	case !printable(token):
		return nil, errors.New("the token has characters that no header can carry")
	}
	var c credential
	if token != "" {
		c.header = "Bearer " + token
	}
	if cfg.TokenFile != "" {
		f := &tokenFile{path: cfg.TokenFile, value: &c}
		if err := f.read(); err != nil && token == "" {
			return nil, err
		}
		return f, nil
	}
	if cfg.Exec != nil {
		if err := cfg.Exec.Validate(); err != nil {
			return nil, err
		}
		if token == "" && !cfg.TLS.HasCert() {
			return newExecCredentials(cfg, o), nil
		}
	}
	return fixed{c}, nil
}

// fixed never changes.
type fixed struct{ credential }

func (f fixed) get(context.Context) (*credential, error)       { return &f.credential, nil }
func (f fixed) renew(context.Context, *credential) *credential { return nil }
func (f fixed) refused(*credential)                            {}
func (f fixed) any() bool                                      { return f.header != "" }

// tokenFile is a file with a token, which is read again and again.
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
		// A file that is missing or empty for a moment, while it is replaced,
		// keeps the old token: the server decides whether it still counts.
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
	// By path each time: the file is swapped by a symbolic link.
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

// printable tells whether s can stand in a header.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return false
		}
	}
	return true
}
