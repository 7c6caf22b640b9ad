package transport

import (
	"context"
	"crypto/tls"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tideway-go/tideway/rest/internal/flight"
	"github.com/tideway-go/tideway/rest/internal/pace"
	"github.com/tideway-go/tideway/rest/internal/plugin"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

const (
	// A plugin runs so often at once and then once in so long, whatever it does; and if the server
	// refuses what it prints, less often.
	pluginBurst, pluginEvery   = 10, time.Second
	refusedBurst, refusedEvery = 3, 10 * time.Second
)

// execCredentials come from a credential plugin. However many requests need one at the same time,
// the program runs once. It is killed when no request waits for it any more.
type execCredentials struct {
	exec   *kubeconfig.Exec
	run    func(context.Context, *plugin.Complaint) (*credential, error)
	flight flight.Flight[*credential]
	says   atomic.Pointer[plugin.Complaint] // of the run that is under way

	runs, renewals pace.Pace

	mu      sync.Mutex
	cached  *credential // what was printed last; nil: nothing yet
	refused *credential // by the server
	failure error       // of the last run, nil if it printed something
}

func newExecCredentials(cfg *kubeconfig.Config, o *Options, ca *source) *execCredentials {
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
	return &execCredentials{
		exec:     &x,
		runs:     pace.Pace{Burst: pluginBurst, Every: pluginEvery},
		renewals: pace.Pace{Burst: refusedBurst, Every: refusedEvery},
		run: func(ctx context.Context, says *plugin.Complaint) (*credential, error) {
			told := cluster
			err := look(ctx.Done(), fileGrace, ca)
			told.CAData, _ = ca.content() // that of before, if the file cannot be read now
			if err != nil && len(told.CAData) == 0 {
				return nil, err
			}
			c, err := plugin.Run(ctx, &x, &told, allow, says)
			if err != nil {
				return nil, err
			}
			return printed(&x, &c)
		},
	}
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
	c, err := e.flight.Do(ctx, func(ctx context.Context) (*credential, error) {
		if c := e.valid(); c != nil {
			return c, nil // another run has just ended
		}
		if c, err := e.early(); c != nil || err != nil {
			return c, err
		}
		says := plugin.NewComplaint(e.exec)
		e.says.Store(says)
		c, err := leaving(ctx, func() (*credential, error) { return e.run(ctx, says) })
		e.keep(ctx, c, err)
		return c, err
	})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = fmt.Errorf("credential plugin %q: it has not ended: %w", e.exec.Command, e.says.Load().Explain(cause))
	}
	return c, err
}

// leaving returns what run returns. Once ctx has ended, it waits for a moment at most: on a mount
// that hangs, a program can be neither started nor killed.
func leaving(ctx context.Context, run func() (*credential, error)) (*credential, error) {
	const moment = 5 * time.Second
	type result struct {
		value *credential
		err   error
	}
	done := make(chan result, 1) // so that a late one waits for nobody
	go func() {
		value, err := run()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	late := time.NewTimer(moment)
	defer late.Stop()
	select {
	case r := <-done:
		return r.value, r.err
	case <-late.C:
		return nil, context.Cause(ctx)
	}
}

// valid returns the credential that was printed last, nil if it cannot be used any more.
func (e *execCredentials) valid() *credential {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cached == nil || e.cached.expired() || e.cached == e.refused {
		return nil
	}
	return e.cached
}

// early returns what came of the last run if it is too early for another one. Both are nil if the
// plugin may run now.
func (e *execCredentials) early() (*credential, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	isRefused := e.cached != nil && e.cached == e.refused
	if (!isRefused || e.renewals.Take()) && e.runs.Take() {
		return nil, nil
	}
	switch {
	case e.cached != nil:
		return e.cached, nil // the server decides whether it is still good
	case e.failure != nil:
		return nil, fmt.Errorf("%w (it has failed too often to run again at once)", e.failure)
	}
	return nil, fmt.Errorf("credential plugin %q: it has run too often to run again at once", e.exec.Command)
}

// keep stores what came of a run, unless no request waits for the run any more.
func (e *execCredentials) keep(ctx context.Context, c *credential, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	e.failure = err
	if c != nil {
		e.cached = c
	}
}

func (e *execCredentials) renew(ctx context.Context, c *credential) (*credential, error) {
	e.refuse(c)
	value, err := e.get(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err == nil && !value.same(c) {
		return value, nil
	}
	return nil, nil // the next request reports why
}

func (e *execCredentials) refuse(c *credential) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cached == c {
		e.refused = c
	}
}
