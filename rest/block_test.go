package rest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// never is what a server says and then falls silent, on a connection that stays open. Without a
// text it does not even read.
type never struct {
	says string
	deaf bool

	mu    sync.Mutex
	conns []net.Conn
	wait  sync.WaitGroup
}

func (n *never) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = append(n.conns, theirs)
	n.wait.Go(func() { n.serve(theirs) })
	return ours, nil
}

// serve answers once the head of a request has come.
func (n *never) serve(c net.Conn) {
	if n.deaf {
		return
	}
	var head []byte
	buf := make([]byte, 4<<10)
	for said := false; ; {
		k, err := c.Read(buf)
		if err != nil {
			return
		}
		if head = append(head, buf[:k]...); !said && bytes.Contains(head, []byte("\r\n\r\n")) {
			said = true
			_, _ = io.WriteString(c, n.says)
		}
	}
}

func (n *never) close() {
	n.mu.Lock()
	for _, c := range n.conns {
		_ = c.Close()
	}
	n.mu.Unlock()
	n.wait.Wait()
}

// place is a place where something can block.
type place struct {
	says          string
	deaf          bool
	server, proxy string
	stuck         bool // in a dial that does not listen to its context
	change        func(*rest.Options)
	limit         time.Duration // without a deadline; 0: there is none
	want          string        // in the error, then
	named         string        // in the error if the context ends, besides its cause
	refused       bool          // it answers, and the answer is an error
}

const (
	untilBody = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
	until500  = "HTTP/1.1 500 Broken\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
	until401  = "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
	other101  = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"
)

var places = map[string]place{
	"dialing":                  {stuck: true, limit: 30 * time.Second, want: "connecting to localhost: no connection within 30s", named: "connecting to localhost: "},
	"the CONNECT of a proxy":   {proxy: "http://proxy:3128", server: "https://localhost", limit: time.Minute, want: "connecting to localhost: the proxy has not answered within a minute", named: "connecting to localhost: "},
	"a SOCKS proxy":            {proxy: "socks5://proxy:3128", server: "https://localhost", limit: 75 * time.Second, want: "it was not ready for a request within 1m15s", named: "connecting to localhost: "},
	"a deaf SOCKS proxy":       {deaf: true, proxy: "socks5://proxy:3128", server: "https://localhost", limit: 75 * time.Second, want: "it was not ready for a request within 1m15s", named: "connecting to localhost: "},
	"the TLS handshake":        {server: "https://localhost", limit: 10 * time.Second, want: "TLS handshake with localhost: no answer within 10s", named: "TLS handshake with localhost: "},
	"the handshake of a proxy": {proxy: "https://proxy", server: "https://localhost", limit: 10 * time.Second, want: "TLS handshake with the proxy for localhost: no answer within 10s", named: "TLS handshake with localhost: "},
	"the preface of HTTP/2":    {change: func(o *rest.Options) { o.UnencryptedHTTP2 = true }, limit: 45 * time.Second},
	"the head of the answer":   {},
	"half of the head":         {says: untilBody[:30]},
	"the body of the answer":   {says: untilBody},
	"the body of a refusal":    {says: until500, limit: 5 * time.Second, want: "(500)", refused: true},
	"the body of a 401":        {says: until401, limit: 5 * time.Second, want: "unauthorized", refused: true},
	"another protocol":         {says: other101, limit: -1, want: "101", refused: true},
}

// calls are what can be done with a client, with the limit that each has by itself.
var calls = map[string]struct {
	own  time.Duration // 0: none
	what string        // the error of the limit
	do   func(context.Context, *rest.Client) error
}{
	"get": {do: func(ctx context.Context, c *rest.Client) error {
		return errOf(rest.For[Pod](c, "Pod").In("default").Get(ctx, "web"))
	}},
	"create": {do: func(ctx context.Context, c *rest.Client) error {
		return errOf(rest.For[Pod](c, "Pod").In("default").Create(ctx, &Pod{Metadata: Meta{Name: "web"}}))
	}},
	"list": {do: func(ctx context.Context, c *rest.Client) error {
		return errOf(rest.For[Pod](c, "Pod").In("default").List(ctx, rest.ListOptions{}))
	}},
	"raw list": {own: 65 * time.Second, what: rest.ErrOverdue.Error(), do: func(ctx context.Context, c *rest.Client) error {
		_, err := rest.For[Pod](c, "Pod").Endpoint().List(ctx, rest.ListOptions{}, everyPage, func(rest.Item) error { return nil })
		return err
	}},
	"watch": {own: 15 * time.Second, what: rest.ErrOverdue.Error(), do: func(ctx context.Context, c *rest.Client) error {
		frames, err := rest.For[Pod](c, "Pod").Endpoint().Watch(ctx, rest.WatchOptions{ResourceVersion: "1", Timeout: 10 * time.Second})
		if err != nil {
			return err
		}
		defer frames.Close()
		_, err = frames.Next()
		return err
	}},
	"discovery": {do: func(ctx context.Context, c *rest.Client) error { return errOf(c.Discover(ctx)) }},
	"do":        {do: func(ctx context.Context, c *rest.Client) error { return errOf(c.Do(ctx, rest.Request{Path: "/x"})) }},
}

// blocked makes a call of a client of this place, and returns its error and how long it took.
func (p *place) blocked(ctx context.Context, t *testing.T, do func(context.Context, *rest.Client) error) (took time.Duration, err error) {
	t.Helper()
	n := &never{says: p.says, deaf: p.deaf}
	defer n.close()
	o := rest.Options{Dial: n.dial, Discovery: true}
	free := make(chan struct{})
	defer close(free)
	if p.stuck {
		o.Dial = func(context.Context, string, string) (net.Conn, error) {
			<-free
			return nil, errBroken
		}
	}
	if p.change != nil {
		p.change(&o)
	}
	server := p.server
	if server == "" {
		server = "http://localhost"
	}
	c, err := rest.New(kubeconfig.Config{Server: server, ProxyURL: p.proxy}, o)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	err = do(ctx, c)
	took = time.Since(began)
	began = time.Now()
	c.CloseIdle()
	if took := time.Since(began); took > 0 {
		t.Errorf("CloseIdle takes %v", took)
	}
	return took, err
}

// Wherever something blocks, a call ends with its context, and the error has the cause of it and
// the place.
func TestNothingBlocksPastItsContext(t *testing.T) {
	const short = 3 * time.Second
	for where, p := range places {
		for what, call := range calls {
			named := p.named
			if what == "discovery" {
				named = "discover: waiting for the server: " // for all that want it at the same time
			}
			t.Run(what+"/"+where, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					gone := errors.New("gone")
					ctx, cancel := context.WithTimeoutCause(t.Context(), short, gone)
					defer cancel()
					took, err := p.blocked(ctx, t, call.do)
					switch {
					case p.limit < 0: // nothing to wait for
						if took > 0 || !strings.Contains(errText(err), p.want) {
							t.Errorf("after %v: %v", took, err)
						}
					case took != short:
						t.Errorf("it ends after %v, want %v: %v", took, short, err)
					case p.refused: // what the server has said so far is enough
					case !errors.Is(err, gone) || !strings.Contains(err.Error(), named+gone.Error()):
						t.Errorf("the error is %v, want %s%v", err, named, gone)
					}
				})
			})
		}
	}
}

// Without a deadline, the places that have a limit of their own end with it, and name what they
// waited for.
func TestLimitsOfTheirOwn(t *testing.T) {
	for where, p := range places {
		for what, call := range calls {
			limit, want := p.limit, p.want
			if call.own > 0 && (limit == 0 || where == "the preface of HTTP/2" && call.own < limit) {
				limit, want = call.own, call.what // the head, the body, or the silence of a connection
			}
			if limit == 0 {
				continue
			}
			t.Run(what+"/"+where, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					took, err := p.blocked(t.Context(), t, call.do)
					if took != max(limit, 0) || !strings.Contains(errText(err), want) {
						t.Errorf("after %v: %v; want %s after %v", took, err, want, limit)
					}
					if errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("nobody's context has ended: %v", err)
					}
				})
			})
		}
	}
}

// An upgrade ends with its context in every place, too.
func TestUpgradeEndsWhereverItBlocks(t *testing.T) {
	for where, p := range places {
		if where == "the body of the answer" {
			continue // which is not read: the server has not switched protocols
		}
		t.Run(where, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				took, _ := p.blocked(ctx, t, func(ctx context.Context, c *rest.Client) error {
					r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Server()+"/x", http.NoBody)
					if err != nil {
						return err
					}
					r.Header.Set("Connection", "Upgrade")
					r.Header.Set("Upgrade", "x")
					resp, err := c.Upgrade(r)
					if err != nil {
						return err
					}
					defer resp.Body.Close()
					_, err = resp.Body.Read(make([]byte, 1))
					return err
				})
				if took != time.Second {
					t.Errorf("it ends after %v", took)
				}
			})
		})
	}
}

// The body of a 401 that does not come is waited for no longer than five seconds, before the
// request is sent again with a new token and after that.
func TestBodyOfA401IsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &never{says: until401}
		defer n.close()
		path := filepath.Join(t.TempDir(), "token")
		write(t, path, "t1")
		c, err := rest.New(kubeconfig.Config{Server: "http://localhost", TokenFile: path}, rest.Options{Dial: n.dial})
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, "t2")
		began := time.Now()
		err = errOf(rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web"))
		if took := time.Since(began); !errors.Is(err, rest.ErrUnauthorized) || took != 10*time.Second || len(n.conns) != 2 {
			t.Errorf("after %v and %d connections: %v", took, len(n.conns), err)
		}
	})
}

// The time of a watch and of a page begins when the request is on its connection.
func TestClockBeginsOnTheConnection(t *testing.T) {
	for what, call := range calls {
		if call.own == 0 {
			continue
		}
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const setup = 29 * time.Second
				p := place{change: func(o *rest.Options) {
					dial := o.Dial
					o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
						time.Sleep(setup)
						return dial(ctx, network, address)
					}
				}}
				took, err := p.blocked(t.Context(), t, call.do)
				if !errors.Is(err, rest.ErrOverdue) || took != setup+call.own {
					t.Errorf("after %v: %v; want it after %v", took, err, setup+call.own)
				}
			})
		})
	}
}
