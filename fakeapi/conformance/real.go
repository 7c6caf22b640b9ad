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

// real is the real server, shared by all tests of a package.
type real struct {
	server *realapi.Server
}

// shared is the real server of this process. The first test that asks for it starts it.
var shared struct {
	sync.Mutex
	started chan struct{} // closed once server and err are set; nil until somebody asks
	cancel  context.CancelFunc
	server  *realapi.Server
	err     error
}

// Real returns the real server, and starts it on the first call.
func Real(t testing.TB) Server {
	t.Helper()
	shared.Lock()
	if shared.started == nil {
		// This must not be the context of the test: the server outlives it.
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

// Everything returns a new real server that also serves what is off by default. It is stopped with
// the test.
func Everything(t testing.TB) Server {
	t.Helper()
	server, err := realapi.Start(t.Context(), realapi.Options{APIServerFlags: realapi.Everything})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return &real{server: server}
}

// stopReal stops the real server, even while it is starting.
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

// Compact also restarts the server: until its cache notices the compaction, it would continue to
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
