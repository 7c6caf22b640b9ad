package rest_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// Pod is a user's struct with the fields that these tests read.
type Pod struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Metadata   Meta   `json:"metadata"`
	Spec       struct {
		NodeName string `json:"nodeName,omitempty"`
	} `json:"spec"`
}

// Meta is the metadata that these tests read.
type Meta struct {
	Name              string            `json:"name,omitempty"`
	GenerateName      string            `json:"generateName,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	DeletionTimestamp string            `json:"deletionTimestamp,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
}

// pod returns the JSON of a pod.
func pod(name, version string) string {
	return `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"` + name + `","namespace":"default","resourceVersion":"` + version + `"},"spec":{}}`
}

// told returns the JSON of the pod "web", on a node whose name is what the server has to tell.
func told(text, version string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","resourceVersion":"` + version + `"},"spec":{"nodeName":` + string(raw) + `}}`
}

// call is one request as the server saw it.
type call struct {
	Method, URI, ContentType, Body string
}

// script answers requests in order and records them.
type script struct {
	t       *testing.T
	mu      sync.Mutex
	calls   []call
	answers []answer
}

// answer is the server's answer to one request.
type answer struct {
	code   int
	header map[string]string
	body   string
}

// ok returns an answer with status 200.
func ok(body string) answer { return answer{code: http.StatusOK, body: body} }

// refuse returns an answer with a Status.
func refuse(code int, reason, message string) answer {
	raw, err := json.Marshal(rest.Status{
		Kind: "Status", APIVersion: "v1", Status: rest.StatusFailure, Code: code, Reason: reason, Message: message,
	})
	if err != nil {
		panic(err)
	}
	return answer{code: code, body: string(raw)}
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call{r.Method, r.RequestURI, r.Header.Get("Content-Type"), string(raw)})
	if len(s.answers) == 0 {
		s.t.Errorf("no answer is left for %s %s", r.Method, r.RequestURI)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	w.Header().Set("Content-Type", "application/json")
	for k, v := range a.header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(a.code)
	_, _ = io.WriteString(w, a.body)
}

// requests returns the recorded requests.
func (s *script) requests() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// scripted returns a client of a server with these answers.
func scripted(t *testing.T, answers ...answer) (*rest.Client, *script) {
	t.Helper()
	s := &script{t: t, answers: answers}
	return serve(t, s, kubeconfig.Config{}), s
}

// serve returns a client of a server with this handler.
func serve(t testing.TB, h http.Handler, cfg kubeconfig.Config) *rest.Client {
	t.Helper()
	s := httptest.NewServer(h)
	cfg.Server = s.URL
	c, err := rest.New(cfg, rest.Options{})
	if err != nil {
		s.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.CloseIdle()
		s.CloseClientConnections()
		s.Close()
	})
	return c
}

// memory is a network in memory, which works inside synctest.
type memory struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newMemory() *memory {
	return &memory{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.once.Do(func() { close(m.done) })
	return nil
}

func (m *memory) Addr() net.Addr { return memoryAddr{} }

type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return "memory" }

func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case m.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
	case <-m.done:
	}
	_ = ours.Close()
	_ = theirs.Close()
	return nil, net.ErrClosed
}

// inMemory returns a client of a server in memory. Call it inside a bubble, and call the returned
// function before the bubble ends.
func inMemory(t *testing.T, h http.Handler, cfg kubeconfig.Config, o rest.Options) (*rest.Client, func()) {
	t.Helper()
	m := newMemory()
	s := &http.Server{Handler: h, Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = s.Serve(m) }()
	cfg.Server = "http://localhost"
	o.Dial = m.dial
	c, err := rest.New(cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	return c, func() {
		c.CloseIdle()
		_ = s.Close()
	}
}

// one waits for the answer and checks that the channel is closed after it.
func one[T any](t *testing.T, in <-chan stream.Result[T]) (T, error) {
	t.Helper()
	r, open := <-in
	if !open {
		t.Fatal("the channel was closed without a result")
	}
	if _, open := <-in; open {
		t.Fatal("a second result came")
	}
	return r.Value, r.Err
}
