package transport

import (
	"context"
	"crypto/tls"
	"fmt"
	"sync"

	"github.com/tideway-go/tideway/rest/internal/plugin"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// execCredentials come from a credential plugin. However many requests need one at the same time,
// the program runs once. It is killed when no request waits for it any more.
type execCredentials struct {
	run func(ctx context.Context) (*credential, error)

	mu     sync.Mutex
	cached *credential // nil: there is none, or the server has refused it
	flight *flight     // nil: the program is not running
}

// flight is one run of the program.
type flight struct {
	waiters int // guarded by the mutex of execCredentials
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed once value and err are set
	value   *credential
	err     error
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
	e.mu.Lock()
	if c := e.cached; c != nil && !c.expired() {
		e.mu.Unlock()
		return c, nil
	}
	f := e.join(ctx)
	e.mu.Unlock()
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		e.leave(ctx, f)
		return nil, context.Cause(ctx)
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

// join starts the program unless it is running. The caller holds mu.
func (e *execCredentials) join(ctx context.Context) *flight {
	if e.flight == nil {
		f := &flight{done: make(chan struct{})}
		// The program outlives the request that started it as long as another one waits for it.
		var run context.Context
		run, f.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		e.flight = f
		go e.fly(run, f)
	}
	e.flight.waiters++
	return e.flight
}

// fly runs the program.
func (e *execCredentials) fly(ctx context.Context, f *flight) {
	defer close(f.done)
	defer f.cancel(nil)
	f.value, f.err = e.run(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.flight != f {
		return // no request waits any more
	}
	e.flight = nil
	if f.err == nil {
		e.cached = f.value
	}
}

// leave is for a request that has ended. The last one kills the program, and waits for its end.
func (e *execCredentials) leave(ctx context.Context, f *flight) {
	e.mu.Lock()
	f.waiters--
	last := f.waiters == 0
	if last && e.flight == f {
		e.flight = nil
	}
	e.mu.Unlock()
	if last {
		f.cancel(context.Cause(ctx))
		<-f.done
	}
}
