package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

const quietTime = 300 * time.Millisecond // after which nothing is expected to come any more

// watched is a watch that a script has opened.
//
// Bookmarks come when the server finds the time. Except for the one that ends the initial events,
// which is a frame like any other, they are passed over, or, where the script wants them, written
// down once.
type watched struct {
	s      *script
	name   string
	frames chan answer
	end    chan error // one value when the body has ended
	cancel context.CancelFunc

	bookmarks  bool  // write them down
	bookmarked bool  // since the last other frame
	highest    int64 // version so far
}

// watch opens a watch and writes down how it is answered. A refusal is read to its end, and there
// is nothing to watch.
func (s *script) watch(path string, o ...option) *watched {
	s.t.Helper()
	s.settle(http.MethodGet, path)
	ctx, cancel := context.WithCancel(s.t.Context())
	s.t.Cleanup(cancel)
	// The clock is for the headers alone.
	slow := time.AfterFunc(patience, cancel)
	resp, err := s.client.Do(s.request(ctx, http.MethodGet, path, "", o...))
	if err != nil {
		s.t.Fatalf("watch %s: %v", path, err)
	}
	slow.Stop()
	e := exchange{Request: "WATCH " + path, Code: resp.StatusCode, Header: comparedHeaders(resp.Header)}
	w := &watched{s: s, name: path, frames: make(chan answer), end: make(chan error, 1), cancel: cancel}
	if resp.StatusCode != http.StatusOK {
		defer cancel()
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			s.t.Fatalf("watch %s: %v", path, err)
		}
		e.Body = decode(raw)
		w.end <- errors.New("it was refused")
	} else {
		go w.read(ctx, resp.Body)
	}
	s.log = append(s.log, e)
	return w
}

// read sends the frames of a body until it ends.
func (w *watched) read(ctx context.Context, body io.ReadCloser) {
	defer body.Close()
	d := json.NewDecoder(body)
	for {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			w.end <- err
			return
		}
		select {
		case w.frames <- answer{t: w.s.t, raw: raw, doc: decode(raw)}:
		case <-ctx.Done():
			w.end <- ctx.Err()
			return
		}
	}
}

// next waits for frames and writes them down; it returns the object of the last one.
func (w *watched) next(n int) answer {
	w.s.t.Helper()
	var last answer
	for n > 0 {
		timer := time.NewTimer(patience)
		select {
		case frame := <-w.frames:
			if w.written(frame) {
				last = frame
				n--
			}
		case err := <-w.end:
			w.s.log = append(w.s.log, exchange{Request: "end of " + w.name + " instead of a frame", Body: ending(err)})
			w.end <- err
			n = 0
		case <-timer.C:
			w.s.log = append(w.s.log, exchange{Request: "no frame of " + w.name})
			n = 0
		}
		timer.Stop()
	}
	object, err := json.Marshal(lookup(last.doc, "object"))
	if err != nil {
		w.s.t.Fatal(err)
	}
	return answer{t: w.s.t, raw: object, doc: decode(object)}
}

// rest writes down all frames up to the end of the stream, and how it ended.
func (w *watched) rest() {
	w.s.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case frame := <-w.frames:
			w.written(frame)
		case err := <-w.end:
			w.s.log = append(w.s.log, exchange{Request: "end of " + w.name, Body: ending(err)})
			w.end <- err
			return
		case <-timer.C:
			w.s.log = append(w.s.log, exchange{Request: "no end of " + w.name})
			return
		}
	}
}

// quiet waits for a moment and writes down what comes, which should be nothing.
func (w *watched) quiet() {
	timer := time.NewTimer(quietTime)
	defer timer.Stop()
	for {
		select {
		case frame := <-w.frames:
			w.written(frame)
		case err := <-w.end:
			w.s.log = append(w.s.log, exchange{Request: "end of " + w.name, Body: ending(err)})
			w.end <- err
			return
		case <-timer.C:
			return
		}
	}
}

// written writes a frame down, unless it is a bookmark that is passed over.
func (w *watched) written(frame answer) bool {
	if rv, err := strconv.ParseInt(frame.str("object.metadata.resourceVersion"), 10, 64); err == nil {
		if lookup(frame.doc, "type") == "BOOKMARK" && rv < w.highest {
			w.s.note("bookmark older than what came before", true)
		}
		w.highest = max(w.highest, rv)
	}
	annotations, _ := lookup(frame.doc, "object.metadata.annotations").(map[string]any)
	if plain := lookup(frame.doc, "type") == "BOOKMARK" && annotations["k8s.io/initial-events-end"] == nil; !plain {
		w.bookmarked = false
	} else if !w.bookmarks || w.bookmarked {
		return false
	} else {
		w.bookmarked = true
	}
	w.s.log = append(w.s.log, exchange{Request: "frame of " + w.name, Body: frame.doc})
	return true
}

// close ends the watch from this side.
func (w *watched) close() {
	w.cancel()
	err := <-w.end
	w.end <- err // for whoever asks again
}

func ending(err error) string {
	if errors.Is(err, io.EOF) {
		return "clean"
	}
	return err.Error()
}
