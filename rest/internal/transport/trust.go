package transport

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"slices"

	"github.com/tideway-go/tideway/rest/internal/files"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// trust is the authority that a client trusts, and the certificate that it presents. Both are
// renewed if they come from files. It reads none itself, and is not safe for concurrent use.
type trust struct {
	*sources
	serverName string
	insecure   bool

	pool *x509.CertPool
	pair *tls.Certificate
	seen [3]int // the versions of the sources that were looked at

	version int // counts the changes
}

// newTrust reads everything, so that a bad file is reported when the client is made.
func newTrust(t *kubeconfig.TLS, s *sources) (*trust, error) {
	if err := s.look(nil, files.Patience); err != nil {
		return nil, err
	}
	own := &trust{sources: s, serverName: t.ServerName, insecure: t.Insecure}
	if err := own.loadCA(); err != nil {
		return nil, err
	}
	if ca, _ := s.ca.content(); len(ca) > 0 && t.Insecure {
		return nil, errors.New("a certificate authority is given, but verification is switched off")
	}
	if !t.HasCert() {
		return own, nil
	}
	return own, own.loadPair()
}

// adopt takes over what the files hold now. If they cannot be used, what was there before stays.
func (s *trust) adopt() {
	var now [3]int
	for i, one := range []*source{&s.ca, &s.cert, &s.key} {
		_, now[i] = one.content()
	}
	if now == s.seen {
		return
	}
	if now[0] != s.seen[0] {
		_ = s.loadCA()
	}
	if now[1] != s.seen[1] || now[2] != s.seen[2] {
		_ = s.loadPair()
	}
}

// loadCA makes the pool of the certificate authority.
func (s *trust) loadCA() error {
	ca, version := s.ca.content()
	s.seen[0] = version
	if len(ca) == 0 {
		return nil
	}
	pool := x509.NewCertPool()
	if !s.insecure && !pool.AppendCertsFromPEM(ca) {
		if s.ca.path == "" {
			return errors.New("the certificate authority holds no certificate in PEM")
		}
		return s.ca.failed(errors.New("it holds no certificate in PEM"))
	}
	s.pool = pool
	s.version++
	return nil
}

// loadPair makes a pair of the client certificate and its key.
func (s *trust) loadPair() error {
	cert, certVersion := s.cert.content()
	key, keyVersion := s.key.content()
	s.seen[1], s.seen[2] = certVersion, keyVersion
	switch {
	case len(cert) == 0:
		return errors.New("a client key is given without a certificate")
	case len(key) == 0:
		return errors.New("a client certificate is given without a key")
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		if s.key.path != "" {
			err = s.key.failed(err)
		}
		return s.cert.failed(err)
	}
	s.pair = &pair
	s.version++
	return nil
}

// config returns the settings of new connections, without the client certificate.
func (s *trust) config() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         s.serverName,
		InsecureSkipVerify: s.insecure,
		RootCAs:            s.pool,
	}
}

// sameCert reports whether two certificates are the same to a server.
func sameCert(a, b *tls.Certificate) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a == b || slices.EqualFunc(a.Certificate, b.Certificate, bytes.Equal)
}
