package fakeapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"

	"github.com/tideway-go/tideway/fakeapi/internal/memnet"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// Server is an API server in memory. All its methods are safe for concurrent use.
type Server struct {
	options     Options
	store       *store
	accounts    accounts
	faults      faultList
	journal     journal
	connections connections
	streams     streams

	listener *memnet.Listener
	base     func(net.Listener) context.Context // of all requests
	client   *rest.Client
	running  running // accept loops, connections and requests

	done    chan struct{} // closed when the server ends
	cancel  context.CancelFunc
	stopCtx func() bool
	ending  sync.Once

	mu   sync.Mutex
	http []*http.Server
}

// Client returns a client over memory connections, with the first of the tokens in order if there
// are any. It is the same one each time.
func (s *Server) Client() *rest.Client { return s.client }

// Config returns what [rest.New] needs to know, with the first of the tokens in order. The server
// of the Config can only be reached with [Server.Dial].
func (s *Server) Config() kubeconfig.Config {
	cfg := kubeconfig.Config{Server: "http://" + s.listener.Addr().String(), Namespace: "default"}
	if tokens := value.Names(s.options.Tokens); len(tokens) > 0 {
		cfg.Token = kubeconfig.Secret(tokens[0])
	}
	return cfg
}

// Dial connects to the server in memory, whatever the address is. It fits
// http.Transport.DialContext and [rest.Options].Dial.
func (s *Server) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if ctx == nil {
		panic("fakeapi: nil context")
	}
	return s.listener.Dial(ctx, network, address)
}

// Streams returns how many watch requests are open.
func (s *Server) Streams() int {
	open, _ := s.streams.count()
	return open
}

// MaxStreams returns the largest number of watch requests that have been open at the same time.
func (s *Server) MaxStreams() int {
	_, most := s.streams.count()
	return most
}

// Disconnect resets all connections, as a restart of the server does, or of something between it
// and its clients. New connections can be made at once.
func (s *Server) Disconnect() {
	s.connections.mu.Lock()
	defer s.connections.mu.Unlock()
	for c := range s.connections.all {
		c.reset()
	}
}

// Connections returns how many connections are open.
func (s *Server) Connections() int {
	s.connections.mu.Lock()
	defer s.connections.mu.Unlock()
	return len(s.connections.all)
}

// ResourceVersion returns the version of the newest change.
func (s *Server) ResourceVersion() string {
	var version string
	s.store.read(func() { version = formatVersion(s.store.version) })
	return version
}

// errClosed is what the methods return after Close.
var errClosed = errors.New("fakeapi: the server is closed")
