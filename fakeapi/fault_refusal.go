package fakeapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// refusal is an answer given instead of the right one.
type refusal struct {
	code        int
	header      http.Header
	status      *rest.Status
	contentType string
	body        string
}

// RetryAfter makes a refusal ask for a wait in whole seconds, in the header and in the details.
func (f Fault) RetryAfter(d time.Duration) Fault {
	f = f.Header("Retry-After", strconv.Itoa(int(d/time.Second))).unless(d < 0, "RetryAfter: the duration is negative")
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
	if f.refuse.status == nil {
		return f.unless(true, noStatus)
	}
	f.refuse.status.Message = text
	return f
}

// Reason sets the reason of a refusal.
func (f Fault) Reason(reason string) Fault {
	f = f.copyRefusal()
	if f.refuse.status == nil {
		return f.unless(true, noStatus)
	}
	f.refuse.status.Reason = reason
	return f
}

// Status sets everything in a refusal except its HTTP status.
func (f Fault) Status(st rest.Status) Fault {
	f = f.copyRefusal()
	f.refuse.status, f.refuse.contentType, f.refuse.body = &st, "", ""
	return f
}

// noStatus is what is wrong with changing the Status of an answer that has none.
const noStatus = "Respond: the body is not a Status: put Message and Reason into the body, or use Refuse"

// copyRefusal returns a fault whose refusal may be changed. It panics if the fault does not answer.
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

// refusalStatus is the Status that kube-apiserver sends with a code.
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
