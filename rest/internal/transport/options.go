package transport

import (
	"context"
	"errors"
	"net"
	"net/http"
	"reflect"
	"time"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// Options change how a [Transport] connects. Package rest documents them; the zero value of each is
// the default.
type Options struct {
	UserAgent           string
	Dial                func(ctx context.Context, network, address string) (net.Conn, error)
	PingInterval        time.Duration
	PingTimeout         time.Duration
	HTTP1               bool
	UnencryptedHTTP2    bool
	CredentialsOverHTTP bool
	Transport           http.RoundTripper
	AllowExec           func(path string) error

	ownDial bool // Dial is the caller's
}

const (
	defaultPingInterval = 30 * time.Second
	defaultPingTimeout  = 15 * time.Second
)

// withDefaults returns a copy with the defaults filled in.
func (o Options) withDefaults() Options {
	if o.UserAgent == "" {
		o.UserAgent = userAgent()
	}
	o.ownDial = o.Dial != nil
	if o.Dial == nil {
		o.Dial = dialer()
	}
	o.PingInterval = defaultDuration(o.PingInterval, defaultPingInterval)
	o.PingTimeout = defaultDuration(o.PingTimeout, defaultPingTimeout)
	return o
}

// defaultDuration returns d if v is zero; a negative v means none.
func defaultDuration(v, d time.Duration) time.Duration {
	if v == 0 {
		return d
	}
	return max(v, 0)
}

// check refuses what cannot be used, and what would have no effect with a transport of the
// caller's.
func (o *Options) check(cfg *kubeconfig.Config) error {
	switch {
	case !printable(o.UserAgent):
		return errors.New("the user agent has characters that no header can carry")
	case o.Transport == nil:
		return nil
	case o.Dial != nil, o.PingInterval != 0, o.PingTimeout != 0, o.HTTP1, o.UnencryptedHTTP2:
		return errors.New("option Transport decides about connections: Dial, PingInterval, PingTimeout, HTTP1 and UnencryptedHTTP2 are not for it")
	case !reflect.ValueOf(cfg.TLS).IsZero(), cfg.ProxyURL != "":
		return errors.New("option Transport decides about TLS and proxies: the configuration has some of its own")
	}
	return nil
}

// credentialsOf says what kind of credentials the requests carry.
func credentialsOf(cfg *kubeconfig.Config, o *Options) string {
	kind := cfg.Credentials()
	if kind == "none" && o.Transport != nil {
		return "transport"
	}
	return kind
}
