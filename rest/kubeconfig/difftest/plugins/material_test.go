package plugins

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"
	"sync"
	"time"
)

const (
	v1      = "client.authentication.k8s.io/v1"
	v1beta1 = "client.authentication.k8s.io/v1beta1"
)

// pair is a certificate and its key in PEM.
type pair struct{ cert, key string }

// pairs holds one pair for each name.
var pairs sync.Map

// named returns the pair with this name.
func named(name string) pair {
	if known, ok := pairs.Load(name); ok {
		if p, ok := known.(pair); ok {
			return p
		}
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		panic(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		panic(err)
	}
	p := pair{
		cert: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		key:  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})),
	}
	pairs.Store(name, p)
	return p
}

// with returns the members of a status with the pair.
func (p pair) with(more string) string {
	return `{` + more + `"clientCertificateData":` + quote(p.cert) + `,"clientKeyData":` + quote(p.key) + `}`
}

// quote encodes v as JSON.
func quote(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// credential returns the output of a plugin with this status.
func credential(status string) string { return versioned(v1, status) }

func versioned(version, status string) string {
	return `{"apiVersion":"` + version + `","kind":"ExecCredential","status":` + status + `}`
}

// token returns the output of a plugin with a token.
func token(t string) string { return credential(`{"token":` + quote(t) + `}`) }

// encrypted returns the key in a form that seems to require a password.
func encrypted(key string) string {
	block, _ := pem.Decode([]byte(key))
	for i := range block.Bytes {
		block.Bytes[i] ^= 0x55
	}
	block.Type = "ENCRYPTED PRIVATE KEY"
	return string(pem.EncodeToMemory(block))
}

// long returns more than fits into a pipe.
func long(s string) string { return strings.Repeat(s, 1<<18) }

// encode writes a certificate in PEM.
func encode(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}
