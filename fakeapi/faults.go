package fakeapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// Fault is something that goes wrong with a request. A function of this package
// says what, methods say with which requests, when, and how often:
//
//	server.Inject(
//		fakeapi.Refuse(429).RetryAfter(2*time.Second).On("watch", "pods").Times(3),
//		fakeapi.Cut().AfterEvents(1).On("watch", "pods"),
//	)
//
// The methods return a changed copy. Without any of them a fault is of the next
// request, whatever it is.
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

// matcher chooses requests. Empty members choose all.
type matcher struct {
	verb, resource, namespace, name, agent string
	when                                   func(*http.Request) bool
}

// refusal is an answer instead of the right one.
type refusal struct {
	code        int
	header      http.Header
	status      *rest.Status
	contentType string
	body        string
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

// Refuse answers with a Status of the code, as the real server words it.
func Refuse(code int) Fault {
	return Fault{stops: true, refuse: &refusal{code: code, header: make(http.Header), status: refusalStatus(code)}}
}

// Respond answers with a body that need not be a Status, nor JSON.
func Respond(code int, contentType, body string) Fault {
	return Fault{stops: true, refuse: &refusal{code: code, header: make(http.Header), contentType: contentType, body: body}}
}

// Cut resets the connection: the client reads what was sent, then gets
// ECONNRESET. Without a method that says when, right after the headers.
func Cut() Fault { return stopping(stopCut) }

// Truncate closes the connection without ending the answer: the client gets
// io.ErrUnexpectedEOF. Without a method that says when, right after the headers.
func Truncate() Fault { return stopping(stopTruncate) }

// Abort gives the answer up, as a server does whose handler has crashed: over
// HTTP/2 the stream is reset and the connection lives on, over HTTP/1.1 it is
// like [Truncate].
func Abort() Fault { return stopping(stopAbort) }

// End ends the answer as if all had been said. Without a method that says when,
// right after the headers: 200 and an empty body.
func End() Fault { return stopping(stopEnd) }

// Silence sends no more, and keeps the connection: pings of HTTP/2 are answered.
func Silence() Fault { return stopping(stopSilence) }

// Freeze makes the connection half-open: it stays, but whatever either side
// sends is lost, pings too.
func Freeze() Fault { return stopping(stopFreeze) }

// ErrorEvent sends an ERROR event in a watch, and ends the watch.
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

// Expired sends the ERROR event of a version that is too old, and ends the
// watch. [Refuse] of 410 is the same as an answer, [Server.Expire] makes it true.
func Expired() Fault { return ErrorEvent(*tooOld(5, 9000)) }

func modifier(apply func(*plan)) Fault { return Fault{apply: apply} }

// Delay keeps back the answer, and with it its headers.
func Delay(d time.Duration) Fault { return modifier(func(p *plan) { p.delay += d }) }

// Split sends the answer n bytes at a time, with a pause between.
func Split(n int, pause time.Duration) Fault {
	return modifier(func(p *plan) { p.split, p.pause = max(n, 1), pause })
}

// Slow pauses before each event of a watch.
func Slow(pause time.Duration) Fault { return modifier(func(p *plan) { p.slow = pause }) }

// Hold sends the events of a watch n at a time, in one write. The rest comes when
// the watch ends well; a cut loses it.
func Hold(n int) Fault { return modifier(func(p *plan) { p.hold = n }) }

// Separate sends a text between the events of a watch instead of a line feed
// behind each: "\r\n", "\n\n", or nothing at all. No text follows the last one.
func Separate(text string) Fault {
	return modifier(func(p *plan) { p.separator, p.between = text, true })
}

// Text sends a text in a watch, as it is: a line that is no JSON, a blank line,
// a frame of the test's own. Without AfterEvents, before the first event.
func Text(raw string) Fault {
	return Fault{stop: stop{raw: []byte(raw)}}
}

// Pause sends nothing for a while in a watch, before the first event or where
// AfterEvents says. Texts and pauses for the same place happen in the order in
// which they were injected, so that a frame can be sent in pieces.
func Pause(d time.Duration) Fault { return Fault{stop: stop{pause: d}} }

// GoAway asks the client of an HTTP/2 connection to use another one from now
// on, as a server does that shuts down. Over HTTP/1.1 it is Connection: close.
func GoAway() Fault { return modifier(func(p *plan) { p.goAway = true }) }

// NoBookmarks sends no bookmarks in a watch, not even the one that ends the
// initial events.
func NoBookmarks() Fault { return modifier(func(p *plan) { p.noBookmarks = true }) }

// NoMarker leaves out the bookmark that ends the initial events of a watch.
func NoMarker() Fault { return modifier(func(p *plan) { p.noMarker = true }) }

// Compact forgets all history when the request arrives, as [Server.Expire] does:
// with the second page of a list, that page is answered with 410.
func Compact() Fault { return modifier(func(p *plan) { p.compact = true }) }

// On chooses the requests by verb (get, list, watch, create, update, patch,
// delete, deletecollection) and resource ("pods", "deployments.apps"). "*"
// chooses all of them. A resource that the server does not serve is a mistake:
// [Server.Inject] panics.
func (f Fault) On(verb, resource string) Fault {
	f.match.verb, f.match.resource = verb, resource
	return f
}

// In chooses the requests of a namespace.
func (f Fault) In(namespace string) Fault {
	f.match.namespace = namespace
	return f
}

// Named chooses the requests for an object.
func (f Fault) Named(name string) Fault {
	f.match.name = name
	return f
}

// From chooses the requests whose User-Agent contains a text.
func (f Fault) From(agent string) Fault {
	f.match.agent = agent
	return f
}

// When chooses the requests for which a function returns true. It must not
// touch the server, nor the body.
func (f Fault) When(cond func(*http.Request) bool) Fault {
	f.match.when = cond
	return f
}

// Nth leaves the first n-1 of the chosen requests alone.
func (f Fault) Nth(n int) Fault {
	f.skip = n - 1
	return f
}

// Times makes it happen to n requests, one after the other.
func (f Fault) Times(n int) Fault {
	f.times = n
	return f
}

// Always makes it happen to every chosen request.
func (f Fault) Always() Fault {
	f.times = -1
	return f
}

// BeforeHeaders makes a Cut, Truncate, Abort, Silence or Freeze happen instead
// of an answer.
func (f Fault) BeforeHeaders() Fault {
	f.stop.early = true
	return f
}

// AfterEvents makes it happen after n events of a watch.
func (f Fault) AfterEvents(n int) Fault {
	f.stop.events = n
	return f
}

// AfterBytes makes it happen after n bytes of the body, be they in the middle
// of an event.
func (f Fault) AfterBytes(n int) Fault {
	f.stop.bytes = n
	return f
}

// After makes it happen some time after the headers.
func (f Fault) After(d time.Duration) Fault {
	f.stop.after = d
	return f
}

// RetryAfter makes a refusal ask for a wait, with the header and in the details,
// in whole seconds.
func (f Fault) RetryAfter(d time.Duration) Fault {
	f = f.Header("Retry-After", strconv.Itoa(int(d/time.Second)))
	if st := f.refuse.status; st != nil {
		var details rest.StatusDetails
		if st.Details != nil {
			details = *st.Details
		}
		details.RetryAfterSeconds = d.Seconds()
		st.Details = &details
	}
	return f
}

// Header sets a header of a refusal.
func (f Fault) Header(name, value string) Fault {
	f = f.copyRefusal()
	f.refuse.header.Set(name, value)
	return f
}

// Message sets the message of a refusal.
func (f Fault) Message(text string) Fault {
	f = f.copyRefusal()
	if f.refuse.status != nil {
		f.refuse.status.Message = text
	}
	return f
}

// Reason sets the reason of a refusal.
func (f Fault) Reason(reason string) Fault {
	f = f.copyRefusal()
	if f.refuse.status != nil {
		f.refuse.status.Reason = reason
	}
	return f
}

// Status sets all that a refusal says but its HTTP status.
func (f Fault) Status(st rest.Status) Fault {
	f = f.copyRefusal()
	f.refuse.status, f.refuse.contentType, f.refuse.body = &st, "", ""
	return f
}

// copyRefusal returns a fault whose refusal may be changed. It is a mistake of
// the programmer to say what a fault answers that answers nothing.
func (f Fault) copyRefusal() Fault {
	if f.refuse == nil {
		panic("fakeapi: only Refuse and Respond have an answer to change")
	}
	r := *f.refuse
	r.header = r.header.Clone()
	if r.status != nil {
		st := *r.status
		r.status = &st
	}
	f.refuse = &r
	return f
}

// refusalStatus is what the real server says with a code.
func refusalStatus(code int) *rest.Status {
	reasons := map[int][2]string{
		400: {rest.ReasonBadRequest, "the server rejected our request for an unknown reason"},
		401: {rest.ReasonUnauthorized, "Unauthorized"},
		403: {rest.ReasonForbidden, "forbidden"},
		404: {rest.ReasonNotFound, "the server could not find the requested resource"},
		405: {rest.ReasonMethodNotAllowed, "the server does not allow this method on the requested resource"},
		409: {rest.ReasonConflict, "the object has been modified; please apply your changes to the latest version and try again"},
		410: {rest.ReasonExpired, "too old resource version: 5 (9000)"},
		413: {rest.ReasonRequestEntityTooLarge, "Request entity too large: limit is 3145728"},
		415: {rest.ReasonUnsupportedMediaType, "the body of the request was in an unknown format"},
		422: {rest.ReasonInvalid, "the server rejected our request due to an error in our request"},
		429: {rest.ReasonTooManyRequests, "Too many requests, please try again later."},
		500: {rest.ReasonInternalError, "Internal error occurred"},
		503: {rest.ReasonServiceUnavailable, "the server is currently unable to handle the request"},
		504: {rest.ReasonTimeout, "Timeout: request did not complete within the allotted timeout"},
	}
	r, ok := reasons[code]
	if !ok {
		r = [2]string{strings.ReplaceAll(http.StatusText(code), " ", ""), http.StatusText(code)}
	}
	return failure(code, r[0], r[1], nil)
}
