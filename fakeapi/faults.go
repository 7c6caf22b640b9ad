package fakeapi

import (
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
// The methods return a changed copy. By default a fault hits the next request, whatever it is.
type Fault struct {
	match  matcher
	skip   int
	times  int // 0 is once, -1 is always
	stops  bool
	stop   stop
	refuse *refusal
	apply  func(*plan) // what does not stop the request
	draw   func(p *plan, q *query)
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

func stopping(kind stopKind) Fault {
	return Fault{stops: true, stop: stop{kind: kind, events: -1, bytes: -1}}
}

// Refuse answers with a Status of the code, in the words of the real server.
func Refuse(code int) Fault {
	return Fault{stops: true, refuse: &refusal{code: code, header: make(http.Header), status: refusalStatus(code)}}
}

// Respond answers with a body that need be neither a Status nor JSON.
func Respond(code int, contentType, body string) Fault {
	return Fault{stops: true, refuse: &refusal{code: code, header: make(http.Header), contentType: contentType, body: body}}
}

// Cut resets the connection: the client reads what was sent, then gets ECONNRESET. By default this
// happens right after the headers.
func Cut() Fault { return stopping(stopCut) }

// Truncate closes the connection without ending the answer: the client gets io.ErrUnexpectedEOF. By
// default this happens right after the headers.
func Truncate() Fault { return stopping(stopTruncate) }

// Abort gives up the answer, as a server does whose handler has crashed. Over HTTP/2 the stream is
// reset and the connection lives on; over HTTP/1.1 it is like [Truncate].
func Abort() Fault { return stopping(stopAbort) }

// End ends the answer as if it were complete. By default this happens right after the headers: 200
// and an empty body.
func End() Fault { return stopping(stopEnd) }

// Silence sends nothing more and keeps the connection: HTTP/2 pings are answered.
func Silence() Fault { return stopping(stopSilence) }

// Freeze makes the connection half-open: it stays, but everything that either side sends is lost,
// pings included.
func Freeze() Fault { return stopping(stopFreeze) }

// ErrorEvent sends an ERROR event in a watch and ends the watch.
func ErrorEvent(st rest.Status) Fault {
	f := stopping(stopEnd)
	if st.Kind == "" {
		st.Kind, st.APIVersion = "Status", "v1"
	}
	if st.Status == "" {
		st.Status = rest.StatusFailure
	}
	f.stop.raw = append(errorEvent(&st), '\n')
	return f
}

// Expired sends the ERROR event of a version that is too old and ends the watch. [Refuse] with 410
// is the same as an answer; [Server.Expire] makes it true.
func Expired() Fault { return ErrorEvent(*tooOld(5, 9000)) }

func modifier(apply func(*plan)) Fault { return Fault{apply: apply} }

// Delay holds back the answer, headers included.
func Delay(d time.Duration) Fault { return modifier(func(p *plan) { p.delay += d }) }

// Split sends the answer n bytes at a time, with pauses in between.
func Split(n int, pause time.Duration) Fault {
	return modifier(func(p *plan) { p.split, p.pause = max(n, 1), pause })
}

// Slow pauses before each event of a watch.
func Slow(pause time.Duration) Fault { return modifier(func(p *plan) { p.slow = pause }) }

// Hold sends the events of a watch n at a time, in one write. The rest is sent when the watch ends
// cleanly; a cut loses it.
func Hold(n int) Fault { return modifier(func(p *plan) { p.hold = n }) }

// Separate sends a text between the events of a watch instead of a line feed after each: "\r\n",
// "\n\n", or nothing at all. No text follows the last event.
func Separate(text string) Fault {
	return modifier(func(p *plan) { p.separator, p.between = text, true })
}

// Text sends a text in a watch as it is: a line that is not JSON, a blank line, a frame of the
// test's own. By default it comes before the first event; AfterEvents changes that.
func Text(raw string) Fault {
	return Fault{stop: stop{raw: []byte(raw)}}
}

// Pause sends nothing for a while in a watch: before the first event, or where AfterEvents says.
// Texts and pauses at the same place happen in the order in which they were injected, so that a
// frame can be sent in pieces.
func Pause(d time.Duration) Fault { return Fault{stop: stop{pause: d}} }

// GoAway asks the client of an HTTP/2 connection to use another one from now on, as a server does
// that shuts down. Over HTTP/1.1 it sends Connection: close.
func GoAway() Fault { return modifier(func(p *plan) { p.goAway = true }) }

// NoBookmarks sends no bookmarks in a watch, not even the one that ends the initial events.
func NoBookmarks() Fault { return modifier(func(p *plan) { p.noBookmarks = true }) }

// NoMarker leaves out the bookmark that ends the initial events of a watch.
func NoMarker() Fault { return modifier(func(p *plan) { p.noMarker = true }) }

// Compact forgets all history when the request arrives, as [Server.Expire] does. If the request is
// for the second page of a list, it is answered with 410.
func Compact() Fault { return modifier(func(p *plan) { p.compact = true }) }
