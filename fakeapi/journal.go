package fakeapi

import (
	"net/http"
	"slices"
	"time"
)

// Request is one request as the server saw it. It is comparable, and made to be
// compared:
//
//	want := []fakeapi.Request{{Method: "GET", Path: "/api/v1/namespaces/default/pods", Query: "limit=500", Status: 200}}
//	if diff := cmp.Diff(want, server.Journal()); diff != "" { ... }
type Request struct {
	Method string
	Path   string // decoded
	Query  string // canonical: sorted by name, then encoded
	// Status is the status of the answer; 0 while there is none, and for ever
	// where the connection was cut before the headers.
	Status int
}

// String returns the request in one line: "GET /api/v1/pods?limit=500 200".
func (r Request) String() string {
	s := r.Method + " " + r.Path
	if r.Query != "" {
		s += "?" + r.Query
	}
	if r.Status != 0 {
		s += " " + statusText(r.Status)
	}
	return s
}

// Record is a request with all that a test may want to know of it.
type Record struct {
	Request
	Header http.Header
	Body   []byte        // as far as the server has read it
	At     time.Duration // since the server started
	User   string        // as whom it was asked, "" for nobody that is known
}

// maxRecords is how many requests are remembered. Then the older half goes.
const maxRecords = 10_000

// Journal returns the requests in the order of their arrival, the newest 5000
// of them at least.
func (s *Server) Journal() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Request, len(s.records))
	for i, r := range s.records {
		out[i] = r.Request
	}
	return out
}

// Records returns the requests in the order of their arrival, with headers,
// bodies and times.
func (s *Server) Records() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Record, len(s.records))
	for i, r := range s.records {
		out[i] = *r
		out[i].Header = r.Header.Clone()
		out[i].Body = slices.Clone(r.Body)
	}
	return out
}

// ResetJournal forgets the requests so far.
func (s *Server) ResetJournal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = nil
}

// log adds a request to the journal.
func (s *Server) log(r *http.Request) *Record {
	rec := &Record{
		Request: Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.Query().Encode()},
		Header:  r.Header.Clone(),
		At:      time.Since(s.started),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.records) == maxRecords {
		s.records = slices.Clone(s.records[maxRecords/2:])
	}
	s.records = append(s.records, rec)
	return rec
}
