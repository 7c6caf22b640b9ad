package realapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	startTries     = 5
	readyTimeout   = 2 * time.Minute
	readyPoll      = 50 * time.Millisecond
	apiServerGrace = 15 * time.Second
	etcdGrace      = 5 * time.Second
)

// Options of Start. The zero value is good.
type Options struct {
	// Progress is told about builds, which take minutes. Default: os.Stderr.
	Progress io.Writer
	// APIServerFlags and EtcdFlags are added to the flags of the two programs, and win over them.
	APIServerFlags, EtcdFlags []string
}

// Server is a running etcd with a kube-apiserver. It is safe for concurrent use.
type Server struct {
	options Options
	folder  *folder
	bin     map[Tool]string
	ca      []byte
	roots   *x509.CertPool
	direct  *http.Client // to etcd; keeps no connection

	mu        sync.Mutex // held while a process starts or stops
	stopped   bool
	etcd      *process
	apiServer *process
	etcdURL   string
	port      int
}

// Start builds what the cache lacks, starts etcd and kube-apiserver and returns when they are
// ready.
//
// The end of ctx ends the build and the start, but not a server that has been returned: that is
// Stop.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Progress == nil {
		o.Progress = os.Stderr
	}
	s := &Server{
		options: o,
		bin:     map[Tool]string{},
		direct:  &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	}
	for _, t := range []Tool{Etcd, APIServer} {
		bin, err := Build(ctx, o.Progress, t)
		if err != nil {
			return nil, err
		}
		s.bin[t] = bin
	}
	var err error
	if s.folder, err = newFolder(); err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// Stop ends kube-apiserver, then etcd, and removes their data. It returns when both processes are
// gone.
//
// The order matters: without etcd kube-apiserver never ends its graceful shutdown. Another Stop
// does nothing.
func (s *Server) Stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.apiServer != nil {
		s.apiServer.stop(apiServerGrace)
		s.apiServer = nil
	}
	if s.etcd != nil {
		s.etcd.stop(etcdGrace)
		s.etcd = nil
	}
	return s.folder.remove()
}

// Restart stops kube-apiserver and starts it again on the same port with the same data.
//
// Its watch cache begins at the present then: a watch from an older resource version is answered
// with 410.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return errors.New("realapi: restart: the server is stopped")
	}
	if s.apiServer != nil {
		s.apiServer.stop(apiServerGrace)
		s.apiServer = nil
	}
	return retryPort(ctx, s.startAPIServer)
}

// URL is where kube-apiserver serves: https://127.0.0.1:<port>.
func (s *Server) URL() string { return fmt.Sprintf("https://127.0.0.1:%d", s.port) }

// CA is the certificate in PEM that signed the one of the server.
func (s *Server) CA() []byte { return append([]byte(nil), s.ca...) }

// Pids are the process ids of kube-apiserver and etcd.
func (s *Server) Pids() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var pids []int
	for _, p := range []*process{s.apiServer, s.etcd} {
		if p != nil {
			pids = append(pids, p.cmd.Process.Pid)
		}
	}
	return pids
}

// Logs gives the last lines of both programs.
func (s *Server) Logs() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var logs []string
	for _, p := range []*process{s.etcd, s.apiServer} {
		if p != nil {
			logs = append(logs, p.tail())
		}
	}
	return strings.Join(logs, "\n")
}

// Transport gives a new transport that trusts the server and speaks HTTP/2; the caller closes its
// idle connections.
func (s *Server) Transport() *http.Transport {
	return &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: s.roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true,
	}
}

// start starts both programs in the new folder.
func (s *Server) start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.ca, err = writeKeys(s.folder); err != nil {
		return err
	}
	s.roots = x509.NewCertPool()
	s.roots.AppendCertsFromPEM(s.ca)
	if err := os.WriteFile(s.folder.join(tokensFile), tokenFile(Admin, Nobody, Alice), 0o600); err != nil {
		return fmt.Errorf("realapi: write tokens: %w", err)
	}
	if err := retryPort(ctx, s.startEtcd); err != nil {
		return err
	}
	return retryPort(ctx, func(ctx context.Context) error {
		ports, err := freePorts(1)
		if err != nil {
			return err
		}
		s.port = ports[0]
		return s.startAPIServer(ctx)
	})
}

// retryPort runs start until it does not fail because another program took the port in between.
func retryPort(ctx context.Context, start func(context.Context) error) error {
	for try := 1; ; try++ {
		err := start(ctx)
		if err == nil || try == startTries || !strings.Contains(err.Error(), "address already in use") {
			return err
		}
	}
}

// freePorts finds ports that are free on loopback at this moment.
func freePorts(n int) ([]int, error) {
	ports := make([]int, 0, n)
	for range n {
		l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			return nil, fmt.Errorf("realapi: find a free port: %w", err)
		}
		defer l.Close() // only at the end, so that all are different
		addr, ok := l.Addr().(*net.TCPAddr)
		if !ok {
			return nil, fmt.Errorf("realapi: find a free port: address %v", l.Addr())
		}
		ports = append(ports, addr.Port)
	}
	return ports, nil
}

// waitReady polls ready until it gives nil, or the process ends, or time is up.
func waitReady(ctx context.Context, p *process, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("not ready after %s", readyTimeout))
	defer cancel()
	tick := time.NewTicker(readyPoll)
	defer tick.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("realapi: %s ended: %w\n%s", p.name, errors.Join(p.err, err), p.tail())
		case <-ctx.Done():
			return fmt.Errorf("realapi: %s: %w: %w\n%s", p.name, context.Cause(ctx), err, p.tail())
		case <-tick.C:
		}
	}
}
