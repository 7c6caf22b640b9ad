package fakeapi

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Request is one request as the server saw it. It is comparable, and made to be compared:
//
//	want := []fakeapi.Request{{Method: "GET", Path: "/api/v1/namespaces/default/pods", Query: "limit=500", Status: 200}}
//	if diff := cmp.Diff(want, server.Journal()); diff != "" { ... }
type Request struct {
	Method string
	Path   string // decoded
	Query  string // canonical: sorted by name, then encoded
	// Status is the status of the answer. It is 0 while there is none, and forever if the
	// connection was cut before the headers.
	Status int
}

// String returns the request on one line: "GET /api/v1/pods?limit=500 200".
func (r Request) String() string {
	s := r.Method + " " + r.Path
	if r.Query != "" {
		s += "?" + r.Query
	}
	if r.Status != 0 {
		s += " " + strconv.Itoa(r.Status)
	}
	return s
}

// Record is a request with everything that a test may want to know about it.
type Record struct {
	Request
	Header http.Header
	Body   []byte        // as far as the server has read it
	At     time.Duration // since the server started
	User   string        // who asked, "" if that is not known
}

// Format writes the request on one line, whatever the verb: header and body may hold secrets.
func (r Record) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, r.String()) }

// MarshalText returns the request on one line; encoders of JSON and slog use it.
func (r Record) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// MarshalBinary returns the request on one line; gob uses it.
func (r Record) MarshalBinary() ([]byte, error) { return r.MarshalText() }

// maxRecords is how many requests are remembered. Then the older half goes.
const maxRecords = 10_000

// journal remembers the requests.
type journal struct {
	started time.Time
	mu      sync.Mutex
	records []*Record
}

// Journal returns the requests in the order of their arrival, at least the newest 5000 of them.
func (s *Server) Journal() []Request {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	out := make([]Request, len(s.journal.records))
	for i, r := range s.journal.records {
		out[i] = r.Request
	}
	return out
}

// Records returns the requests in the order of their arrival, with headers, bodies and times.
func (s *Server) Records() []Record {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	out := make([]Record, len(s.journal.records))
	for i, r := range s.journal.records {
		out[i] = *r
		out[i].Header = r.Header.Clone()
		out[i].Body = slices.Clone(r.Body)
	}
	return out
}

// ResetJournal forgets the requests so far.
func (s *Server) ResetJournal() {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.records = nil
}

// add adds a request, by a user who may not be known.
func (j *journal) add(r *http.Request, u *User) *Record {
	rec := &Record{
		Request: Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.Query().Encode()},
		Header:  r.Header.Clone(),
		At:      time.Since(j.started),
	}
	if u != nil {
		rec.User = u.Name
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.records) == maxRecords {
		j.records = slices.Clone(j.records[maxRecords/2:])
	}
	j.records = append(j.records, rec)
	return rec
}

// rename writes down that somebody else asked, as it turned out.
func (j *journal) rename(rec *Record, u *User) {
	j.mu.Lock()
	defer j.mu.Unlock()
	rec.User = u.Name
}

// answered writes down what was read of a request, and its answer.
func (j *journal) answered(rec *Record, body []byte, code int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	rec.Body, rec.Status = body, code
}
