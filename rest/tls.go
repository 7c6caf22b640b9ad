package rest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// newTLS makes the TLS configuration of a client. Files are read now, so that a
// wrong one is told when the client is made; a client certificate from files is
// read again for every connection, since it may have been renewed.
func newTLS(t *kubeconfig.TLS) (*tls.Config, error) {
	c := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         t.ServerName,
		InsecureSkipVerify: t.Insecure,
	}
	ca, err := dataOrFile(t.CAData, t.CAFile, "certificate authority")
	if err != nil {
		return nil, err
	}
	if len(ca) > 0 {
		if t.Insecure {
			return nil, errors.New("a certificate authority is given, and verification is switched off")
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(ca) {
			return nil, errors.New("the certificate authority holds no certificate in PEM")
		}
	}
	if !t.HasCert() {
		return c, nil
	}
	k := &keyPair{tls: *t}
	if err := k.load(); err != nil {
		return nil, err
	}
	c.GetClientCertificate = k.get
	return c, nil
}

// keyPair is the client certificate and its key.
type keyPair struct {
	tls kubeconfig.TLS

	mu   sync.Mutex
	last *tls.Certificate // the last good one
}

// load reads the pair from where it is configured.
func (k *keyPair) load() error {
	cert, err := dataOrFile(k.tls.CertData, k.tls.CertFile, "client certificate")
	if err != nil {
		return err
	}
	key, err := dataOrFile([]byte(k.tls.KeyData), k.tls.KeyFile, "client key")
	if err != nil {
		return err
	}
	switch {
	case len(cert) == 0:
		return errors.New("a client key is given without a certificate")
	case len(key) == 0:
		return errors.New("a client certificate is given without a key")
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("client certificate: %w", err)
	}
	k.last = &pair
	return nil
}

// get answers the request of a server for a certificate.
func (k *keyPair) get(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tls.CertFile != "" || k.tls.KeyFile != "" {
		_ = k.load() // half of a renewed pair, or none, keeps the last good one
	}
	return k.last, nil
}

// dataOrFile returns data, or else the content of the file.
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
