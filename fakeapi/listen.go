package fakeapi

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Listen opens a TLS port on 127.0.0.1 and writes a kubeconfig for it into the folder: for kubectl,
// client-go, or a client in another language. It returns the path of the file, which only the owner
// can read. The port is closed with the server; a second call opens another one.
//
// The certificates are made for this server alone. The kubeconfig has the first of the tokens in
// order. If there are none, it has a token that is accepted like any other.
//
// Listen does not work inside testing/synctest, since a real port never lets a bubble become idle.
func (s *Server) Listen(ctx context.Context, dir string) (kubeconfigPath string, err error) {
	if ctx == nil {
		panic("fakeapi: nil context")
	}
	select {
	case <-s.done:
		return "", errClosed
	default:
	}
	ca, cert, err := newCertificate()
	if err != nil {
		return "", fmt.Errorf("fakeapi: listen: %w", err)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("fakeapi: listen: %w", err)
	}
	token := string(s.Config().Token)
	if token == "" {
		token = "fakeapi"
	}
	path := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(path, []byte(kubeconfigText("https://"+l.Addr().String(), ca, token)), 0o600); err != nil {
		_ = l.Close()
		return "", fmt.Errorf("fakeapi: listen: %w", err)
	}
	s.serve(tls.NewListener(faultListener{l, &s.connections}, &tls.Config{
		Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12,
	}))
	return path, nil
}

// kubeconfigText returns a kubeconfig with one context.
func kubeconfigText(server string, ca []byte, token string) string {
	return strings.NewReplacer("SERVER", server, "CA", base64.StdEncoding.EncodeToString(ca), "TOKEN", fmt.Sprintf("%q", token)).Replace(`apiVersion: v1
kind: Config
current-context: fakeapi
contexts:
- name: fakeapi
  context: {cluster: fakeapi, user: fakeapi, namespace: default}
clusters:
- name: fakeapi
  cluster:
    server: SERVER
    certificate-authority-data: CA
users:
- name: fakeapi
  user: {token: TOKEN}
`)
}

// newCertificate makes a certificate authority and, signed by it, a certificate for 127.0.0.1 and
// localhost.
func newCertificate() (ca []byte, cert tls.Certificate, err error) {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, cert, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, cert, err
	}
	begin, end := time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "fakeapi-ca"}, NotBefore: begin, NotAfter: end,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	caRaw, err := x509.CreateCertificate(rand.Reader, authority, authority, &caKey.PublicKey, caKey)
	if err != nil {
		return nil, cert, err
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "fakeapi"}, NotBefore: begin, NotAfter: end,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	raw, err := x509.CreateCertificate(rand.Reader, server, authority, &key.PublicKey, caKey)
	if err != nil {
		return nil, cert, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caRaw}), tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, nil
}
