package rest

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// StatusError is a refusal by the server: an answer with status 400 and up, a redirect, or a Status
// of failure. errors.Is finds [ErrNotFound] and its siblings in it.
//
// It prints as one line of at most 4 KiB: operation, resource, object, decision, code, and the
// server's message if that says more. In JSON and in slog it is the same line:
//
//	get pods default/nginx: not found (404)
//	list pods default/*: forbidden (403): User "jane" cannot list resource "pods" in API group "" in the namespace "default"
type StatusError struct {
	Op       string // the operation: "get", "list", "create", "watch"
	Resource string // plural and group: "pods", "deployments.apps"
	Object   string // "default/nginx", "default/*" for a collection, "node-1" if cluster-scoped
	// Status is what the server said. If the body was not a Status, the reason comes from the code,
	// and the message is at most 2 KiB of text. Credentials of the client that the server repeats
	// are hidden in reason, message and causes.
	Status Status
	Header http.Header // of the answer; nil for a Status in a stream
	Body   []byte      // the beginning of the answer's body: see [CallOptions].MaxErrorBody
}

// Format writes what Error returns, since header and body may hold secrets.
func (e StatusError) Format(f fmt.State, verb rune) { line.Format(f, verb, e.Error()) }

// MarshalText returns what Error returns, for the same reason; encoders of JSON and slog use it.
func (e StatusError) MarshalText() ([]byte, error) { return []byte(e.Error()), nil }

// MarshalBinary returns what Error returns; gob uses it.
func (e StatusError) MarshalBinary() ([]byte, error) { return e.MarshalText() }

// Error returns the line described above.
func (e *StatusError) Error() string {
	var b strings.Builder
	for _, s := range []string{e.Op, e.Resource, e.Object} {
		if s == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(e.phrase())
	if e.Status.Code != 0 {
		b.WriteString(" (" + strconv.Itoa(e.Status.Code) + ")")
	}
	b.WriteString(e.lacking())
	if d := e.detail(); d != "" {
		b.WriteString(": " + d)
	}
	return line.Of(b.String())
}

// Is matches the sentinels of this package, such as [ErrNotFound].
func (e *StatusError) Is(target error) bool {
	if target == ErrDisruptionBudget {
		return e.hasCause(CauseDisruptionBudget)
	}
	r, ok := target.(*refusalError)
	return ok && r == refusalOf(&e.Status)
}

// RetryAfter returns how long the server asks to wait, 0 if it did not say. The Status counts
// before the header.
func (e *StatusError) RetryAfter() time.Duration {
	d, _ := e.comeAgain()
	return d
}

// comeAgain returns how long the server asks to wait, which may be no time at all, and whether it
// asked to come again.
func (e *StatusError) comeAgain() (time.Duration, bool) {
	if d := e.Status.Details; d != nil && d.RetryAfterSeconds > 0 {
		return seconds(d.RetryAfterSeconds), true
	}
	return retryAfter(e.Header, time.Now())
}

// lacking says what else a 404 of a subresource may mean: servers say the same of an object that is
// missing and of a kind that has no such part.
func (e *StatusError) lacking() string {
	resource, sub, isPart := strings.Cut(e.Resource, "/")
	if !isPart || resource == "" || !errors.Is(e, ErrNotFound) {
		return ""
	}
	for i := range builtin {
		if builtin[i].Kind.Resource() == resource {
			return ""
		}
	}
	return ", or the kind has no subresource " + sub
}

// phrase says in words what the server decided.
func (e *StatusError) phrase() string {
	if r := refusalOf(&e.Status); r != nil {
		return r.phrase
	}
	switch {
	case e.Status.Reason != "":
		return e.Status.Reason
	case e.Status.Code >= 300 && e.Status.Code < 400:
		return "redirected"
	case http.StatusText(e.Status.Code) != "":
		return strings.ToLower(http.StatusText(e.Status.Code))
	}
	return "refused"
}

const (
	maxDetail  = 1 << 10 // how much of the server's message a line repeats
	maxMessage = 8 << 10 // how much of it is looked at
)

// detail returns the server's message if it says more than the line does.
func (e *StatusError) detail() string {
	m := line.Bounded(e.Status.Message, maxMessage)
	name := `"` + e.Object[strings.LastIndexByte(e.Object, '/')+1:] + `"`
	phrase := e.phrase()
	resource, _, _ := strings.Cut(e.Resource, "/") // messages do not name the subresource
	if strings.EqualFold(m, phrase) || m == resource+" "+name+" "+phrase {
		return ""
	}
	// The server repeats what the line begins with: the object as `pods "nginx"`, `Pod "nginx"`, or
	// `pods` where there is no name, and what it decided.
	for _, verdict := range []string{" is forbidden: ", " is invalid: ", ": "} {
		head, rest, ok := strings.Cut(m, verdict)
		head = strings.TrimPrefix(head, "Operation cannot be fulfilled on ")
		object := head == resource || strings.HasSuffix(head, " "+name) && strings.Count(head, " ") == 1
		if ok && (object || strings.EqualFold(head, phrase)) {
			m = rest
			break
		}
	}
	m = withoutPhrase(m, phrase)
	if low := strings.ToLower(m[:min(len(m), len("<!doctype html"))]); strings.HasPrefix(low, "<!doctype html") || strings.HasPrefix(low, "<html") {
		return "the answer is a web page"
	}
	return line.Bounded(m, maxDetail)
}

// withoutPhrase returns a message without the decision at its beginning, as in "Internal error
// occurred: ".
func withoutPhrase(m, phrase string) string {
	if len(m) <= len(phrase) || !strings.EqualFold(m[:len(phrase)], phrase) {
		return m
	}
	for _, mark := range []string{" occurred: ", ": "} {
		if rest, ok := strings.CutPrefix(m[len(phrase):], mark); ok {
			return rest
		}
	}
	return m
}

// retryAfter reads the header Retry-After: seconds, or a date. It reports whether there is one that
// says something.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return seconds(s), s >= 0
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(t.Sub(now), 0), true
	}
	return 0, false
}

// seconds turns seconds into a duration without overflow.
func seconds(s float64) time.Duration {
	const most = float64(math.MaxInt32)
	if !(s > 0) { // also NaN
		return 0
	}
	return time.Duration(min(s, most) * float64(time.Second))
}

// hasCause reports whether the server named a cause of this type.
func (e *StatusError) hasCause(typ string) bool {
	if e.Status.Details == nil {
		return false
	}
	for _, c := range e.Status.Details.Causes {
		if c.Type == typ {
			return true
		}
	}
	return false
}
