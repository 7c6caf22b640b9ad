package transport

import (
	"context"
	"crypto/tls"
	"fmt"
	"sync"

	"github.com/tideway-go/tideway/rest/internal/flight"
	"github.com/tideway-go/tideway/rest/internal/plugin"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// execCredentials come from a credential plugin. However many requests need one at the same time,
// the program runs once. It is killed when no request waits for it any more.
type execCredentials struct {
	run    func(ctx context.Context) (*credential, error)
	flight flight.Flight[*credential]

	mu     sync.Mutex
	cached *credential // nil: there is none, or the server has refused it
}

func newExecCredentials(cfg *kubeconfig.Config, o *Options) *execCredentials {
	x, allow := *cfg.Exec, plugin.Allow(o.AllowExec)
	cluster := plugin.Cluster{
		Server:             cfg.Server,
		ServerName:         cfg.TLS.ServerName,
		Insecure:           cfg.TLS.Insecure,
		ProxyURL:           cfg.ProxyURL,
		DisableCompression: cfg.DisableCompression,
		Config:             x.ClusterConfig,
	}
	if u, err := cfg.URL(); err == nil {
		cluster.Server = u.String()
	}
	trust := cfg.TLS
	return &execCredentials{run: func(ctx context.Context) (*credential, error) {
		told := cluster
		ca, err := dataOrFile(trust.CAData, trust.CAFile, "certificate authority")
		if err != nil {
			return nil, err
		}
		told.CAData = ca
		c, err := plugin.Run(ctx, &x, &told, allow)
		if err != nil {
			return nil, err
		}
		return printed(&x, &c)
	}}
}

// printed makes a credential of what the program printed.
func printed(x *kubeconfig.Exec, c *plugin.Credential) (*credential, error) {
	value := &credential{expires: c.Expires}
	if c.Token != "" {
		value.header = "Bearer " + c.Token
	}
	if len(c.Cert) > 0 {
		pair, err := tls.X509KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, fmt.Errorf("credential plugin %q: its certificate: %w", x.Command, err)
		}
		value.cert = &pair
	}
	return value, nil
}

func (e *execCredentials) any() bool { return true }

func (e *execCredentials) get(ctx context.Context) (*credential, error) {
	if c := e.valid(); c != nil {
		return c, nil
	}
	return e.flight.Do(ctx, func(ctx context.Context) (*credential, error) {
		if c := e.valid(); c != nil {
			return c, nil // another run has just ended
		}
		c, err := e.run(ctx)
		if err == nil {
			e.keep(ctx, c)
		}
		return c, err
	})
}

// valid returns the credential that was printed last, nil if it cannot be used any more.
func (e *execCredentials) valid() *credential {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cached == nil || e.cached.expired() {
		return nil
	}
	return e.cached
}

// keep stores the credential of a run, unless no request waits for the run any more.
func (e *execCredentials) keep(ctx context.Context, c *credential) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ctx.Err() == nil {
		e.cached = c
	}
}

func (e *execCredentials) renew(ctx context.Context, c *credential) *credential {
	e.refused(c)
	value, err := e.get(ctx)
	if err != nil || value.same(c) {
		return nil // the next request reports why
	}
	return value
}

func (e *execCredentials) refused(c *credential) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cached == c {
		e.cached = nil
	}
}
