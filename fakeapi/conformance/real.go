package conformance

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/tideway-go/tideway/fakeapi/conformance/realapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// real is the real server, which all tests of a package share.
type real struct {
	server *realapi.Server
}

// shared is the real server of this process, started when the first test asks for it.
var shared struct {
	sync.Mutex
	started chan struct{} // closed when server and err are there; nil until somebody asks
	cancel  context.CancelFunc
	server  *realapi.Server
	err     error
}

// Real gives the real server, and starts it for the first who asks.
func Real(t testing.TB) Server {
	t.Helper()
	shared.Lock()
	if shared.started == nil {
		// Not the context of the test: the server outlives it.
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		started := make(chan struct{})
		shared.started, shared.cancel = started, cancel
		go func() {
			defer close(started)
			shared.server, shared.err = realapi.Start(ctx, realapi.Options{})
		}()
	}
	started := shared.started
	shared.Unlock()
	<-started
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return &real{server: shared.server}
}

// stopReal stops the real server, also in the middle of its start.
func stopReal() error {
	shared.Lock()
	started, cancel := shared.started, shared.cancel
	shared.Unlock()
	if started == nil {
		return nil
	}
	cancel()
	<-started
	if shared.server == nil {
		return nil
	}
	return shared.server.Stop()
}

// Name implements Server.
func (r *real) Name() string { return RealName }

// Config implements Server.
func (r *real) Config() kubeconfig.Config {
	return kubeconfig.Config{
		Server:    r.server.URL(),
		Namespace: kubeconfig.DefaultNamespace,
		TLS:       kubeconfig.TLS{CAData: r.server.CA()},
		Token:     kubeconfig.Secret(realapi.Admin.Token),
	}
}

// Options implements Server.
func (r *real) Options() rest.Options { return rest.Options{} }

// Client implements Server.
func (r *real) Client(t testing.TB) *rest.Client {
	t.Helper()
	return newClient(t, r)
}

// Transport implements Server.
func (r *real) Transport() (transport *http.Transport, url string) {
	return r.server.Transport(), r.server.URL()
}

// Compact restarts the server too: until its cache has noticed the compaction it would go on to
// serve from there.
func (r *real) Compact(t testing.TB) {
	t.Helper()
	if _, err := r.server.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Restart(t)
}

// Restart implements Server.
func (r *real) Restart(t testing.TB) {
	t.Helper()
	if err := r.server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
}
