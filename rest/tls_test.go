package rest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{}
	certPEM, keyPEM := a.sign(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "ca"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	a.cert, a.key, a.pem = pair.Leaf, pair.PrivateKey.(*ecdsa.PrivateKey), certPEM
	return a
}

// sign returns a certificate and its key in PEM. The first one is self-signed.
func (a *authority) sign(t *testing.T, template *x509.Certificate) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, private
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &private.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	pkcs, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs})
}

func (a *authority) client(t *testing.T, name string) (cert, key []byte) {
	t.Helper()
	return a.sign(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// tlsServer answers with a pod that is named after the client certificate, and has the protocol as
// its resource version.
func tlsServer(t *testing.T, a *authority, host string) *httptest.Server {
	t.Helper()
	certPEM, keyPEM := a.sign(t, &x509.Certificate{DNSNames: []string{host}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "nobody"
		if len(r.TLS.PeerCertificates) > 0 {
			name = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		_, _ = io.WriteString(w, told(name, r.Proto))
	}))
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: pool, MinVersion: tls.VersionTLS12}
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func TestTLS(t *testing.T) {
	a := newAuthority(t)
	cert, key := a.client(t, "jane")
	files := t.TempDir()
	caFile, certFile, keyFile := filepath.Join(files, "ca"), filepath.Join(files, "cert"), filepath.Join(files, "key")
	write(t, caFile, string(a.pem))
	write(t, certFile, string(cert))
	write(t, keyFile, string(key))
	const host = "kubernetes.default"
	s := tlsServer(t, a, host)

	for name, test := range map[string]struct {
		tls  kubeconfig.TLS
		o    rest.Options
		want string // the name and the protocol, or a part of the error
	}{
		"data":        {kubeconfig.TLS{CAData: a.pem, ServerName: host, CertData: cert, KeyData: kubeconfig.Secret(key)}, rest.Options{}, "jane HTTP/2.0"},
		"files":       {kubeconfig.TLS{CAFile: caFile, ServerName: host, CertFile: certFile, KeyFile: keyFile}, rest.Options{}, "jane HTTP/2.0"},
		"data wins":   {kubeconfig.TLS{CAData: a.pem, CAFile: "/nowhere", ServerName: host}, rest.Options{}, "nobody HTTP/2.0"},
		"insecure":    {kubeconfig.TLS{Insecure: true}, rest.Options{}, "nobody HTTP/2.0"},
		"HTTP/1.1":    {kubeconfig.TLS{Insecure: true}, rest.Options{HTTP1: true}, "nobody HTTP/1.1"},
		"wrong name":  {kubeconfig.TLS{CAData: a.pem}, rest.Options{}, "x509"},
		"not trusted": {kubeconfig.TLS{ServerName: host}, rest.Options{}, "x509"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := rest.New(kubeconfig.Config{Server: s.URL, TLS: test.tls}, test.o)
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseIdle()
			p, err := one(t, rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web"))
			if test.want == "x509" {
				if err == nil || !strings.Contains(err.Error(), "x509: ") {
					t.Errorf("error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Spec.NodeName + " " + p.Metadata.ResourceVersion; got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// The next connection uses a renewed client certificate. A half-written one does no harm.
func TestClientCertificateRotates(t *testing.T) {
	a := newAuthority(t)
	s := tlsServer(t, a, "x")
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	renew := func(name string) {
		cert, key := a.client(t, name)
		write(t, certFile, string(cert))
		write(t, keyFile, string(key))
	}
	renew("first")
	c, err := rest.New(kubeconfig.Config{Server: s.URL, TLS: kubeconfig.TLS{Insecure: true, CertFile: certFile, KeyFile: keyFile}}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	for _, step := range []struct {
		change func()
		want   string
	}{
		{func() {}, "first"},
		{func() { renew("second") }, "second"},
		{func() { write(t, keyFile, "") }, "second"},
	} {
		step.change()
		c.CloseIdle()
		p, err := one(t, rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web"))
		if err != nil {
			t.Fatal(err)
		}
		if p.Spec.NodeName != step.want {
			t.Errorf("came as %s, want %s", p.Spec.NodeName, step.want)
		}
	}
}
