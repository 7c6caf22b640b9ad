package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tideway-go/tideway/fakeapi/conformance"
)

const patience = 20 * time.Second // for an answer or a frame that must arrive

// row is one behaviour: a script of requests that runs on both servers and must produce equal
// transcripts.
type row struct {
	name string
	run  func(s *script)
	// alone marks rows that change the whole server (its history), so that nothing may run at the
	// same time.
	alone bool
	// lacks says what fakeapi leaves out on purpose; the row must then differ.
	lacks string
	// shown reduces a body to what is compared; nil compares all of it.
	shown func(body any) any
	// servers returns the servers to compare; nil are those that all tests use.
	servers func(t *testing.T) (real, fake conformance.Server)
}

// script sends requests to one server and records the answers.
//
// Paths and bodies may contain $ns: every row has its own namespace.
type script struct {
	t      *testing.T
	server conformance.Server
	client *http.Client
	url    string
	ns     string
	log    []exchange
	newest map[string]string // the last version written to each collection, until the cache has it
}

// exchange is one answer, one frame of a watch, or one fact that a script has noted.
type exchange struct {
	Request string
	Code    int
	Header  map[string]string
	Body    any // decoded JSON, or a string
}

// answer is an answer that the script can continue with.
type answer struct {
	t    *testing.T
	code int
	raw  []byte
	doc  any
}

// option changes a request before it is sent.
type option func(*http.Request)

func header(name, value string) option {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func as(token string) option { return header("Authorization", "Bearer "+token) }

func anonymous(r *http.Request) { r.Header.Del("Authorization") }

func newScript(t *testing.T, server conformance.Server, ns string) *script {
	s := &script{t: t, server: server, ns: ns, newest: map[string]string{}}
	s.connect()
	return s
}

// connect makes new connections for subsequent requests.
func (s *script) connect() {
	transport, url := s.server.Transport()
	s.t.Cleanup(transport.CloseIdleConnections)
	s.client, s.url = &http.Client{Transport: transport}, url
}

// restart restarts the server, which cuts the old connections.
func (s *script) restart() {
	s.t.Helper()
	s.server.Restart(s.t)
	s.connect()
}

// compact makes the server forget its history, and cuts the old connections.
func (s *script) compact() {
	s.t.Helper()
	s.server.Compact(s.t)
	s.connect()
}

func (s *script) expand(text string) string { return strings.ReplaceAll(text, "$ns", s.ns) }

// expand replaces pairs of words in a text.
func expand(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }

func (s *script) get(path string, o ...option) answer {
	s.t.Helper()
	return s.do(http.MethodGet, path, "", o...)
}

func (s *script) post(path, body string, o ...option) answer {
	s.t.Helper()
	return s.do(http.MethodPost, path, body, o...)
}

func (s *script) put(path, body string, o ...option) answer {
	s.t.Helper()
	return s.do(http.MethodPut, path, body, o...)
}

func (s *script) delete(path, body string, o ...option) answer {
	s.t.Helper()
	return s.do(http.MethodDelete, path, body, o...)
}

func (s *script) merge(path, body string, o ...option) {
	s.t.Helper()
	s.patch(path, "application/merge-patch+json", body, o...)
}

func (s *script) patch(path, contentType, body string, o ...option) {
	s.t.Helper()
	s.do(http.MethodPatch, path, body, append([]option{header("Content-Type", contentType)}, o...)...)
}

// do sends one request and records the answer.
func (s *script) do(method, path, body string, o ...option) answer {
	s.t.Helper()
	a, headers := s.send(method, path, body, o...)
	s.log = append(s.log, exchange{Request: method + " " + path, Code: a.code, Header: headers, Body: a.doc})
	if rv := a.rv(); rv != "" && method != http.MethodGet {
		collection, _, _ := strings.Cut(path, "?")
		if method != http.MethodPost {
			collection = collection[:strings.LastIndex(collection, "/")]
		}
		s.newest[collection] = rv
	}
	return a
}

// settle waits until the cache of the real server has caught up with the writes. Reads at a version
// come from the cache and might be older otherwise, and a write that meets an older object is made
// twice, which shows in the warnings of some patches.
func (s *script) settle(method, path string) {
	s.t.Helper()
	fromCache := method == http.MethodGet && strings.Contains(path, "resourceVersion=")
	changes := method == http.MethodPut || method == http.MethodPatch || method == http.MethodDelete
	if s.server.Name() != conformance.RealName || !fromCache && !changes {
		return
	}
	for collection, rv := range s.newest {
		delete(s.newest, collection)
		s.send(http.MethodGet, collection+"?resourceVersion="+rv, "")
	}
}

// send is do without recording, for requests that are not part of the behaviour.
func (s *script) send(method, path, body string, o ...option) (answer, map[string]string) {
	s.t.Helper()
	s.settle(method, path)
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	resp, err := s.client.Do(s.request(ctx, method, path, body, o...))
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{t: s.t, code: resp.StatusCode, raw: raw, doc: decode(raw)}, comparedHeaders(resp.Header)
}

func (s *script) request(ctx context.Context, method, path, body string, o ...option) *http.Request {
	s.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(s.expand(body))
	}
	req, err := http.NewRequestWithContext(ctx, method, s.url+s.expand(path), reader)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	as(conformance.AdminToken)(req)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, change := range o {
		change(req)
	}
	return req
}

// note records a fact that does not follow from a single answer.
func (s *script) note(fact string, value any) {
	s.log = append(s.log, exchange{Request: "note " + fact, Body: value})
}

// comparedHeaders picks the headers in which the servers must agree.
func comparedHeaders(h http.Header) map[string]string {
	picked := map[string]string{}
	for _, name := range []string{"Content-Type", "Warning", "Retry-After", "Allow"} {
		if values := h.Values(name); len(values) > 0 {
			picked[name] = strings.Join(values, ", ")
		}
	}
	return picked
}

// decode returns JSON as maps, slices and json.Number, and anything else as text.
func decode(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return string(raw)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return string(raw)
	}
	return doc
}

// str returns the string at a path such as metadata.uid, or "".
func (a answer) str(path string) string {
	text, _ := lookup(a.doc, path).(string)
	return text
}

func (a answer) rv() string { return a.str("metadata.resourceVersion") }

func (a answer) uid() string { return a.str("metadata.uid") }

// with returns the body as a request with values set at paths: with("data.k", "v"); nil removes.
func (a answer) with(pairs ...any) string {
	a.t.Helper()
	doc, ok := decode(a.raw).(map[string]any)
	if !ok {
		a.t.Fatalf("no object to change: %s", a.raw)
	}
	for i := 0; i < len(pairs); i += 2 {
		setPath(doc, strings.Split(fmt.Sprint(pairs[i]), "."), pairs[i+1])
	}
	out, err := json.Marshal(doc)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(out)
}

func lookup(doc any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		m, ok := doc.(map[string]any)
		if !ok {
			return nil
		}
		doc = m[key]
	}
	return doc
}

func setPath(doc map[string]any, keys []string, value any) {
	for len(keys) > 1 {
		child, ok := doc[keys[0]].(map[string]any)
		if !ok {
			child = map[string]any{}
			doc[keys[0]] = child
		}
		doc, keys = child, keys[1:]
	}
	if value == nil {
		delete(doc, keys[0])
		return
	}
	doc[keys[0]] = value
}
