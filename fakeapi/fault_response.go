package fakeapi

import (
	"maps"
	"net/http"
	"time"
)

// response writes an answer, and does to it what its plan says.
type response struct {
	http.ResponseWriter
	s         *Server
	conn      *conn           // nil on a server that is not ours
	done      <-chan struct{} // closed when nobody waits for the answer any more
	isH2      bool
	rec       *Record
	plan      *plan
	view      view
	body      []byte // of the request, for the journal
	status    int
	streaming bool // the answer is a stream of events, which counts them itself
	sent      int  // bytes of the body
	ended     bool // nothing more is to be sent
}

// answering returns the writer of a request's answer.
func (s *Server) answering(w http.ResponseWriter, r *http.Request, q *query, rec *Record) *response {
	return &response{
		ResponseWriter: w, s: s, conn: connOf(r.Context()), done: r.Context().Done(), isH2: r.ProtoMajor == 2,
		rec: rec, plan: s.faults.plan(r, q),
	}
}

// Unwrap lets http.ResponseController find the writer below.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the headers, and puts the status into the journal.
func (w *response) WriteHeader(code int) {
	if w.status != 0 {
		return
	}
	w.status = code
	w.s.journal.answered(w.rec, w.body, code)
	w.plan.happened(wentAway)
	if st := w.plan.stop; st != nil && st.kind == stopEnd {
		w.Header().Del("Content-Length") // it would promise more than comes
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write sends a part of the body: in pieces, and no more than the plan lets through.
func (w *response) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	total := len(p)
	most, stops := w.limit()
	if stops {
		p = p[:min(len(p), most-w.sent)]
	}
	for len(p) > 0 && !w.ended {
		n := len(p)
		if w.plan.split > 0 {
			n = min(n, w.plan.split)
		}
		if _, err := w.ResponseWriter.Write(p[:n]); err != nil {
			w.ended = true
			return 0, err
		}
		w.sent += n
		p = p[n:]
		if w.plan.split > 0 {
			w.flush()
			if len(p) > 0 {
				w.plan.happened(split)
			}
			if len(p) > 0 && !w.wait(w.plan.pause) {
				w.ended = true
			}
		}
	}
	if stops && w.sent >= most {
		w.halt()
	}
	if w.ended {
		return 0, http.ErrAbortHandler
	}
	return total, nil
}

// before does what goes wrong before there is an answer. It reports whether that was all.
func (w *response) before() bool {
	p := w.plan
	if p.compact {
		w.s.Expire()
		p.happened(compacted)
	}
	if p.delay > 0 {
		p.happened(delayed)
		if !w.wait(p.delay) {
			return true
		}
	}
	if p.goAway {
		w.Header().Set("Connection", "close")
	}
	switch {
	case p.refuse != nil:
		w.refuse(p.refuse)
		return true
	case p.stop != nil && p.stop.early:
		w.halt()
		return true
	}
	return false
}

// refuse answers with a refusal.
func (w *response) refuse(r *refusal) {
	w.plan.happened(stopped)
	maps.Copy(w.Header(), r.header)
	if r.status != nil {
		st := *r.status
		if st.Code == 0 {
			st.Code = r.code
		}
		writeBody(w, r.code, jsonContent, statusBody(&st))
		return
	}
	if r.contentType != "" {
		w.Header().Set("Content-Type", r.contentType)
	}
	w.WriteHeader(r.code)
	_, _ = w.Write([]byte(r.body))
}

// limit returns how many bytes of the body the plan lets through. The second result reports whether
// it counts them.
func (w *response) limit() (int, bool) {
	st := w.plan.stop
	switch {
	case st == nil:
		return 0, false
	case st.bytes < 0 && st.events >= 0 && !w.streaming:
		return 0, true // there are no events
	}
	return st.bytes, st.bytes >= 0
}

// flush sends what is buffered.
func (w *response) flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush() // the next write fails as well
}

// wait pauses. It reports whether to go on.
func (w *response) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-w.done:
		return false
	}
}

// halt ends the answer as its plan says, once.
func (w *response) halt() {
	if w.ended {
		return
	}
	w.ended = true
	w.plan.happened(stopped)
	st := w.plan.stop
	if len(st.raw) > 0 {
		_, _ = w.ResponseWriter.Write(st.raw)
	}
	if w.status != 0 && st.kind != stopEnd {
		w.flush()
		if w.isH2 {
			// Frames are written by the goroutine of the connection: let it.
			w.wait(time.Millisecond)
		}
	}
	switch ours := w.conn != nil; {
	case ours && st.kind == stopCut:
		w.conn.reset()
	case ours && st.kind == stopTruncate:
		_ = w.conn.Conn.Close()
	case ours && st.kind == stopFreeze:
		w.conn.frozen.Store(true)
		<-w.done
	case st.kind == stopFreeze, st.kind == stopSilence:
		<-w.done
	} // close does the rest
}

// close ends the answer. If more was promised than was sent, net/http itself cuts the connection.
func (w *response) close() {
	w.plan.giveBack()
	if w.ended && w.plan.stop != nil && w.plan.stop.kind != stopEnd {
		panic(http.ErrAbortHandler) // sends nothing more, and logs nothing
	}
}
