package rest

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxErrorText = 2 << 10         // of a text that stands in for a message
	maxErrorTime = 5 * time.Second // for the body to arrive: the code says enough
)

// refused turns an answer that refuses op into an error. It reads a bounded part of the body and
// closes it. If the body is not a Status, or is empty or cut off, the reason comes from the code.
func (e *Endpoint) refused(op, name string, resp *http.Response) *StatusError {
	late := time.AfterFunc(maxErrorTime, func() { _ = resp.Body.Close() })
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorRead)) // what was read is enough
	late.Stop()
	_ = resp.Body.Close()
	s, ok := readStatus(body)
	if !ok {
		s = unexpectedStatus(op, resp, body)
		s.Message = e.client.transport.Hide(s.Message, len(body) <= maxErrorText) // it may end inside a secret
		s.Details = &StatusDetails{Causes: []StatusCause{{Type: CauseUnexpectedServerResponse, Message: s.Message}}}
	}
	err := e.refusal(op, name, s)
	if err.Status.Code == 0 {
		err.Status.Code = resp.StatusCode
	}
	if err.Status.Reason == "" {
		err.Status.Reason = reasonOf(op, err.Status.Code)
	}
	err.Header = resp.Header
	kept := min(len(body), e.options().maxErrorBody())
	err.Body = body[:kept:kept]
	if wait, _ := retryAfter(resp.Header, time.Now()); wait > 0 {
		// The body counts before the header.
		var d StatusDetails
		if s.Details != nil {
			d = *s.Details
		}
		if d.RetryAfterSeconds <= 0 {
			d.RetryAfterSeconds = wait.Seconds()
			err.Status.Details = &d
		}
	}
	return err
}

// refusal returns the error of a Status that refuses op, wherever it was found: in a stream, or in
// an answer whose HTTP status is not an error.
func (e *Endpoint) refusal(op, name string, s Status) *StatusError {
	e.hide(&s)
	return &StatusError{Op: op, Resource: e.resource(), Object: e.object(name), Status: s}
}

// hide removes the secrets that the client's requests carry from what people read of a Status:
// servers and proxies repeat what they do not understand.
func (e *Endpoint) hide(s *Status) {
	hide := e.client.transport.Hide
	s.Reason, s.Message = hide(s.Reason, true), hide(s.Message, true)
	if s.Details == nil {
		return
	}
	d := *s.Details
	d.Causes = slices.Clone(d.Causes)
	for i := range d.Causes {
		c := &d.Causes[i]
		c.Type, c.Message, c.Field = hide(c.Type, true), hide(c.Message, true), hide(c.Field, true)
	}
	s.Details = &d
}

// unexpectedStatus makes a Status of a body that is not one.
func unexpectedStatus(op string, resp *http.Response, body []byte) Status {
	s := Status{
		Kind:       "Status",
		APIVersion: "v1",
		Status:     StatusFailure,
		Reason:     reasonOf(op, resp.StatusCode),
		Code:       resp.StatusCode,
		Message:    textOf(resp.Header.Get("Content-Type"), body),
	}
	if to, err := resp.Location(); err == nil && resp.StatusCode < http.StatusBadRequest {
		// The query is left out: it may hold what lets one in.
		s.Message = "to " + (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path}).String()
	}
	return s
}

// textOf returns the beginning of a body that people can read, "" if they cannot.
func textOf(contentType string, body []byte) string {
	media, _, _ := strings.Cut(contentType, ";")
	switch media = strings.TrimSpace(media); {
	case media == "", strings.HasPrefix(media, "text/"), strings.HasSuffix(media, "json"):
	default:
		return ""
	}
	text := string(body[:min(len(body), maxErrorText)])
	if len(body) > maxErrorText {
		text = strings.ToValidUTF8(text, "") // it may end inside a character
	}
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return ""
	}
	return strings.TrimSpace(text)
}
