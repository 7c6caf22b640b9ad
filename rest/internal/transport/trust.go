package transport

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// trust is the authority that a client trusts, and the certificate that it presents. Both are
// renewed if they come from files. It is not safe for concurrent use.
type trust struct {
	tls kubeconfig.TLS

	ca   []byte // as it was read
	pool *x509.CertPool

	cert, key []byte // as they were read
	pair      *tls.Certificate

	version int // counts the changes
}

// newTrust reads everything, so that a bad file is reported when the client is made.
func newTrust(t *kubeconfig.TLS) (*trust, error) {
	s := &trust{tls: *t}
	if err := s.loadCA(); err != nil {
		return nil, err
	}
	if len(s.ca) > 0 && t.Insecure {
		return nil, errors.New("a certificate authority is given, but verification is switched off")
	}
	if !t.HasCert() {
		return s, nil
	}
	return s, s.loadPair()
}

// fromFiles reports whether anything can change.
func (s *trust) fromFiles() bool {
	return s.tls.CAFile != "" || s.tls.CertFile != "" || s.tls.KeyFile != ""
}

// look reads the files again. If one is missing or half written, its old content stays.
func (s *trust) look() {
	if s.tls.CAFile != "" {
		_ = s.loadCA()
	}
	s.lookPair()
}

// lookPair reads the files of the client certificate again.
func (s *trust) lookPair() {
	if s.tls.CertFile != "" || s.tls.KeyFile != "" {
		_ = s.loadPair()
	}
}

// loadCA reads the certificate authority.
func (s *trust) loadCA() error {
	ca, err := dataOrFile(s.tls.CAData, s.tls.CAFile, "certificate authority")
	if err != nil || len(ca) == 0 || bytes.Equal(ca, s.ca) {
		return err
	}
	pool := x509.NewCertPool()
	if !s.tls.Insecure && !pool.AppendCertsFromPEM(ca) {
		return errors.New("the certificate authority holds no certificate in PEM")
	}
	s.ca, s.pool = ca, pool
	s.version++
	return nil
}

// loadPair reads the client certificate and its key.
func (s *trust) loadPair() error {
	cert, err := dataOrFile(s.tls.CertData, s.tls.CertFile, "client certificate")
	if err != nil {
		return err
	}
	key, err := dataOrFile([]byte(s.tls.KeyData), s.tls.KeyFile, "client key")
	switch {
	case err != nil:
		return err
	case len(cert) == 0:
		return errors.New("a client key is given without a certificate")
	case len(key) == 0:
		return errors.New("a client certificate is given without a key")
	case bytes.Equal(cert, s.cert) && bytes.Equal(key, s.key):
		return nil
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("client certificate: %w", err)
	}
	s.cert, s.key, s.pair = cert, key, &pair
	s.version++
	return nil
}

// config returns the settings of new connections, without the client certificate.
func (s *trust) config() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         s.tls.ServerName,
		InsecureSkipVerify: s.tls.Insecure,
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

// dataOrFile returns data or, if there is none, the content of the file.
func dataOrFile(data []byte, file, what string) ([]byte, error) {
	if len(data) > 0 || file == "" {
		return data, nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if len(raw) == 0 {
		return nil, fmt.Errorf("%s: %s is empty", what, file)
	}
	return raw, nil
}
