package fakeapi

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// Fault is something that goes wrong with a request. Functions of this package say what goes wrong;
// methods say with which requests, when, and how often:
//
//	server.Inject(
//		fakeapi.Refuse(429).RetryAfter(2*time.Second).On("watch", "pods").Times(3),
//		fakeapi.Cut().AfterEvents(1).On("watch", "pods"),
//	)
//
// The methods return a changed copy. By default a fault hits the next request to which it can
// happen: most faults any request, those of events the next watch. [Server.Inject] panics if there
// is no such request.
type Fault struct {
	name    string // of the function that made it
	match   matcher
	skip    int
	times   int // 0 is once, -1 is always
	effect  effect
	watches bool     // happens to watches only
	can     []moment // when it can happen, besides its own moment
	when    []moment // when it is to happen
	stop    stop
	refuse  *refusal
	apply   func(*plan) // what does not stop the request
	draw    func(p *plan, q *query) effect
	wrong   string // why it can never happen, if an argument makes it so
}

// matcher chooses requests. Empty fields choose all.
type matcher struct {
	verb, resource, namespace, name, agent string
	when                                   func(*http.Request) bool
}

// stopKind is how an answer ends before its time.
type stopKind int

const (
	stopEnd stopKind = iota
	stopCut
	stopTruncate
	stopAbort
	stopSilence
	stopFreeze
)

// stop is how and where an answer ends before its time.
type stop struct {
	kind   stopKind
	early  bool // before the headers
	events int  // -1: not by events
	bytes  int  // -1: not by bytes
	after  time.Duration
	raw    []byte // sent at the end
	pause  time.Duration
}

// moments are all moments at which an answer can stop.
var moments = []moment{beforeHeaders, afterEvents, afterBytes, afterTime}

func stopping(name string, kind stopKind, can ...moment) Fault {
	return Fault{name: name, effect: stopped, can: can, stop: stop{kind: kind, events: -1, bytes: -1}}
}

// Refuse answers with a Status of the code, in the words of the real server.
func Refuse(code int) Fault {
	f := answering("Refuse", &refusal{code: code, status: refusalStatus(code)})
	if !mayHaveBody(code) {
		f.wrong = fmt.Sprintf("Refuse(%d): an answer of this code has no body", code)
	}
	return f
}

// Respond answers with a body that need be neither a Status nor JSON.
func Respond(code int, contentType, body string) Fault {
	f := answering("Respond", &refusal{code: code, contentType: contentType, body: body})
	if code < 200 || code > 999 || body != "" && !mayHaveBody(code) {
		f.wrong = fmt.Sprintf("Respond(%d): an answer of this code has no body", code)
	}
	return f
}

func answering(name string, r *refusal) Fault {
	r.header = make(http.Header)
	return Fault{name: name, effect: stopped, refuse: r}
}

// mayHaveBody reports whether an answer of the code can have a body.
func mayHaveBody(code int) bool {
	return code >= 200 && code <= 999 && code != http.StatusNoContent && code != http.StatusNotModified
}

// Cut resets the connection: the client reads what was sent, then gets ECONNRESET. By default this
// happens right after the headers.
func Cut() Fault { return stopping("Cut", stopCut, moments...) }

// Truncate closes the connection without ending the answer: the client gets io.ErrUnexpectedEOF. By
// default this happens right after the headers.
func Truncate() Fault { return stopping("Truncate", stopTruncate, moments...) }

// Abort gives up the answer, as a server does whose handler has crashed. Over HTTP/2 the stream is
// reset and the connection lives on; over HTTP/1.1 it is like [Truncate].
func Abort() Fault { return stopping("Abort", stopAbort, moments...) }

// End ends the answer as if it were complete. By default this happens right after the headers: 200
// and an empty body.
func End() Fault { return stopping("End", stopEnd, afterEvents, afterBytes, afterTime) }

// Silence sends nothing more and keeps the connection: HTTP/2 pings are answered.
func Silence() Fault { return stopping("Silence", stopSilence, moments...) }

// Freeze makes the connection half-open: it stays, but everything that either side sends is lost,
// pings included.
func Freeze() Fault { return stopping("Freeze", stopFreeze, moments...) }

// ErrorEvent sends an ERROR event in a watch and ends the watch.
func ErrorEvent(st rest.Status) Fault { return sendingError("ErrorEvent", st) }

// Expired sends the ERROR event of a version that is too old and ends the watch. [Refuse] with 410
// is the same as an answer; [Server.Expire] makes it true.
func Expired() Fault { return sendingError("Expired", *tooOld(5, 9000)) }

func sendingError(name string, st rest.Status) Fault {
	f := stopping(name, stopEnd, afterEvents, afterTime)
	if st.Kind == "" {
		st.Kind, st.APIVersion = "Status", "v1"
	}
	if st.Status == "" {
		st.Status = rest.StatusFailure
	}
	f.stop.raw = append(errorEvent(&st), '\n')
	f.watches = true
	return f
}

func modifier(name string, e effect, apply func(*plan)) Fault {
	return Fault{name: name, effect: e, apply: apply}
}

// inWatch is a fault that only a watch can have.
func (f Fault) inWatch() Fault {
	f.watches = true
	return f
}

// unless notes why the fault can never happen, if an argument makes it so.
func (f Fault) unless(wrong bool, why string) Fault {
	if wrong && f.wrong == "" {
		f.wrong = why
	}
	return f
}

// Delay holds back the answer, headers included.
func Delay(d time.Duration) Fault {
	return modifier("Delay", delayed, func(p *plan) { p.delay += d }).
		unless(d <= 0, "Delay: the duration has to be positive")
}

// Split sends the answer n bytes at a time, with pauses in between. It waits for an answer of more
// than n bytes.
func Split(n int, pause time.Duration) Fault {
	return modifier("Split", split, func(p *plan) { p.split, p.pause = n, pause }).
		unless(n < 1 || pause < 0, "Split: at least one byte is sent at a time, and no pause is negative")
}

// Slow pauses before each event of a watch.
func Slow(pause time.Duration) Fault {
	return modifier("Slow", slowed, func(p *plan) { p.slow = pause }).inWatch().
		unless(pause <= 0, "Slow: the pause has to be positive")
}

// Hold sends the events of a watch n at a time, in one write. The rest is sent when the watch ends
// cleanly; a cut loses it.
func Hold(n int) Fault {
	return modifier("Hold", held, func(p *plan) { p.hold = n }).inWatch().
		unless(n < 2, "Hold: no event is held back unless at least two are sent at a time")
}

// Separate sends a text between the events of a watch instead of a line feed after each: "\r\n",
// "\n\n", or nothing at all. No text follows the last event.
func Separate(text string) Fault {
	return modifier("Separate", separated, func(p *plan) { p.separator, p.between = text, true }).inWatch()
}

// Text sends a text in a watch as it is: a line that is not JSON, a blank line, a frame of the
// test's own. By default it comes before the first event; AfterEvents changes that.
func Text(raw string) Fault {
	f := Fault{name: "Text", effect: inserted, can: []moment{afterEvents}, stop: stop{raw: []byte(raw)}}
	return f.inWatch().unless(raw == "", "Text: there is no text")
}

// Pause sends nothing for a while in a watch: before the first event, or where AfterEvents says.
// Texts and pauses at the same place happen in the order in which they were injected, so that a
// frame can be sent in pieces.
func Pause(d time.Duration) Fault {
	f := Fault{name: "Pause", effect: inserted, can: []moment{afterEvents}, stop: stop{pause: d}}
	return f.inWatch().unless(d <= 0, "Pause: the duration has to be positive")
}

// GoAway asks the client of an HTTP/2 connection to use another one from now on, as a server does
// that shuts down. Over HTTP/1.1 it sends Connection: close.
func GoAway() Fault { return modifier("GoAway", wentAway, func(p *plan) { p.goAway = true }) }

// NoBookmarks sends no bookmarks in a watch, not even the one that ends the initial events. It
// waits for a watch that would have got one.
func NoBookmarks() Fault {
	return modifier("NoBookmarks", unmarked, func(p *plan) { p.noBookmarks = true }).inWatch()
}

// NoMarker leaves out the bookmark that ends the initial events of a watch. It waits for a watch
// that would have got one.
func NoMarker() Fault {
	return modifier("NoMarker", unended, func(p *plan) { p.noMarker = true }).inWatch()
}

// Compact forgets all history when the request arrives, as [Server.Expire] does. If the request is
// for the second page of a list, it is answered with 410.
func Compact() Fault { return modifier("Compact", compacted, func(p *plan) { p.compact = true }) }
