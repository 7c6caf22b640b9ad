package transport

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/rest/internal/redact"
)

// carried are the secrets that the requests of a client have carried lately. Servers and proxies
// repeat them: a page for a bad request shows its headers.
type carried struct {
	proxies redact.Values // what proxies are told

	mu     sync.Mutex
	recent []string      // values of headers, the last one first
	values redact.Values // what they consist of, and the proxies'; nil: not known yet
}

// mostCarried is how many values are remembered: credentials that are renewed now and then, and
// those of requests that bring their own.
const mostCarried = 8

// leastCarried is how many bytes a secret has that is hidden. Shorter ones may be any word.
const leastCarried = 6

// newCarried knows what the proxies are told: this one, or those of the environment.
func newCarried(proxy string) *carried {
	c := &carried{proxies: redact.Values{}}
	addresses := []string{proxy}
	if proxy == "" {
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
			addresses = append(addresses, os.Getenv(name), os.Getenv(strings.ToLower(name)))
		}
	}
	for _, a := range addresses {
		if u, err := url.Parse(a); err == nil && u.User != nil {
			password, _ := u.User.Password()
			addSecret(c.proxies, "Basic "+base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
		}
	}
	return c
}

// note remembers what a request carries.
func (c *carried) note(h http.Header) {
	for name, values := range h {
		if !isCredential(name) {
			continue
		}
		for _, v := range values {
			c.add(v)
		}
	}
}

// isCredential reports whether a header lets one in.
func isCredential(name string) bool {
	switch name {
	case "Authorization", "Proxy-Authorization", "Cookie":
		return true
	}
	return strings.HasPrefix(name, "X-") && redact.Telling(name)
}

func (c *carried) add(value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.Index(c.recent, value)
	switch {
	case at == 0:
		return
	case at > 0:
		c.recent = slices.Delete(c.recent, at, at+1)
	}
	c.recent = slices.Insert(c.recent, 0, value)
	if len(c.recent) > mostCarried {
		c.recent = c.recent[:mostCarried]
	}
	c.values = nil
}

// all returns the secrets, which must not be changed.
func (c *carried) all() redact.Values {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = redact.Values{}
		for v := range c.proxies {
			c.values[v] = true
		}
		for _, v := range c.recent {
			addSecret(c.values, v)
		}
	}
	return c.values
}

// addSecret adds the value of a header, and what is a secret inside of it: the token after the
// scheme, the password in base64, the value of a cookie.
func addSecret(to redact.Values, header string) {
	add := func(s string) {
		if len(s) >= leastCarried {
			to[s] = true
		}
	}
	scheme, token, found := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	if !found || strings.Contains(scheme, "=") {
		token = header
	}
	add(token)
	if raw, err := base64.StdEncoding.DecodeString(token); err == nil && strings.EqualFold(scheme, "Basic") {
		_, password, _ := strings.Cut(string(raw), ":")
		add(password)
	}
	for part := range strings.FieldsFuncSeq(token, func(r rune) bool { return r == ';' || r == ',' || r == ' ' }) {
		if _, value, ok := strings.Cut(part, "="); ok {
			add(strings.Trim(value, `"`))
		}
	}
}

// Hide returns a text without the secrets that the client's requests have carried. A text whose end
// is missing may end inside one.
func (t *Transport) Hide(text string, complete bool) string {
	return t.carried.all().Hide(text, complete)
}

// HideIn returns an error with the same causes and without those secrets in its text.
func (t *Transport) HideIn(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if shown := t.Hide(text, true); shown != text {
		return line.As(shown, err)
	}
	return line.Error(err)
}
