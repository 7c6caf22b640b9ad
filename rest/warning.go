package rest

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// Warning is what a server says in addition to its answer: that an API is deprecated, a field is
// unknown, or a value will not work.
type Warning struct {
	Op, Resource, Object string    // of the request, as in [StatusError]
	Code                 int       // Kubernetes writes 299
	Agent                string    // who warns; "-" for nobody in particular
	Text                 string    // for people to read
	Date                 time.Time // when it was written; zero if it does not say
}

// parseWarnings reads the Warning headers of an answer, in their order. A malformed warning is
// dropped, with the rest of its header.
func parseWarnings(h http.Header) []Warning {
	var found []Warning
	for _, v := range h.Values("Warning") {
		for v != "" {
			w, rest, ok := parseWarning(v)
			if !ok {
				break
			}
			found = append(found, w)
			v = rest
		}
	}
	return found
}

// parseWarning reads the first warning of a header and returns the rest.
func parseWarning(v string) (w Warning, rest string, ok bool) {
	code, v, _ := strings.Cut(strings.TrimLeft(v, " \t,"), " ")
	agent, v, more := strings.Cut(v, " ")
	n, err := strconv.Atoi(code)
	if err != nil || len(code) != 3 || n < 100 || agent == "" || !more {
		return w, "", false
	}
	w.Code, w.Agent = n, line.Of(agent)
	if w.Text, v, ok = quotedText(v); !ok {
		return w, "", false
	}
	if after := strings.TrimLeft(v, " \t"); strings.HasPrefix(after, `"`) {
		var date string
		if date, v, ok = quotedText(after); !ok {
			return w, "", false
		}
		w.Date, _ = http.ParseTime(date) // an invalid date says nothing
	}
	w.Text = line.Of(w.Text)
	v = strings.TrimLeft(v, " \t")
	if v != "" && v[0] != ',' {
		return w, "", false
	}
	return w, strings.TrimLeft(v, " \t,"), true
}

// quotedText reads a quoted string, in which a backslash escapes the next character.
func quotedText(v string) (text, rest string, ok bool) {
	if v == "" || v[0] != '"' {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(v); i++ {
		switch v[i] {
		case '"':
			return b.String(), v[i+1:], true
		case '\\':
			if i++; i == len(v) {
				return "", "", false
			}
		}
		b.WriteByte(v[i])
	}
	return "", "", false
}
