package fakeapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tideway-go/tideway/fakeapi/internal/memnet"
	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// Options are what a server is made of. The zero value is a server of all
// built-in kinds that is empty but for the namespaces that every cluster has.
type Options struct {
	// Kinds are custom kinds that are served beside the built-in ones that a
	// server serves by default, and built-in ones that are off by default.
	Kinds []rest.Kind

	// Objects are stored before the server answers: maps, structs, or whatever
	// encodes to the JSON of an object. Their status is kept.
	Objects []any

	// AnyNamespace lets objects be created in namespaces that do not exist.
	// Default: 404, as the real server answers. The namespaces default,
	// kube-system, kube-public and kube-node-lease exist.
	AnyNamespace bool

	// Collect makes the server do what the garbage collector of a cluster does:
	// with each write, and before anybody sees what the write has changed, it
	// deletes what is owned by objects that are gone, deletes the dependents of
	// an object that is deleted in the foreground and then the object, and
	// takes an object that is deleted with Orphan away from its dependents.
	// Default: as with the API server alone, owner references mean nothing, and
	// the finalizers foregroundDeletion and orphan stay.
	Collect bool

	// History is how many changes of each resource are remembered for watches
	// that come back and for lists of an older version. Default: 1000.
	History int

	// BookmarkEvery is how often a watch that allows bookmarks gets one.
	// Default: a minute; -1: never.
	BookmarkEvery time.Duration

	// NoInitialEventsEnd leaves out the bookmark that ends the initial events
	// of a watch, as some proxies and aggregated servers do.
	NoInitialEventsEnd bool

	// NoWatchList refuses sendInitialEvents with 422, as servers do that do
	// not have it.
	NoWatchList bool

	// Queue is how many events of a watch may wait to be read before the watch
	// is cut. Default: 100.
	Queue int

	// Tokens are the bearer tokens that are accepted, and whose they are. Once
	// there are any, a request with another token gets 401, and one without
	// any is of the user system:anonymous, who may do next to nothing.
	// Default: everybody is the user admin, who is in the group system:masters.
	Tokens map[string]string

	// Users are what is known of the users beyond their names. Who is not among
	// them is in the groups that everybody is in, and service accounts are in
	// theirs.
	Users []User

	// RBAC lets the roles decide what the users may do that are stored in the
	// server and bound to them, as on a real cluster. Of the roles and bindings
	// that every cluster has, cluster-admin, system:discovery,
	// system:basic-user and system:public-info-viewer are there. See the
	// documentation of the package.
	// Default: nobody looks at roles.
	RBAC bool

	// Allow decides what the users may do; with RBAC, what the roles do not
	// allow. Without RBAC it is asked about everybody but system:anonymous, and
	// the group system:masters means nothing. It has no say in whether a user may
	// give others rights that he does not have (the verbs escalate and bind).
	// Default: without RBAC everything is allowed, with RBAC nothing else.
	Allow func(Access) bool

	// HTTP2 makes Client speak HTTP/2 on its memory connections. Default:
	// HTTP/1.1. The server understands both at all times.
	HTTP2 bool

	// Seed is that of the random numbers in uids, generated names and
	// timeouts. Default: 1, so that a test sees the same ones each time.
	Seed uint64
}

// withDefaults returns a copy with the defaults filled in.
func (o Options) withDefaults() Options {
	if o.History <= 0 {
		o.History = 1000
	}
	if o.BookmarkEvery == 0 {
		o.BookmarkEvery = time.Minute
	}
	if o.Queue <= 0 {
		o.Queue = 100
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	return o
}

// firstVersion is the resource version of the first object of a server: not 1,
// since no version of a real server that a client gets to see is.
const firstVersion = 1000

// Server is an API server in memory. All its methods are safe for concurrent
// use.
type Server struct {
	options  Options
	listener *memnet.Listener
	started  time.Time
	done     chan struct{} // closed when the server ends
	cancel   context.CancelFunc
	stopCtx  func() bool
	base     func(net.Listener) context.Context // of all requests
	ending   sync.Once
	running  running // accept loops, connections and requests
	client   *rest.Client

	mu        sync.Mutex
	http      []*http.Server
	resources map[string]*resource // by group, version and plural
	order     []*resource
	version   uint64
	raised    chan struct{} // closed when the version is raised
	random    *rand.Rand
	tokens    map[string]User
	faults    []*armed
	records   []*Record
	streams   map[*stream]struct{}
	conns     map[*conn]struct{}
	peak      int

	collecting   bool // once the first objects are stored
	users        map[string]User
	impersonated map[string]int // in which way somebody did it last
}

// Start starts a server, which ends when the context does, or by
// [Server.Close]. It is reached over memory connections; [Server.Listen] opens
// a port.
//
// An error tells what is wrong with the options.
func Start(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Server{
		options: o, listener: memnet.NewListener(), started: time.Now(),
		done: make(chan struct{}), cancel: cancel,
		resources: make(map[string]*resource), version: firstVersion, raised: make(chan struct{}),
		random: rand.New(rand.NewPCG(o.Seed, 0)), //nolint:gosec // not for secrets
		tokens: make(map[string]User), users: make(map[string]User), impersonated: make(map[string]int),
		streams: make(map[*stream]struct{}),
		conns:   make(map[*conn]struct{}),
		base:    func(net.Listener) context.Context { return base },
	}
	err := s.fill()
	s.collecting = o.Collect
	s.mu.Lock()
	s.unlock()
	if err == nil {
		s.client, err = rest.New(s.Config(), rest.Options{Dial: s.Dial, UnencryptedHTTP2: o.HTTP2})
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("fakeapi: start: %w", err)
	}
	s.serve(faultListener{s, s.listener})
	s.stopCtx = context.AfterFunc(ctx, s.Close)
	return s, nil
}

// New starts a server for a test, and closes it when the test ends. Inside
// synctest.Test it belongs to the bubble. Options that are wrong fail the test.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	s, err := Start(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

func resourceKey(group, version, plural string) string { return group + "/" + version + "/" + plural }

// Close ends the server: it cuts all connections, and returns when nothing of
// the server runs any more. Closing again does nothing.
func (s *Server) Close() {
	s.ending.Do(func() {
		close(s.done)
		s.cancel()
		s.client.CloseIdle()
		s.mu.Lock()
		servers := s.http
		s.mu.Unlock()
		for _, h := range servers {
			_ = h.Close()
		}
		_ = s.listener.Close()
		if s.stopCtx != nil {
			s.stopCtx()
		}
	})
	s.running.none()
}

// Client returns a client over memory connections, with the first of the
// tokens if there are any. It is the same one each time.
func (s *Server) Client() *rest.Client { return s.client }

// Config returns what [rest.New] needs to know, with the first of the tokens in
// order. The server of the Config can be reached with [Server.Dial] only.
func (s *Server) Config() kubeconfig.Config {
	cfg := kubeconfig.Config{Server: "http://" + s.listener.Addr().String(), Namespace: "default"}
	if tokens := value.Names(s.options.Tokens); len(tokens) > 0 {
		cfg.Token = kubeconfig.Secret(tokens[0])
	}
	return cfg
}

// Dial connects to the server in memory, whatever the address says. It fits
// http.Transport.DialContext and [rest.Options].Dial.
func (s *Server) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return s.listener.Dial(ctx, network, address)
}

// Streams returns how many watch requests are open.
func (s *Server) Streams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams)
}

// MaxStreams returns how many watch requests have been open at the same time,
// at most.
func (s *Server) MaxStreams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

// Disconnect resets all connections, as a restart of the server or of something
// between it and its clients does. New ones can be made at once.
func (s *Server) Disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.reset()
	}
}

// Connections returns how many connections are open.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// ResourceVersion returns the version of the newest change.
func (s *Server) ResourceVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return formatVersion(s.version)
}

// errClosed is what the methods return after Close.
var errClosed = errors.New("fakeapi: the server is closed")

// fill registers the kinds and stores the first objects.
func (s *Server) fill() error {
	if err := s.registerAll(); err != nil {
		return err
	}
	if err := s.learn(); err != nil {
		return err
	}
	for _, name := range []string{"default", "kube-node-lease", "kube-public", "kube-system"} {
		if _, err := s.Create(rest.Object{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}); err != nil {
			return err
		}
	}
	if s.options.RBAC {
		for _, obj := range rbac.DefaultRoles() {
			if _, err := s.Create(obj); err != nil {
				return err
			}
		}
	}
	for _, obj := range s.options.Objects {
		if _, err := s.Create(obj); err != nil {
			return err
		}
	}
	return nil
}

// registerAll registers the built-in kinds and those of the options.
func (s *Server) registerAll() error {
	for k := range rest.Kinds() {
		if (stored(k) || reviewed(k)) && !k.OffByDefault {
			s.register(k, false)
		}
	}
	for _, k := range s.options.Kinds {
		if k.Version == "" || k.Kind == "" || k.Plural == "" || k.Group == "" {
			return fmt.Errorf("kind %q: group, version, kind and plural are needed", k.String())
		}
		if s.resources[resourceKey(k.Group, k.Version, k.Plural)] != nil {
			return fmt.Errorf("kind %q is served twice", k.String())
		}
		known, err := rest.Lookup(k.String())
		if builtIn := err == nil && known.Plural == k.Plural; builtIn {
			s.register(known, false)
		} else {
			s.register(k, true)
		}
	}
	return nil
}

func (s *Server) register(k rest.Kind, custom bool) {
	r := newResource(k, custom)
	r.oldest = s.version
	s.resources[resourceKey(k.Group, k.Version, k.Plural)] = r
	s.order = append(s.order, r)
}

// serve answers on a listener until the server ends.
func (s *Server) serve(l net.Listener) {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	h := &http.Server{
		Handler:     s,
		Protocols:   protocols,
		BaseContext: s.base,
		ConnContext: withConn,
		ConnState:   s.countConnections(),
		ErrorLog:    log.New(io.Discard, "", 0), //nolint:forbidigo // silences net/http
	}
	s.mu.Lock()
	s.http = append(s.http, h)
	s.mu.Unlock()
	s.running.run(func() { _ = h.Serve(l) }) // ends with Close
}

// countConnections returns a hook that counts the connections among what runs.
func (s *Server) countConnections() func(net.Conn, http.ConnState) {
	return func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.running.add()
		case http.StateClosed, http.StateHijacked:
			s.running.done()
		default:
		}
	}
}
