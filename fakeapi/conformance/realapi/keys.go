package realapi

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

const certLife = 7 * 24 * time.Hour

// The files that writeKeys makes in the folder of the servers.
const (
	caFile      = "ca.crt"
	certFile    = "tls.crt"
	keyFile     = "tls.key"
	saKeyFile   = "sa.key"
	saPublicKey = "sa.pub"
)

// writeKeys makes a CA, a serving certificate for loopback that it signed, and the key of service
// account tokens. It returns the CA in PEM.
func writeKeys(f *folder) ([]byte, error) {
	caKey, err := newKey()
	if err != nil {
		return nil, err
	}
	ca := certTemplate("tideway-realapi-ca", 1)
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign|x509.KeyUsageDigitalSignature
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, caKey.Public(), caKey)
	if err != nil {
		return nil, fmt.Errorf("realapi: make CA: %w", err)
	}
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	serving := certTemplate("kube-apiserver", 2)
	serving.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	serving.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	serving.DNSNames = []string{"localhost", "kubernetes.default.svc"}
	der, err := x509.CreateCertificate(rand.Reader, serving, ca, key.Public(), caKey)
	if err != nil {
		return nil, fmt.Errorf("realapi: make serving certificate: %w", err)
	}
	saKey, err := newKey()
	if err != nil {
		return nil, err
	}
	caPEM := encodePEM("CERTIFICATE", caDER)
	files := map[string][]byte{caFile: caPEM, certFile: encodePEM("CERTIFICATE", der)}
	if err := addKeys(files, key, saKey); err != nil {
		return nil, err
	}
	for name, data := range files {
		if err := os.WriteFile(f.join(name), data, 0o600); err != nil {
			return nil, fmt.Errorf("realapi: write keys: %w", err)
		}
	}
	return caPEM, nil
}

// addKeys adds the private and public keys in the formats that kube-apiserver reads.
func addKeys(files map[string][]byte, serving, serviceAccounts *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(serving)
	if err != nil {
		return fmt.Errorf("realapi: encode key: %w", err)
	}
	files[keyFile] = encodePEM("EC PRIVATE KEY", der)
	if der, err = x509.MarshalECPrivateKey(serviceAccounts); err != nil {
		return fmt.Errorf("realapi: encode key: %w", err)
	}
	files[saKeyFile] = encodePEM("EC PRIVATE KEY", der)
	if der, err = x509.MarshalPKIXPublicKey(serviceAccounts.Public()); err != nil {
		return fmt.Errorf("realapi: encode key: %w", err)
	}
	files[saPublicKey] = encodePEM("PUBLIC KEY", der)
	return nil
}

func newKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("realapi: make key: %w", err)
	}
	return key, nil
}

func certTemplate(name string, serial int64) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		Subject:      pkix.Name{CommonName: name},
		SerialNumber: big.NewInt(serial),
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(certLife),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func encodePEM(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
