package fakeapi

import "net/http"

// serveMeta answers what is no resource: discovery, version, health.
func (s *Server) serveMeta(w http.ResponseWriter, _ *http.Request, q *query) {
	switch q.path {
	case "/healthz", "/readyz", "/livez":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok"))
	default:
		notFoundText(w)
	}
}
