package watch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// notOneLine says why a text is not one bounded, printable line; "" if it is.
func notOneLine(text string) string {
	switch {
	case len(text) > 4<<10+len("..."):
		return fmt.Sprintf("it has %d bytes", len(text))
	case !utf8.ValidString(text):
		return "it is not UTF-8"
	case strings.ContainsFunc(text, func(r rune) bool {
		return r != ' ' && (unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
	}):
		return "it has characters that are not shown"
	}
	return ""
}

// Every event is one bounded line of what can be shown, and so is its error, wherever the server
// puts a text that would break out of a line or fill a log.
func TestEveryEventIsOneLine(t *testing.T) {
	texts := map[string]string{
		"lines":    "first\nsecond\r\nthird\u2028fourth\u0085fifth",
		"terminal": "\x1b[2J\x1b]0;title\x07\u009b31mred\x1b[0m",
		"controls": "a\x00b\x08c\x7fd\u0080e\u202ef\u2066g",
		"bytes":    "a\xff\xfeb\xc3",
		"long":     strings.Repeat("long ", 5<<10),
		"one word": strings.Repeat("x", 100<<10),
		"web page": "<!DOCTYPE html>\n<html>\n<body>\n" + strings.Repeat("<p>sorry</p>\n", 1<<10),
	}
	list := func() *reply { return page("5", "", "a@4") }
	stream := func(frame string) *answers {
		return inTurn(list, func() *reply { return streams(frame+"\n", time.Second) })
	}
	lists := func(list func() *reply) *answers {
		return inTurn(list, func() *reply { return streams(time.Minute) })
	}
	places := map[string]func(text, quoted string) *answers{
		"refused list": func(_, q string) *answers {
			return lists(func() *reply { return hostileStatus(http.StatusForbidden, q) })
		},
		"refused watch": func(_, q string) *answers {
			return inTurn(list, func() *reply { return hostileStatus(http.StatusTooManyRequests, q) })
		},
		"page instead of a list": func(text, _ string) *answers {
			return lists(func() *reply { return &reply{header: http.Header{"Content-Type": {"text/html"}}, pieces: []any{text}} })
		},
		"page instead of a watch": func(text, _ string) *answers {
			return inTurn(list, func() *reply { return &reply{header: http.Header{"Content-Type": {text}}, pieces: []any{text}} })
		},
		"broken list": func(text, _ string) *answers {
			return lists(func() *reply { return &reply{pieces: []any{`{"kind":"PodList","items":[` + text}} })
		},
		"kind of a list": func(_, q string) *answers {
			return lists(func() *reply {
				return &reply{pieces: []any{`{"kind":` + q + `,"apiVersion":` + q + `,"metadata":{},"items":[]}`}}
			})
		},
		"version of a list": func(_, q string) *answers {
			return lists(func() *reply {
				return &reply{pieces: []any{`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":` + q + `},"items":[]}`}}
			})
		},
		"token of a list": func(_, q string) *answers {
			return lists(func() *reply {
				return &reply{pieces: []any{`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":` + q + `},"items":[]}`}}
			})
		},
		"connection": func(text, _ string) *answers {
			return lists(func() *reply { return &reply{pieces: []any{errors.New(text)}} })
		},
		"broken connection of a watch": func(text, _ string) *answers {
			return inTurn(list, func() *reply { return streams(time.Second, errors.New(text)) })
		},
		"no frame":        func(text, _ string) *answers { return stream("{" + text) },
		"type of a frame": func(_, q string) *answers { return stream(`{"type":` + q + `,"object":{}}`) },
		"ERROR event": func(_, q string) *answers {
			return stream(`{"type":"ERROR","object":` + fmt.Sprint(hostileStatus(500, q).pieces[0]) + `}`)
		},
		"odd ERROR event": func(_, q string) *answers { return stream(`{"type":"ERROR","object":` + q + `}`) },
		"name": func(_, q string) *answers {
			return stream(`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":` + q + `,"namespace":"default","resourceVersion":"6"}}}`)
		},
		"namespace": func(_, q string) *answers {
			return stream(`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","namespace":` + q + `,"resourceVersion":"6"}}}`)
		},
		"version": func(_, q string) *answers {
			return stream(`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","namespace":"default","resourceVersion":` + q + `}}}`)
		},
		"kind": func(_, q string) *answers {
			return stream(`{"type":"ADDED","object":{"kind":` + q + `,"apiVersion":` + q + `,"metadata":{"name":"b","namespace":"default","resourceVersion":"6"}}}`)
		},
		"field that does not decode": func(_, q string) *answers {
			return stream(`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","namespace":"default","resourceVersion":"6"},"spec":{"size":` + q + `}}}`)
		},
		"member that does not decode": func(_, q string) *answers {
			return stream(`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","namespace":"default","resourceVersion":"6","labels":{` + q + `:1}}}}`)
		},
	}
	for place, server := range places {
		for name, text := range texts {
			t.Run(place+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					quoted, err := json.Marshal(text)
					if err != nil {
						t.Fatal(err)
					}
					told := linesOf(t, server(text, string(quoted)).client(t), watch.Options{PageSize: 500, Source: text})
					if told == 0 {
						t.Error("no event carries the text")
					}
				})
			})
		}
	}
}

// hostileStatus is a refusal whose every text is the same.
func hostileStatus(code int, quoted string) *reply {
	return &reply{code: code, pieces: []any{fmt.Sprintf(
		`{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":%[2]s,"message":%[2]s,"details":{"name":%[2]s,"kind":%[2]s,"causes":[{"reason":%[2]s,"message":%[2]s,"field":%[2]s}]}}`, code, quoted)}}
}

// linesOf watches for half a minute and checks each event. It returns how many had an error, or
// came from a frame.
func linesOf(t *testing.T, c *rest.Client, o watch.Options) (told int) {
	t.Helper()
	type sized struct {
		Metadata rest.ObjectMeta `json:"metadata"`
		Spec     struct {
			Size int `json:"size"`
		} `json:"spec"`
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for ev := range watch.Events(ctx, rest.For[sized](c, "Pod").In("default"), o) {
		texts := []string{ev.String(), fmt.Sprint(ev)}
		if ev.Err != nil {
			texts = append(texts, ev.Err.Error(), fmt.Sprintf("%+v", ev.Err))
		}
		for _, text := range texts {
			if why := notOneLine(text); why != "" {
				t.Fatalf("%s: %.200q", why, text)
			}
		}
		if ev.Err != nil || ev.Key.Name != "a" && ev.ResourceVersion != "5" {
			told++
		}
	}
	return told
}
