package transport

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// credential is what a request shows to the server. It is never changed: a renewed credential is
// another value.
type credential struct {
	header  string           // Authorization, "" if none
	cert    *tls.Certificate // printed by a plugin, nil if none
	expires time.Time        // zero: unknown
}

// expired reports whether c has expired.
func (c *credential) expired() bool { return !c.expires.IsZero() && !time.Now().Before(c.expires) }

// same reports whether c and d are the same to a server.
func (c *credential) same(d *credential) bool {
	return c.header == d.header && sameCert(c.cert, d.cert)
}

// credentials provides the credential of a request.
type credentials interface {
	// get returns the current one.
	get(ctx context.Context) (*credential, error)
	// renew returns one that replaces c, which the server has refused; nil if there is none. It
	// fails only if ctx ends.
	renew(ctx context.Context, c *credential) (*credential, error)
	// refuse drops c, which the server has refused.
	refuse(c *credential)
	// any reports whether there are credentials at all.
	any() bool
}

// authorization is who makes a request, and who is impersonated.
type authorization struct {
	credentials
	as http.Header
}

// newAuthorization checks the credentials and the impersonation of cfg.
func newAuthorization(cfg *kubeconfig.Config, o *Options, s *sources) (*authorization, error) {
	c, err := newCredentials(cfg, o, s)
	if err != nil {
		return nil, err
	}
	as, err := impersonation(&cfg.Impersonate)
	return &authorization{c, as}, err
}

// newCredentials checks the credentials of cfg. A token file must be readable unless there is an
// inline token, which is used until it is.
func newCredentials(cfg *kubeconfig.Config, o *Options, s *sources) (credentials, error) {
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
		return newTokenFile(cfg.TokenFile, &c)
	}
	if cfg.Exec != nil {
		if err := cfg.Exec.Validate(); err != nil {
			return nil, err
		}
		if token == "" && !cfg.TLS.HasCert() {
			return newExecCredentials(cfg, o, &s.ca), nil
		}
	}
	return fixed{c}, nil
}

// fixed never changes.
type fixed struct{ credential }

func (f fixed) get(context.Context) (*credential, error) { return &f.credential, nil }

func (f fixed) renew(context.Context, *credential) (*credential, error) { return nil, nil }

func (f fixed) refuse(*credential) {}
func (f fixed) any() bool          { return f.header != "" }

// printable reports whether s can stand in a header.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return false
		}
	}
	return true
}
