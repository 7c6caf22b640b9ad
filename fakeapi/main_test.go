package fakeapi_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const base = "http://127.0.0.1:8080"

// client returns a plain client of a server, closed with the test.
func client(t *testing.T, s *fakeapi.Server) *http.Client {
	tr := &http.Transport{DialContext: s.Dial, DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// h2 returns a plain client that speaks HTTP/2.
func h2(t *testing.T, s *fakeapi.Server) *http.Client {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	tr := &http.Transport{DialContext: s.Dial, Protocols: p, DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// answer is what a request got.
type answer struct {
	Code int
	Body string
}

// do sends a request and reads all of the answer.
func do(t *testing.T, c *http.Client, method, path, body string, header ...string) answer {
	t.Helper()
	resp := send(t, c, method, path, body, header...)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, strings.TrimSuffix(string(raw), "\n")}
}

// send sends a request.
func send(t *testing.T, c *http.Client, method, path, body string, header ...string) *http.Response {
	t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, base+path, r)
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// event is one event of a watch, in short.
type event struct {
	Type, Name, Version string
}

// watching reads a watch.
type watching struct {
	t    *testing.T
	resp *http.Response
	r    *bufio.Reader
}

func watch(t *testing.T, c *http.Client, path string) *watching {
	t.Helper()
	resp := send(t, c, "GET", path, "")
	t.Cleanup(func() { resp.Body.Close() })
	return &watching{t, resp, bufio.NewReaderSize(resp.Body, 1<<20)}
}

// next reads one event; the error is that of the body.
func (w *watching) next() (event, error) {
	w.t.Helper()
	line, err := w.r.ReadString('\n')
	if err != nil {
		return event{}, err
	}
	var e struct {
		Type   string
		Object rest.Object
	}
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		w.t.Fatalf("%q: %v", line, err)
	}
	if e.Type == "ERROR" {
		return event{"ERROR", e.Object.String("message"), ""}, nil
	}
	return event{e.Type, e.Object.Name(), e.Object.ResourceVersion()}, nil
}

// take reads n events.
func (w *watching) take(n int) []event {
	w.t.Helper()
	out := make([]event, 0, n)
	for range n {
		e, err := w.next()
		if err != nil {
			w.t.Fatalf("after %v: %v", out, err)
		}
		out = append(out, e)
	}
	return out
}

// types reads n events and returns their types and names.
func (w *watching) types(n int) []string {
	w.t.Helper()
	out := make([]string, 0, n)
	for _, e := range w.take(n) {
		out = append(out, strings.TrimSpace(e.Type+" "+e.Name))
	}
	return out
}

// rest reads the events up to the end, and returns the error of the end.
func (w *watching) rest() ([]string, error) {
	w.t.Helper()
	var out []string
	for {
		e, err := w.next()
		if err != nil {
			return out, err
		}
		out = append(out, strings.TrimSpace(e.Type+" "+e.Name))
	}
}

// configMap is an object of a name.
func configMap(namespace, name string) rest.Object {
	return rest.Object{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"namespace": namespace, "name": name},
	}
}

// must fails the test on an error.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func newReader(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, 1<<20) }

func decode(t *testing.T, body string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
}

func statusCode(code int) string { return strconv.Itoa(code) }
