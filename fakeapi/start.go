package fakeapi

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/tideway-go/tideway/fakeapi/internal/memnet"
	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/rest"
)

// Start starts a server, which ends when the context does, or by [Server.Close]. It is reached over
// memory connections; [Server.Listen] opens a port.
//
// An error says what is wrong with the options.
func Start(ctx context.Context, o Options) (*Server, error) {
	if ctx == nil {
		panic("fakeapi: nil context")
	}
	o = o.withDefaults()
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	s := &Server{
		options: o, store: newStore(o, done), listener: memnet.NewListener(), done: done, cancel: cancel,
		accounts:    accounts{users: make(map[string]User), tokens: make(map[string]User), impersonated: make(map[string]int)},
		journal:     journal{started: time.Now()},
		connections: connections{all: make(map[*conn]struct{})},
		base:        func(net.Listener) context.Context { return base },
	}
	s.store.filling = true
	err := s.fill()
	s.store.write(func(t *tx) *rest.Status {
		t.filling = false
		if t.collects = o.Collect; t.collects {
			t.collect()
		}
		return nil
	})
	if err == nil {
		s.client, err = rest.New(s.Config(), rest.Options{Dial: s.Dial, UnencryptedHTTP2: !o.HTTP1})
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("fakeapi: start: %w", err)
	}
	s.serve(faultListener{s.listener, &s.connections})
	s.stopCtx = context.AfterFunc(ctx, s.Close)
	return s, nil
}

// New starts a server for a test, and closes it when the test ends. Inside synctest.Test it belongs
// to the bubble. Wrong options fail the test.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	s, err := Start(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// Close ends the server: it cuts all connections, and returns when nothing of the server runs any
// more. Closing it again does nothing.
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

// fill registers the kinds and stores the first objects.
func (s *Server) fill() error {
	if err := s.registerAll(); err != nil {
		return err
	}
	if err := s.accounts.learn(&s.options); err != nil {
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
		if !k.OffByDefault {
			s.store.serves(newResource(&k, false))
		}
	}
	for _, custom := range s.options.Kinds {
		k := custom.Kind
		if k.Version == "" || k.Kind == "" || k.Plural == "" || k.Group == "" {
			return fmt.Errorf("kind %q: group, version, kind and plural are needed", k.String())
		}
		if s.store.resources[resourceKey(k.Group, k.Version, k.Plural)] != nil {
			return fmt.Errorf("kind %q is served twice", k.String())
		}
		if known := builtIn(k); known != nil {
			s.store.serves(newResource(known, false))
		} else {
			s.store.serves(newResource(&custom, true))
		}
	}
	s.store.pair()
	return nil
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

// countConnections returns a hook that counts the connections as running.
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
