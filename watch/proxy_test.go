package watch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// A proxy on a real port drops everything, both ways, and keeps its connections open, like a load
// balancer that has forgotten them.
func TestProxyThatDropsEverything(t *testing.T) {
	t.Parallel() // it waits in real time
	for _, http1 := range []bool{true, false} {
		t.Run(fmt.Sprintf("HTTP1=%v", http1), func(t *testing.T) {
			t.Parallel()
			s := fakeapi.New(t, fakeapi.Options{})
			// Over HTTP/2 the pings notice; without them only the deadline can.
			o := rest.Options{HTTP1: http1, PingInterval: time.Second, PingTimeout: 3 * time.Second}
			p, client := throughProxy(t, s, o)
			soon := stream.Backoff{Initial: time.Second / 10}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			timeout := time.Second
			if !http1 {
				timeout = time.Hour
			}
			events := watch.Events(ctx, rest.For[rest.Object](client, "ConfigMap").In("default"), watch.Options{PageSize: 500, Timeout: timeout, Backoff: soon})
			expect(t, events, "SYNCED")
			must(t)(s.Create(cm("a", "1")))
			expect(t, events, "ADDED a=1")

			p.drop()
			start := time.Now()
			must(t)(s.Create(cm("b", "1")))
			failed := <-events
			if http1 != errors.Is(failed.Err, rest.ErrOverdue) || failed.Type != watch.WatchFailed {
				t.Errorf("got %s, want a WatchFailed, of ErrOverdue if nothing else can notice", line(failed))
			}
			expect(t, events, "ADDED b=1")
			if d := time.Since(start); d > 15*time.Second {
				t.Errorf("it took %v", d)
			}
			cancel()
			expectClosed(t, events)
		})
	}
}

// throughProxy returns a client that reaches the server's port through a proxy.
func throughProxy(t *testing.T, s *fakeapi.Server, o rest.Options) (*proxy, *rest.Client) {
	t.Helper()
	path, err := s.Listen(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	config, err := kubeconfig.Load(kubeconfig.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(config.Server)
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(t, server.Host)
	config.Server = "https://" + p.listener.Addr().String()
	client, err := rest.New(config, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return p, client
}

// Two watches share a dead connection, and one of them always has a request on it. It is never
// idle, so that only their own deadlines can notice.
func TestWatchesLeaveADeadConnection(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
		client, err := rest.New(s.Config(), rest.Options{Dial: s.Dial, UnencryptedHTTP2: true, PingInterval: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer client.CloseIdle()
		s.Inject(fakeapi.Freeze().After(time.Second).On("watch", "configmaps").Nth(2))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		maps := rest.For[rest.Object](client, "ConfigMap").In("default")
		o := watch.Options{PageSize: 500, Timeout: time.Minute, Backoff: exact}
		first := watch.Events(ctx, maps, o)
		expect(t, first, "SYNCED")
		time.Sleep(10 * time.Second)
		second := watch.Events(ctx, maps, o)
		expect(t, second, "SYNCED")
		time.Sleep(2 * time.Second) // the connection is dead by now
		must(t)(s.Create(cm("a", "1")))
		for name, events := range map[string]<-chan watch.Event[rest.Object]{"first": first, "second": second} {
			failures := 0
			for ev := range events {
				if ev.Type == watch.Added {
					break
				}
				if failures++; failures > 2 {
					t.Fatalf("the %s watch goes back to the dead connection: %s", name, ev)
				}
			}
			if failures == 0 {
				t.Errorf("the %s watch was not on the dead connection", name)
			}
		}
		cancel()
		expectClosed(t, first)
		expectClosed(t, second)
	})
}

// proxy passes bytes on until drop is called: the connections that exist then lose everything from
// there on.
type proxy struct {
	listener net.Listener
	target   string
	copying  sync.WaitGroup
	epoch    atomic.Int32
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	p.copying.Go(func() { p.accept(ctx) })
	t.Cleanup(func() {
		cancel()
		l.Close()
		p.copying.Wait()
	})
	return p
}

func (p *proxy) drop() { p.epoch.Add(1) }

func (p *proxy) accept(ctx context.Context) {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		far, err := new(net.Dialer).DialContext(ctx, "tcp", p.target)
		if err != nil {
			near.Close()
			continue
		}
		epoch := p.epoch.Load()
		context.AfterFunc(ctx, func() {
			near.Close()
			far.Close()
		})
		p.copying.Go(func() { p.copy(ctx, near, far, epoch) })
		p.copying.Go(func() { p.copy(ctx, far, near, epoch) })
	}
}

// copy returns when its connections end, or after a drop only when the test ends.
func (p *proxy) copy(ctx context.Context, to io.WriteCloser, from io.Reader, epoch int32) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if p.epoch.Load() != epoch {
			if err != nil {
				<-ctx.Done() // the other side does not learn of it
				return
			}
			continue
		}
		if err != nil {
			to.Close()
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
