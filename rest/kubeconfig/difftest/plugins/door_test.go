package plugins

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// door is an API server that notes who sends requests, and refuses some.
type door struct {
	*httptest.Server
	refuse []string // tokens and certificate names
	hold   int      // how many of the refused are refused together

	mu   sync.Mutex
	seen []string
	held int
	full chan struct{} // closed when held has reached hold
}

// newDoor starts a server. A secure one asks for certificates, as API servers do.
func newDoor(t *testing.T, secure, http2 bool) *door {
	t.Helper()
	d := &door{full: make(chan struct{})}
	d.Server = httptest.NewUnstartedServer(d)
	d.Config.ErrorLog = log.New(io.Discard, "", 0)
	if secure {
		d.EnableHTTP2 = http2
		d.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
		d.StartTLS()
	} else {
		d.Start()
	}
	t.Cleanup(d.Close)
	return d
}

// ServeHTTP implements [http.Handler].
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who, refused := []string{r.Header.Get("Authorization")}, false
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		name := r.TLS.PeerCertificates[0].Subject.CommonName
		who = append(who, "CN="+name)
		refused = slices.Contains(d.refuse, name)
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		refused = refused || slices.Contains(d.refuse, token)
	}
	for _, as := range []string{"Impersonate-User", "Impersonate-Group"} {
		if v := r.Header.Values(as); len(v) > 0 {
			who = append(who, as+"="+strings.Join(v, ","))
		}
	}
	body, _ := io.ReadAll(r.Body)
	if len(body) > 0 {
		who = append(who, "body="+string(body))
	}
	d.mu.Lock()
	d.seen = append(d.seen, strings.TrimSpace(strings.Join(who, " ")))
	if refused && d.hold > 0 {
		d.held++
		if d.held == d.hold {
			close(d.full)
		}
	}
	d.mu.Unlock()
	if !refused {
		_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1"}`)
		return
	}
	if d.hold > 0 {
		select {
		case <-d.full:
		case <-r.Context().Done():
		}
	}
	w.WriteHeader(http.StatusUnauthorized)
}

// take returns who sent requests, in order or sorted, and forgets them.
func (d *door) take(sorted bool) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	seen := d.seen
	if sorted {
		slices.Sort(seen)
	}
	d.seen, d.held, d.full = nil, 0, make(chan struct{})
	return seen
}

// ca returns the certificate to trust.
func (d *door) ca() []byte {
	if d.Certificate() == nil {
		return nil
	}
	return encode(d.Certificate())
}
